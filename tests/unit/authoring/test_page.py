"""The page of a proof says what was tried, and no more."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from grader.authoring.course import CourseProof
from grader.authoring.equivalents import MutantCounts
from grader.authoring.page import proof_page
from grader.authoring.prove import ExerciseProof, Tally
from grader.authoring.table import proof_table
from grader.model.course import Course
from grader.model.report import Environment

MakeProof = Callable[..., CourseProof]


@pytest.fixture
def make_proof(mini_course: Course) -> MakeProof:
    """A proof whose every count is another number."""

    def make(**changes: object) -> CourseProof:
        row = ExerciseProof(
            exercise="positional",
            checks=21,
            wheats=12,
            wheats_accepted=11,
            chaffs=44,
            chaffs_rejected=43,
            chaffs_named=42,
            twins=34,
            twins_rejected=33,
            twins_named=32,
            hollow=6,
            hollow_refused=5,
            mutants=MutantCounts(total=60, killed=53, equivalent=4),
            right_code=Tally(1234, 1),
            wrong_code=Tally(99, 2),
            environment=Environment(kit="9.8.7", python="3.12.1", torch="2.5.6", platform="Linux", device="cpu"),
            problems=["something was found"],
        )
        known: dict[str, object] = {
            "course": mini_course,
            "exercises": [row],
            "seeds": 19,
            "chaff_seeds": 3,
            "with_twins": True,
            "with_mutants": True,
            "partial": False,
        }
        return CourseProof(**{**known, **changes})  # type: ignore[arg-type]

    return make


def test_the_page_shows_every_count(make_proof: MakeProof) -> None:
    """Mutants are counted without those that are equivalent, since nobody could kill them."""
    page = proof_page(make_proof())

    row = "| positional | 21 | 11 of 12 | 43 of 44 | 42 of 44 | 33 of 34 | 32 of 34 | 5 of 6 | 53 of 56 | 4 |"
    assert row in page.splitlines()
    assert "graded 1,234 times: 1 false rejections" in page
    assert "graded 99 times: 2 times it lost anything but exactly the criteria that it names" in page


def test_the_page_says_with_what_it_was_proved(make_proof: MakeProof, mini_course: Course) -> None:
    """Kit, torch, the course as it was, and the seeds that were really used."""
    page = proof_page(make_proof())

    assert "attention-dojo 9.8.7, torch 2.5.6, Python 3.12.1, Linux" in page
    assert f"A miniature course, digest `{mini_course.digest[:16]}`" in page
    assert "right code was graded on 19 seeds, wrong code on 3 seeds, mutants on 1 seed" in page


def test_the_page_explains_each_column(make_proof: MakeProof) -> None:
    """A number that nobody can read is no proof."""
    page = proof_page(make_proof())

    header = next(line for line in page.splitlines() if line.startswith("| exercise"))
    for name in header.strip("| ").split(" | ")[1:]:
        assert f"- **{name}**: " in page


def test_the_page_hides_no_problem(make_proof: MakeProof) -> None:
    """Each with its exercise, and `None` only if there is none."""
    assert "- positional: something was found" in proof_page(make_proof()).splitlines()
    assert "None was found." not in proof_page(make_proof())
    assert "None was found." in proof_page(make_proof(exercises=[]))


def test_the_page_says_what_was_not_tried(make_proof: MakeProof) -> None:
    """A part of the course, or a quicker setting, must not look like the whole."""
    page = proof_page(make_proof(partial=True, with_twins=False, with_mutants=False))

    assert "Only a part of the course was tried: positional." in page
    assert "Not tried: twins and mutants." in page
    assert "mutants on" not in page
    assert "Not tried" not in proof_page(make_proof())


@pytest.mark.parametrize("with_mutants", [True, False])
def test_the_table_fits_a_narrow_terminal(make_proof: MakeProof, with_mutants: bool) -> None:
    """In 80 columns no heading and no cell is cut."""
    proof = make_proof(with_mutants=with_mutants)
    if not with_mutants:
        proof.exercises[0].mutants = None
    console = Console(file=io.StringIO(), width=80)

    console.print(proof_table(proof))

    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "…" not in shown
    cells = ["positional", "21", "11/12", "43/44", "42/44", "32/34", "5/6", *(["60", "53", "4"] * with_mutants), "1"]
    assert cells == shown.splitlines()[-1].split()
