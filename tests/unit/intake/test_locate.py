"""Each exercise is taken from the file where a learner would expect it."""

import pytest
from handed_in import PROMISES, HandIn, notebook

from grader.intake.locate import locate_entries
from grader.model.submission import Cell, Entry, SourceFile, Submission, Unreadable

STUB = '''
from torch import Tensor

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut."""
    # TODO: cut
    raise NotImplementedError("split_heads is still to be written")


def merge_heads(x):
    """Lay side by side."""
    raise NotImplementedError
'''
WRITTEN = "def split_heads(x, n):\n    return x\n\ndef merge_heads(x):\n    return x\n"
CLASS_STUB = '''
class MultiHeadAttention(nn.Module):
    """Attend."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        # TODO: layers
        raise NotImplementedError("to be written")

    def forward(self, query):
        raise NotImplementedError("to be written")
'''


def locate(hand_in: HandIn, files: dict[str, str], exercise: str = "heads") -> Entry:
    """Return where an exercise of these files is taken from."""
    return locate_entries(hand_in(files), PROMISES)[exercise]


@pytest.mark.parametrize(
    "path", ["heads.py", "sub/heads.py", "a/b/heads.py", "heads.ipynb", "attention.py", "attention.ipynb", "my/all.py"]
)
def test_whatever_file_has_the_names_is_found(hand_in: HandIn, path: str) -> None:
    """The exercise's own file, one that defines everything, or a notebook, at any depth."""
    content = notebook("import torch", WRITTEN) if path.endswith(".ipynb") else WRITTEN

    assert Entry(exercise="heads", path=path) == locate(hand_in, {path: content, "main.py": "x = 1\n"})


def test_the_own_file_nearest_the_top_wins(hand_in: HandIn) -> None:
    """And the module before the notebook beside it; that the names are there twice is said."""
    entry = locate(
        hand_in,
        {"heads.py": WRITTEN, "heads.ipynb": notebook(WRITTEN), "old/heads.py": WRITTEN, "z.py": "split_heads = 1"},
    )

    assert "heads.py" == entry.path
    assert (
        "split_heads is defined in heads.py and in heads.ipynb, old/heads.py and z.py; heads.py counts; "
        "merge_heads is defined in heads.py and in heads.ipynb and old/heads.py; heads.py counts"
    ) == entry.note


@pytest.mark.parametrize(
    "own",
    [
        "from my_code import split_heads, merge_heads\n",
        "from my_code import *\n",
        "from .lib.my_code import my_split as split_heads\n",
        "from somewhere import split_heads\n",
        "import other\nsplit_heads = other.my_split\n",
        "split_heads, merge_heads = make()\n",
        "split_heads: object = lambda x, n: x\n",
        "if True:\n    def split_heads(x): return x\nelse:\n    pass\n",
        "try:\n    import einops\nexcept ImportError:\n    def split_heads(x): return x\n",
        "with x:\n    def split_heads(x): return x\n",
        "for _ in ():\n    pass\nelse:\n    split_heads = f\n",
        "class split_heads(Base): pass\n",
        "def split_heads(x: return x\n",
        "def split_heads(x):\n    if x: return x\n    raise NotImplementedError\n",
        STUB + "\ndef split_heads(x):\n    return x\n",
    ],
)
def test_an_own_file_that_gives_the_name_in_any_way_counts(hand_in: HandIn, own: str) -> None:
    """Also where another file has the definition, because that is where the own file gets it from."""
    assert "heads.py" == locate(hand_in, {"heads.py": own, "my_code.py": WRITTEN}).path


@pytest.mark.parametrize(
    ("own", "why"),
    [
        (STUB, "is still the stub"),
        ("split_heads = None\n", "is still the stub"),
        ("def split_heads(x):\n    pass\n", "is still the stub"),
        ("def split_heads(x):\n    'Cut.'\n    ...\n", "is still the stub"),
        ("", "defines none of split_heads and merge_heads"),
        ("if __name__ == '__main__':\n    split_heads = f\n", "defines none of split_heads and merge_heads"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from x import split_heads\n",
            "defines none of split_heads and merge_heads",
        ),
        ("def helper():\n    def split_heads(x): return x\n", "defines none of split_heads and merge_heads"),
    ],
)
def test_a_stub_that_is_not_begun_loses_to_the_real_thing(hand_in: HandIn, own: str, why: str) -> None:
    """The learner worked in a notebook beside the stubs: grading the stub would say that nothing was done."""
    entry = locate(hand_in, {"heads.py": own, "my work.ipynb": notebook("x = 1", WRITTEN)})

    assert "my work.ipynb" == entry.path
    assert entry.note.startswith(f"heads.py {why}, so heads")


def test_a_class_stub_is_one_if_no_method_is_begun(hand_in: HandIn) -> None:
    """Layers without ``forward`` are a beginning, and a beginning counts."""
    work = notebook("class MultiHeadAttention:\n    def forward(self): return 1")
    begun = CLASS_STUB.replace('raise NotImplementedError("to be written")', "self.W_q = 1", 1)

    assert "my.ipynb" == locate(hand_in, {"multihead.py": CLASS_STUB, "my.ipynb": work}, "multihead").path
    assert "multihead.py" == locate(hand_in, {"multihead.py": begun, "my.ipynb": work}, "multihead").path


