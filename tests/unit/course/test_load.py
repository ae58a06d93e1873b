"""A course that contradicts itself is refused with the file, the line and the fix."""

import shutil
from pathlib import Path

import pytest

from grader.course.load import load_chaffs, load_course
from grader.course.trees import CourseTrees, open_course
from grader.model.errors import CourseError
from tests.conftest import MINI_COURSE


@pytest.fixture
def copy(tmp_path: Path) -> CourseTrees:
    """A copy of the miniature course, to break."""
    return CourseTrees(Path(shutil.copytree(MINI_COURSE, tmp_path / "course")))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that must be there."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def refusal(trees: CourseTrees) -> str:
    """What the course is refused with."""
    with pytest.raises(CourseError) as caught:
        load_course(trees)
    return str(caught.value)


def test_both_courses_load(mini_course, builtin):
    """The miniature course and the built-in one are sound."""
    assert ["double", "layer"] == [exercise.id for exercise in mini_course.exercises]
    assert 5 <= len(load_course(builtin).exercises)


def test_promises_and_claims_are_read_from_the_source(mini_course):
    """Nothing of a suite is run for it."""
    double = mini_course.exercise("double")

    assert ("double",) == double.promises
    assert "double(x, 1) is twice x." == double.claims["doubles"].title
    assert "It is the whole point." == double.claims["doubles"].why
    assert double.has_stand_in


def test_an_unknown_check_is_named_with_its_line(copy):
    """And with what was probably meant."""
    edit(copy.rubric("double"), "[doubles, doubles_again]", "[doubles, doubles_agian]")

    message = refusal(copy)

    assert "rubrics/double.yaml: line 18: criterion 'values' names the check 'doubles_agian'" in message
    assert "Did you mean 'doubles_again'?" in message


def test_a_check_in_no_criterion_is_named(copy):
    """It could not cost anything."""
    edit(copy.rubric("double"), "[doubles, doubles_again]", "[doubles]")

    assert "the check 'doubles_again' is in no criterion of rubrics/double.yaml" in refusal(copy)


def test_points_that_do_not_add_up_are_named(copy):
    """Both sums."""
    edit(copy.rubric("double"), "points: 4", "points: 5")

    assert "rubrics/double.yaml: the criteria add up to 4 points, but points says 5." == refusal(copy)


def test_a_misspelt_key_is_named_with_its_line(copy):
    """At every depth."""
    edit(copy.rubric("double"), "    hint: Look for detach.", "    hnit: Look for detach.")

    message = refusal(copy)

    assert "rubrics/double.yaml: line 23: unknown key 'hnit'; did you mean 'hint'?" in message
    assert "the key 'hint' is missing in criteria.1" in message


def test_a_cycle_is_refused(copy):
    """One of its links must point forward."""
    edit(copy.rubric("double"), "points: 4", "points: 4\nbuilds_on: [layer]")

    assert "builds_on names 'layer', which is not taught before 'double'" in refusal(copy)


def test_an_unknown_exercise_to_build_on_is_named(copy):
    """With a suggestion."""
    edit(copy.rubric("layer"), "[double]", "[duoble]")

    assert "builds_on names 'duoble', which is no exercise of this course. Did you mean 'double'?" in refusal(copy)


def test_a_value_of_the_wrong_type_is_named_with_its_line(copy):
    """Found and expected."""
    edit(copy.rubric("layer"), "points: 3\nbuilds_on", "points: many\nbuilds_on")

    assert "rubrics/layer.yaml: line 3: points: input should be a valid number" in refusal(copy)
    assert "found 'many'" in refusal(copy)


def test_text_that_is_no_yaml_is_named_with_its_line(copy):
    """The usual cause is a colon."""
    edit(copy.rubric("layer"), "hint: Look at forward.", "hint: Look: at: forward.")

    assert "rubrics/layer.yaml: line 11: this is not YAML" in refusal(copy)


@pytest.mark.parametrize(
    "missing", ["exercises/double.py", "solutions/double.py", "rubrics/double.yaml", "tests/hidden/test_double.py"]
)
def test_a_missing_file_is_named(copy, missing):
    """Each exercise needs its five."""
    (copy.root / missing).unlink()

    assert f"{missing}: this file is missing" in refusal(copy)


