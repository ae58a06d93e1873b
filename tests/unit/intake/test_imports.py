"""Which files a change touches."""

from handed_in import HandIn, notebook

from grader.intake.imports import files_used_by


def test_imports_are_followed_in_every_form(hand_in: HandIn) -> None:
    """A change to a helper's helper has to grade the exercise again; a file that nobody imports does not."""
    submission = hand_in(
        {
            "multihead.py": "from heads import split_heads\n",
            "heads.py": "def f():\n    from . import shapes\n",
            "lib/shapes.py": "import lib.deep as d, multihead\n",
            "lib/deep.py": "",
            "other.py": "import heads\n",
        }
    )

    assert {"multihead.py", "heads.py", "lib/shapes.py", "lib/deep.py"} == files_used_by(submission, "multihead.py")
    assert set() == files_used_by(submission, "absent.py") == files_used_by(submission, None)


def test_a_broken_cell_does_not_hide_the_imports_of_the_others(hand_in: HandIn) -> None:
    """Nor does source that is too deep to parse end the watch."""
    submission = hand_in(
        {"n.ipynb": notebook("def f(:", "import heads"), "heads.py": "x = " + "-" * 100_000 + "1\n", "a.py": ""}
    )

    assert {"n.ipynb", "heads.py"} == files_used_by(submission, "n.ipynb")


def test_a_file_whose_names_are_all_replaced_does_not_matter(hand_in: HandIn) -> None:
    """A save of heads.py need not grade multihead again, which is given a stand-in for it."""
    submission = hand_in(
        {
            "heads.py": "def split_heads(): ...\ndef mine(): ...\n",
            "multihead.py": "from heads import split_heads\n",
            "own.py": "from heads import split_heads, mine\n",
            "whole.py": "import heads\n",
        }
    )

    assert {"multihead.py"} == files_used_by(submission, "multihead.py", {"split_heads"})
    assert {"own.py", "heads.py"} == files_used_by(submission, "own.py", {"split_heads"})
    assert {"whole.py", "heads.py"} == files_used_by(submission, "whole.py", {"split_heads"})