def test_a_stub_does_not_lose_to_a_file_that_imports_from_it(hand_in: HandIn) -> None:
    """``multihead.py`` begins with ``from heads import split_heads``: importing is not writing."""
    assert Entry(exercise="heads", path="heads.py") == locate(
        hand_in, {"heads.py": STUB, "multihead.py": "from heads import split_heads, merge_heads\n"}
    )


def test_a_begun_own_file_counts_and_the_note_says_what_lies_elsewhere(hand_in: HandIn) -> None:
    """Putting two files together would grade a program that nobody wrote."""
    own = WRITTEN.partition("def merge_heads")[0]

    begun = locate(hand_in, {"heads.py": own + STUB.partition("\n\n\n")[2], "merge.py": WRITTEN})
    lacking = locate(hand_in, {"heads.py": own, "merge.py": "def merge_heads(x): return x\n"})

    assert "heads.py" == begun.path == lacking.path
    assert (
        "merge_heads is still the stub in heads.py, which counts, but is written in merge.py; move it over"
        in begun.note
    )
    assert "heads.py does not define merge_heads, but merge.py does; import it in heads.py" == lacking.note


def test_the_file_that_writes_most_is_used(hand_in: HandIn) -> None:
    """Of files that are not named after the exercise."""
    half = "def split_heads(x, n): return x\n"

    assert "z/most.py" == locate(hand_in, {"a.py": half, "z/most.py": WRITTEN, "z/b.py": "from most import *"}).path


def test_an_import_of_something_that_was_not_handed_in_is_an_entry(hand_in: HandIn) -> None:
    """Its ImportError says more than that nothing was found."""
    assert "main.py" == locate(hand_in, {"main.py": "from lost import split_heads\n"}).path


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("x = 1\n", "there is no heads.py, and no file defines split_heads or merge_heads"),
        ("def splitHeads(): 1\n", "; did you mean splitHeads in main.py?"),
        ("def split_head(): 1\n", "; did you mean split_head in main.py?"),
        (
            "class Heads:\n    def merge_heads(self): 1\n",
            "; the merge_heads in main.py is inside Heads: move it to the left",
        ),
    ],
)
def test_what_is_missing_is_said_with_what_was_perhaps_meant(hand_in: HandIn, content: str, note: str) -> None:
    """Letter case, a letter, or the wrong place: the commonest reasons."""
    entry = locate(hand_in, {"main.py": content})

    assert entry.path is None
    assert note in entry.note
    assert ("did you mean" in note) == ("did you mean" in entry.note)


def test_a_name_that_another_exercise_promises_is_no_suggestion(hand_in: HandIn) -> None:
    """It is there because it was asked for."""
    submission = hand_in({"scores.py": "def dot_score(q, k): return q\n"})

    entry = locate_entries(submission, {"scores": ("dot_score",), "scaled": ("scaled_dot_score",)})["scaled"]

    assert "there is no scaled.py, and no file defines scaled_dot_score" == entry.note


def test_an_own_file_with_a_misspelt_name_is_the_entry(hand_in: HandIn) -> None:
    """The rest of it is graded, and the note says which name was looked for."""
    entry = locate(hand_in, {"heads.py": WRITTEN.replace("merge_heads", "merge_head")})

    assert "heads.py does not define merge_heads; did you mean merge_head in heads.py?" == entry.note
    assert "heads.py" == entry.path


def test_an_unreadable_own_file_is_the_reason(hand_in: HandIn) -> None:
    """Not that it is missing: it was handed in."""
    entry = locate(hand_in, {"heads.py": "x = 1\0", "main.py": "x = 1\n"})
    other = locate(hand_in, {"main.py": WRITTEN})  # the same folder, heads.py still in it

    assert entry.path is None
    assert entry.note.startswith("heads.py could not be read (Python source has no NUL bytes, but line 1 has one")
    assert "main.py" == other.path
    assert "so heads was taken from main.py" in other.note


def test_an_empty_submission_has_no_entries() -> None:
    """Every exercise gets an answer, in the order of the course."""
    entries = locate_entries(Submission(id="x", unreadable=(Unreadable(path="x.zip", reason="broken"),)), PROMISES)

    assert list(PROMISES) == list(entries)
    assert {None} == {entry.path for entry in entries.values()}


@pytest.mark.parametrize(
    "text",
    [
        "if a: pass\n" + "elif a: pass\n" * 900 + "\ndef split_heads(): pass",
        "x = " + "-" * 100_000 + "1\ndef split_heads(): return 1",
        "x = " + "(" * 300 + "\ndef split_heads(): return 1",
        "def split_heads(): return 1\n" + "#" * 600_000,
    ],
)
def test_source_that_is_too_deep_or_large_to_parse_is_still_found(text: str) -> None:
    """The reader must not fall over it, and running it will say what is wrong."""
    submission = Submission(id="x", files=(SourceFile(path="a.py", cells=(Cell(text=text),)),))

    assert "a.py" == locate_entries(submission, PROMISES)["heads"].path


def test_the_only_file_that_could_not_be_read_is_why_nothing_is_there() -> None:
    """It may have held everything, so it is said where the learner looks first."""
    submission = Submission(
        id="x", unreadable=(Unreadable(path="attention.ipynb", reason="the file ends in the middle"),)
    )

    entry = locate_entries(submission, PROMISES)["heads"]

    assert "attention.ipynb could not be read: the file ends in the middle" == entry.note