def test_a_missing_stand_in_is_named(copy):
    """Where a later exercise builds on this one."""
    copy.stand_in("double").unlink()

    assert "tests/hidden/wheats/double/stand_in.py: missing, but 'layer' builds on 'double'" in refusal(copy)


def test_a_check_without_a_docstring_is_named(copy):
    """Its first line is what learners read."""
    edit(copy.suite("layer"), '    """Layer(size)(x) is 2 * x + shift."""\n', "")

    assert "tests/hidden/test_layer.py: line 6: test_doubles_and_shifts has no docstring" in refusal(copy)


def test_a_dependency_on_a_later_check_is_refused(copy):
    """It would not have run yet."""
    edit(
        copy.suite("double"),
        'depends_on("doubles")\ndef test_doubles_again',
        'depends_on("passes_gradients")\ndef test_doubles_again',
    )

    assert "'doubles_again' depends on 'passes_gradients', which is no earlier check" in refusal(copy)


def test_all_problems_are_told_at_once(copy):
    """An author mends them in one go."""
    edit(copy.rubric("double"), "points: 4", "points: 5")
    edit(copy.rubric("layer"), "[double]", "[duoble]")

    assert 2 == len(refusal(copy).splitlines())


def test_a_chaff_that_loses_an_unknown_criterion_is_named(copy, mini_course):
    """It could never be proved."""
    edit(copy.hidden / "chaffs/double/triples.py", "[values, gradients, refusal]", "[valeus]")

    with pytest.raises(CourseError, match="chaffs/double/triples.py: loses names 'valeus'.*Did you mean 'values'"):
        load_chaffs(copy, mini_course.exercise("double").rubric)


def test_a_chaff_without_its_text_is_named(copy, mini_course):
    """Every mistake has a name and an explanation."""
    (copy.hidden / "chaffs/double/triples.py").write_text("x = 1")

    with pytest.raises(CourseError, match="triples.py: the file must begin with a docstring"):
        load_chaffs(copy, mini_course.exercise("double").rubric)


def test_the_digest_changes_with_every_graded_file(copy):
    """Whether a grade can have changed is decided by it."""
    before = load_course(copy).digest
    edit(copy.suite("double"), "atol=1e-6", "atol=1e-5")

    assert before != load_course(copy).digest


def test_the_digest_leaves_out_what_is_decided_after_grading(copy):
    """Moving a deadline must not make a whole class ungraded."""
    before = load_course(copy).digest
    text = copy.settings.read_text("utf-8")
    copy.settings.write_text(
        text + "deadline: 2026-03-27 23:59:00\ntimezone: Europe/Berlin\nlate: {grace_minutes: 5}\n"
    )

    moved = load_course(copy)

    assert before == moved.digest
    assert "Europe/Berlin" == moved.settings.timezone
    copy.settings.write_text(text + "submission_s: 7\n")
    assert before != load_course(copy).digest


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("timezone: Europe/Berln", "timezone: this time zone is not known; give an IANA name such as Europe/Berlin"),
        ("deadline: 2026-03-27", "deadline: give the time of day as well, such as 2026-03-27 23:59:00"),
        ("deadline: '2026-03-27'", "deadline: give the time of day as well"),
        ("late: {cut_off: 2026-03-27}", "late.cut_off: give the time of day as well"),
        ("late: {percent_per_day: 101}", "late.percent_per_day: input should be less than or equal to 100"),
        ("late: {rule: per_day}", "rule: per_day takes nothing off without percent_per_day"),
        (
            "deadline: 2026-11-20 10:00:00\nlate: {cut_off: 2026-11-19 10:00:00}",
            "from cut_off on, 2026-11-19 10:00, nothing counts, but work is due later, at 2026-11-20 10:00",
        ),
    ],
)
def test_a_deadline_that_can_be_misread_is_refused(copy, line, complaint):
    """With the file and the line."""
    copy.settings.write_text(copy.settings.read_text("utf-8") + line + "\n")

    message = refusal(copy)

    assert "rubrics/course.yaml: line " in message
    assert complaint in message


