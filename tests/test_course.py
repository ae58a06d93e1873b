"""The built-in course is sound: a quicker setting of `grade course check`."""

import re
from pathlib import Path
from typing import Literal

import pytest

from grader.authoring.course import prove_course
from grader.authoring.equivalents import read_equivalents
from grader.authoring.mutate import make_mutants
from grader.course.load import load_chaffs, load_course
from grader.course.trees import CourseTrees, builtin_course
from grader.grading.local import LocalGrader
from grader.grading.messages import Graded

ROOT = Path(__file__).parents[1]
TREES = builtin_course()
COURSE = load_course(TREES)
IDS = [exercise.id for exercise in COURSE.exercises]


@pytest.mark.parametrize("exercise", IDS)
def test_an_exercise_is_sound(exercise: str) -> None:
    """Stub, solution, wheats, chaffs and answers without work get just what they should, and mistakes their names."""
    proof = prove_course(TREES, [exercise], seeds=1, chaff_seeds=1, with_twins=False)

    assert [] == list(proof.all_problems())


def test_a_solution_differs_from_its_stub_in_bodies_only(builtin: CourseTrees) -> None:
    """That diff is the whole difference: the same docstrings, signatures and imports, and no comment to do."""
    for exercise in IDS:
        stub = builtin.stub(exercise).read_text("utf-8")
        solution = builtin.solution(exercise).read_text("utf-8")
        # A body that is still to be written: its TODO comment, of one or more lines, and the line that raises.
        undone = r"( *#.*\n)+ *raise NotImplementedError\(\"[\w.]+ is still to be written\"\)\n"
        kept = re.sub(undone, "", stub).splitlines()
        rest = iter(solution.splitlines())

        assert all(line in rest for line in kept), exercise
        assert "TODO" not in solution, exercise


def test_the_attention_exercises_are_half_of_the_points() -> None:
    """What comes before and after them is worth as much, so that all points read as per cent."""
    core = ("masking", "scaling", "heads", "multihead", "positional")
    assert 50 == sum(COURSE.exercise(exercise).rubric.points for exercise in core)


def test_the_readme_tells_of_every_exercise() -> None:
    """In teaching order, and of no other."""
    readme = (ROOT / "README.md").read_text("utf-8")

    assert IDS == re.findall(r"^\| `(\w+)` \|", readme, flags=re.M)


def test_there_are_enough_checks_and_known_mistakes() -> None:
    """At least 90 checks; at least two concept checks an exercise; right and wrong code in many forms."""
    assert 90 <= sum(len(exercise.claims) for exercise in COURSE.exercises)
    for exercise in COURSE.exercises:
        assert 2 <= TREES.suite(exercise.id).read_text("utf-8").count("    observe("), exercise.id
        assert 8 <= len(TREES.wheats(exercise.id)), exercise.id
        assert 15 <= len(load_chaffs(TREES, exercise.rubric)), exercise.id


def test_each_mistake_of_the_sample_submission_is_named() -> None:
    """It is what a newcomer sees first; its authors wrote it without looking at the known mistakes."""
    sample = TREES.root / "examples" / "four_mistakes"

    with LocalGrader(TREES) as grader:
        *_, last = grader.grade(grader.job(grader.read([sample]), grader.course.settings.exercises, seed=1))

    assert isinstance(last, Graded)
    named = {
        exercise.id: found
        for exercise in last.report.exercises
        if (found := {check.diagnosis.misconception for check in exercise.checks if check.diagnosis})
    }
    assert {
        "masking": {"causal_sees_next"},
        "scaling": {"masked_scores_set_to_zero"},
        "heads": {"merge_without_transpose"},
        "multihead": {"scale_by_d_model"},
    } == named


def test_hints_can_be_asked_for_function_by_function() -> None:
    """Who is stuck on one function need not read the solution of the others; the last rung is nearly the line."""
    for exercise in COURSE.exercises:
        if len(exercise.promises) > 1:
            for name in exercise.promises:
                about = [rung for rung in exercise.rubric.hints if rung.startswith(f"{name}, ")]
                assert about, f"no hint is about {name}"
                assert about[-1].startswith(f"{name}, nearly the line: ")


def test_the_published_proof_is_of_this_course() -> None:
    """Its counts are those of the tree: whoever adds a check or a mistake proves the course again (`make proof`)."""
    page = (ROOT / "docs/proof.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    published = {row[0]: row[1:] for row in rows[1:]}

    for exercise in COURSE.exercises:
        chaffs = len(TREES.chaffs(exercise.id))
        solution = TREES.solution(exercise.id).read_text("utf-8")
        equivalent = len(read_equivalents(TREES, exercise.id))
        mutants = len(make_mutants(solution)) - equivalent
        expected = [
            str(len(exercise.claims)),
            *(f"{n} of {n}" for n in (len(TREES.wheats(exercise.id)), chaffs, chaffs, chaffs, chaffs)),
            published[exercise.id][6],
            f"{mutants} of {mutants}",
            str(equivalent),
        ]

        assert expected == published[exercise.id], exercise.id
    assert "None was found." in page


SEABORN = """
import matplotlib.pyplot as plt
import seaborn as sns

def plot_attention(attention_weights, tokens, head=0, ax=None):
    rows, columns = tokens if not isinstance(tokens[0], str) else (tokens, tokens)
    weights = attention_weights[0, head].detach().cpu().float().numpy()
    if weights.shape != (len(rows), len(columns)):
        raise ValueError("tokens do not fit")
    if ax is None:
        ax = plt.figure().gca()
    sns.heatmap(weights, ax=ax, xticklabels=columns, yticklabels=rows, vmin=0, vmax=1, annot=True)
    ax.set_title(f"Head {head}")
    return ax
"""


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_a_heatmap_of_seaborn_gets_full_marks(start_method: Literal["fork", "spawn"], tmp_path: Path) -> None:
    """It is what many people draw heatmaps with; learners who have it may use it."""
    pytest.importorskip("seaborn", reason="seaborn is not installed, and learners need not have it")
    (tmp_path / "visualize.py").write_text(SEABORN)

    with LocalGrader(TREES, ["visualize"], start_method) as grader:
        *_, last = grader.grade(grader.job(grader.read([tmp_path]), ["visualize"], seed=1))

    assert isinstance(last, Graded)
    assert last.report.full_marks, [check.rationale for exercise in last.report.exercises for check in exercise.checks]
