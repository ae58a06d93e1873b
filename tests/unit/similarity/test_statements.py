"""Source becomes statements that renaming, layout and comments leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.similarity.statements import read_statements
from tests.unit.similarity.handed_in import OWN_WORK, disguise, file_of, notebook_of


def tokens_of(text):
    """The tokens of every statement."""
    return [statement.tokens for statement in read_statements([file_of(text)])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("total = first + 2", "t=(f   +  2)  # a comment"),
        ("def f(a, b):\n    '''Text.'''\n    return a", "def g(x: int, y: str) -> int:\n    return x"),
        (
            "import torch.nn.functional as F\ny = F.softmax(x, dim=-1)",
            "from torch.nn import functional\nz = functional.softmax(q, dim=-1)",
        ),
        ("x: int = 3", "y = 3"),
        ("raise ValueError('this')", 'raise ValueError("that")'),
        ("for i in range(3):\n    pass", "for step in range(3):\n    ..."),
    ],
)
def test_what_changes_no_idea_changes_no_token(one, other):
    """Names of one's own, types, texts, brackets, comments."""
    assert tokens_of(one) == tokens_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("y = x.transpose(1, 2)", "y = x.reshape(1, 2)"),
        ("y = x + 1", "y = x + 2"),
        ("y = x.sum(dim=-1)", "y = x.sum(-1)"),
        ("import torch\ny = torch.exp(x)", "import torch\ny = torch.log(x)"),
        ("y = len(x)", "y = sum(x)"),
        ("if a: b = 1", "while a: b = 1"),
    ],
)
def test_what_is_another_idea_has_other_tokens(one, other):
    """Functions of libraries, numbers, operators, control flow."""
    assert tokens_of(one) != tokens_of(other)


def test_disguise_changes_the_order_and_nothing_else():
    """What the tests of comparing rely on."""
    assert disguise(OWN_WORK) != OWN_WORK
    assert sorted(tokens_of(OWN_WORK)) == sorted(tokens_of(disguise(OWN_WORK)))


def test_lines_are_those_of_the_whole_file():
    """Also in a notebook, whose cells are joined, and behind a cell that does not parse."""
    statements = read_statements(
        [notebook_of("import torch\nx = 1", "def broken(:\n    pass", "\ny = torch.zeros(\n    2)\n")]
    )

    assert [(2, 2), (6, 7)] == [(each.first_line, each.last_line) for each in statements]


def test_the_parts_that_parse_are_taken():
    """One mistake at the end of a file must not hide the rest."""
    text = (
        "def good(x):\n    return x + 1\n\ndef bad(x:\n    return\n\n@decorated\ndef also_good(x):\n    return x * 3\n"
    )

    assert [1, 2, 8, 9] == [each.first_line for each in read_statements([file_of(text)])]


def test_a_compound_statement_is_its_head():
    """Its body follows by itself, so that a line more inside changes no other."""
    statements = read_statements([file_of("if x > 1:\n    y = 2\nelse:\n    y = 3\n")])

    assert [(1, 1), (2, 2), (4, 4)] == [(each.first_line, each.last_line) for each in statements]
    assert 1 == len({each.unit for each in statements})


@given(st.text(max_size=200))
def test_whatever_is_handed_in_is_read_without_an_exception(text):
    """Nothing is run, and nothing that does not parse is a fault of the grader."""
    read_statements([file_of(text)])


def test_code_that_is_too_deep_is_left_out():
    """A submission made to exhaust the stack ends nobody else's comparison."""
    assert [] == read_statements([file_of("x = " + "(" * 5000 + ")" * 5000)])
    read_statements([file_of("x = " + "-" * 3000 + "1")])