def test_what_stands_twice_is_refused(copy):
    """Otherwise the last one would count, and nobody would know."""
    edit(copy.settings, "[double, layer]", "[double, layer, double]")
    assert "double stands there 2 times; name each exercise once" in refusal(copy)
    edit(copy.settings, "[double, layer, double]", "[double, layer]")

    edit(copy.rubric("double"), "points: 4\n", "points: 4\ntitle: Another\n")
    assert "rubrics/double.yaml: line 4: the key 'title' stands there twice; delete one." == refusal(copy)
    edit(copy.rubric("double"), "points: 4\ntitle: Another\n", "points: 4\n")

    edit(copy.suite("double"), "def test_doubles_again(", "def test_doubles(")
    assert "test_doubles is defined a second time, after line 8, so the first would never run" in refusal(copy)


def test_a_check_of_many_parameters_is_refused(copy):
    """Its parts have no claim, no criterion and no points of their own."""
    edit(copy.suite("double"), "def test_doubles(", "@pytest.mark.parametrize('x', [1])\ndef test_doubles(")

    assert "test_double.py: line 8: parametrize makes several checks of one function" in refusal(copy)


def test_one_exercise_can_be_loaded_alone(copy):
    """Others may be unfinished."""
    copy.rubric("layer").unlink()

    assert ["double"] == [exercise.id for exercise in load_course(copy, ["double"]).exercises]


def test_a_folder_without_a_course_is_refused(tmp_path):
    """With what was expected there."""
    with pytest.raises(CourseError, match="expected rubrics/course.yaml"):
        open_course(tmp_path)


def test_a_combination_has_what_its_parts_have(copy, mini_course):
    """Its mistakes are told in full where each of them is told alone."""
    text = (copy.hidden / "chaffs/double/triples.py").read_text("utf-8")
    other = text.replace("loses: [values, gradients, refusal]", "loses: [values]").replace(
        "misconception: ", "misconception: x"
    )
    (copy.hidden / "chaffs/double/other.py").write_text(other)
    (copy.hidden / "chaffs/double/zwei.py").write_text('"""\ncombines: [triples, other]\n"""\n')

    chaffs = {chaff.id: chaff for chaff in load_chaffs(copy, mini_course.exercise("double").rubric)}

    both = chaffs["zwei"]
    assert ("triples", "other") == tuple(part.id for part in both.parts)
    assert f"{chaffs['triples'].misconception} + {chaffs['other'].misconception}" == both.misconception
    assert {"values", "gradients", "refusal"} == set(both.loses)


def test_a_combination_of_something_unknown_is_named(copy, mini_course):
    """With what may have been meant."""
    (copy.hidden / "chaffs/double/zwei.py").write_text('"""\ncombines: [triples, tripels]\n"""\n')

    with pytest.raises(CourseError, match="zwei.py: combines names 'tripels'.*Did you mean 'triples'"):
        load_chaffs(copy, mini_course.exercise("double").rubric)


def test_bonus_points_are_not_in_the_points_of_a_rubric(copy):
    """They come on top, so the rubric says what there is without them."""
    edit(
        copy.rubric("double"),
        "title: Refuses what makes no sense\n    points: 1",
        "title: R\n    points: 1\n    bonus: true",
    )

    assert "the criteria add up to 3 points (and 1 of bonus, which is not counted), but points says 4" in refusal(copy)

    edit(copy.rubric("double"), "points: 4\n", "points: 3\n")
    rubric = load_course(copy).exercise("double").rubric
    assert (3, 1) == (rubric.points, rubric.bonus)


def test_a_course_that_adds_up_to_something_else_is_named_with_the_fix(copy):
    """Only where it says what it should add up to, and only where all of it is loaded."""
    edit(copy.settings, "exercises:", "points: 10\nexercises:")

    assert (
        "rubrics/course.yaml: line 3: points says 10, but the exercises add up to 7 (double 4, layer 3). "
        "Add 3 in the rubrics, or write points: 7."
    ) == refusal(copy)
    assert 1 == len(load_course(copy, only=["double"]).exercises)

    edit(copy.settings, "points: 10", "points: 7")
    assert 7 == load_course(copy).settings.points
