"""A notebook's training loop is left out; what its definitions need is not."""

import pytest
from handed_in import HandIn, notebook, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.needless import leave_out_needless
from grader.model.submission import Cell

DEFINITIONS = "import math, random, time, torch\nclass Heads:\n    def __call__(self, x):\n        return x\n"


def trim(*sources: str, wanted: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    """Return the texts of cells after the definitions, and the lines that are said to be left out."""
    cells = [Cell(text=text, label=f"cell {number}") for number, text in enumerate((DEFINITIONS, *sources), 1)]
    trimmed = leave_out_needless(cells, wanted)
    assert DEFINITIONS == trimmed.cells[0].text
    assert [cell.label for cell in cells] == [cell.label for cell in trimmed.cells]
    return [cell.text for cell in trimmed.cells[1:]], [line for _, line in trimmed.left_out]


@pytest.mark.parametrize(
    "source",
    [
        "for step in range(10**9):\n    total = step",
        "while True:\n    pass",
        "with torch.no_grad():\n    out = Heads()(1)",
        "heads = Heads()",
        "out = Heads()(torch.ones(2))",
        "time.sleep(20)",
        "name = input('who? ')",
        "if torch.cuda.is_available():\n    heads = Heads()",
        "squares = [step**2 for step in range(10**9)]",
        "assert Heads()(1) == 1",
        "print(Heads()(1))",
    ],
)
def test_what_may_take_long_and_nothing_needs_is_left_out(source: str) -> None:
    """And named, by its first line; the lines below keep their numbers."""
    texts_, left_out = trim(f"{source}\nafter = 1")

    assert ["\n" * (source.count("\n") + 1) + "after = 1"] == texts_
    assert [source.split("\n")[0]] == left_out


@pytest.mark.parametrize(
    "source",
    [
        "def helper():\n    return Heads()",
        "import os\nfrom os import path",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "size = 64",
        "torch.manual_seed(0)",
        "x = torch.ones(2, 3)\nprint(x.shape)",
        "'''Text.'''",
        "if __name__ == '__main__':\n    Heads()",
    ],
)
def test_definitions_and_what_is_cheap_stay(source: str) -> None:
    """So do seeds, settings and constants, needed or not."""
    assert ([source], []) == trim(source)


@pytest.mark.parametrize(
    "source",
    [
        "table = []\nfor step in range(3):\n    table.append(step)\ndef lookup(at):\n    return table[at]",
        "table = {}\nfor step in range(3):\n    table[step] = step\nclass Lookup:\n    values = table",
        "default = Heads()\ndef use(x, heads=default):\n    return heads(x)",
        "def fill(values):\n    values.append(1)\ntable = []\nfill(table)\ndef lookup(at):\n    return table[at]",
        "def set_up():\n    global table\n    table = 1\nset_up()\ndef lookup():\n    return table",
        "def call(self, x):\n    return x\nHeads.forward = call\ndef use():\n    return Heads.forward",
        "scale = math.prod([step for step in range(1, 4)])\nhalf = scale / 2\ndef shrink(x):\n    return x * half",
        "base = Heads().__class__\n@base\nclass Other(base):\n    pass",
        "tables = [Heads() for _ in range(2)]\nfirst = lambda: tables[0]\ndef use():\n    return first()",
    ],
)
def test_what_a_definition_needs_stays(source: str) -> None:
    """However it gets its value: by a loop, a call, a function's side, or through another name."""
    assert ([source], []) == trim(source)


def test_what_is_graded_stays() -> None:
    """A promised name may be given by a call."""
    source = "def make(f):\n    return f\nsplit_heads = make(lambda x: x)"

    assert ([source], []) == trim(source, wanted=("split_heads",))
    assert ["split_heads = make(lambda x: x)"] == trim(source)[1]


def test_who_reads_what_is_left_out_is_left_out_as_well() -> None:
    """Else it would fail, and take the rest of its cell along."""
    source = (
        "losses = []\nheads = Heads()\nfor step in range(9):\n    losses.append(heads(step))\n"
        "plot = print(losses[-1])\nshown = plot\ndel heads\nsize = 1"
    )

    texts_, left_out = trim(source)

    assert ["losses = []\n\n\n\n\n\n\nsize = 1"] == texts_
    assert ["heads = Heads()", "for step in range(9):"] == left_out


def test_a_line_is_shared_with_care() -> None:
    """Columns count bytes, and several statements may stand on a line."""
    texts_, left_out = trim("é = 'é'; Heads(); ü = 1  # Heads()\nHeads() # twice\nif 1: Heads()")

    assert ["é = 'é'; pass; ü = 1  # Heads()\n # twice\n"] == texts_
    assert 3 == len(left_out)


def test_a_cell_that_does_not_run_is_left_as_it_is() -> None:
    """Running it will say why; the others are trimmed."""
    broken = "def broken(:\n    pass\nHeads()"
    outside = "Heads()\nreturn 1"

    assert ([broken, outside, ""], ["Heads()"]) == trim(broken, outside, "Heads()")


def test_the_learner_is_told(hand_in: HandIn) -> None:
    """In one note for each notebook, with the first few."""
    cells = ["class MultiHeadAttention:\n    pass", "m = MultiHeadAttention()", *["for i in range(9):\n    m = i"] * 4]
    submission = hand_in({"attention.ipynb": notebook(*cells)})

    assert (
        "attention.ipynb: what runs by itself and no definition needs was left out: "
        "“m = MultiHeadAttention()” (cell 2), “for i in range(9):” (cell 3), “for i in range(9):” (cell 4) and 2 more",
    ) == submission.notes
    assert "class MultiHeadAttention:\n    pass" == texts(submission)["attention.ipynb"].strip()


@pytest.mark.parametrize("mark", ["# In[3]:", "# %%", '"""work.ipynb\n\nAutomatically generated by Colab.\n"""'])
def test_a_notebook_saved_as_a_script_is_one_still(hand_in: HandIn, mark: str) -> None:
    """Only such a file: a module runs as Python runs it."""
    submission = hand_in({"heads.py": f"{mark}\nwhile 1:\n    pass", "masking.py": "while 1:\n    pass"})

    assert mark == texts(submission)["heads.py"].strip()
    assert "while 1:\n    pass" == texts(submission)["masking.py"]


def test_a_notebook_that_others_import_runs_as_it_is(hand_in: HandIn) -> None:
    """Nobody knows which of its names they take."""
    files = {"work.ipynb": notebook("rows = [i for i in range(3)]"), "heads.py": "from work import rows\n"}

    assert "rows = [i for i in range(3)]" == texts(hand_in(files))["work.ipynb"]


_LINES = st.sampled_from(
    [
        "x = 1",
        "x += 1",
        "f(x)",
        "x = f(x)",
        "del x",
        "for x in range(3): y = x",
        "print(x); f(1)",
        "def f(a): return y",
        "import math",
        "class C(B): z = x",
        "B = object",
        "with open(x) as y: f(y)",
        "global x",
        "return",
        "(",
        "x: int = f()",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(_LINES, max_size=6).map("\n".join), max_size=4))
def test_lines_keep_their_numbers_and_nothing_new_comes_in(sources: list[str]) -> None:
    """Whatever the cells: each line is what it was, or shorter, or gone."""
    cells = [Cell(text=text, label=f"cell {number}") for number, text in enumerate(sources)]

    trimmed = leave_out_needless(cells, {"x"})

    for before, after in zip(sources, trimmed.cells, strict=True):
        assert before.count("\n") == after.text.count("\n")
        for old, new in zip(before.split("\n"), after.text.split("\n"), strict=True):
            assert new == old or not new.strip() or "pass" in new
    assert trimmed.cells == leave_out_needless(trimmed.cells, {"x"}).cells


@pytest.mark.parametrize("text", ["f(1)\n" * 1_001, "f(1); " * 1_001, f"f('{'x' * 70_000}')"])
def test_a_notebook_of_far_too_much_runs_as_it_is(text: str) -> None:
    """Who needs whom would take longer than running it."""
    cells = (Cell(text="def f(x): pass", label="cell 1"), Cell(text=text, label="cell 2"))

    assert (cells, ()) == leave_out_needless(cells, ())
