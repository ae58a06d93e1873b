"""Load a course from its trees, or say everything that is inconsistent in it."""

import hashlib
from collections.abc import Collection, Iterable, Sequence

from grader.course.questions import load_questions, question_problems
from grader.course.source import (
    Combination,
    SuiteCheck,
    parse_python,
    picture_claims,
    promised_names,
    read_chaff,
    suite_checks,
)
from grader.course.trees import CourseTrees
from grader.course.yaml_source import locate_nodes, read_yaml
from grader.model.course import DECIDED_AFTER_GRADING, Chaff, Course, CourseSettings, Exercise
from grader.model.errors import CourseError, did_you_mean
from grader.model.picture import PictureClaim
from grader.model.rubric import Rubric


def load_course(trees: CourseTrees, only: Collection[str] = ()) -> Course:
    """
    Return the course.

    Args:
        trees: Its files.
        only: Exercises to load, in any order; all if empty. The others need not be sound, or even be there.

    Raises:
        CourseError: A line for each inconsistency: file, line, expected, found, what to do.
    """
    settings = read_yaml(trees.settings, CourseSettings, "rubrics/course.yaml")
    problems: list[str] = []
    exercises = []
    for unknown in sorted(set(only) - set(settings.exercises)):
        known = ", ".join(settings.exercises)
        problems.append(
            f"{unknown!r} is no exercise of this course.{did_you_mean(unknown, settings.exercises)} It has: {known}."
        )
    for index, exercise_id in enumerate(settings.exercises):
        if only and exercise_id not in only:
            continue
        try:
            exercises.append(_load_exercise(trees, exercise_id, settings.exercises[:index], settings.exercises))
        except CourseError as error:
            problems.append(str(error))
    if not only and not problems:
        problems += _points_problems(trees, settings, exercises)
    if problems:
        raise CourseError("\n".join(problems))
    return Course(settings=settings, exercises=tuple(exercises), digest=digest_course(trees, settings))


def load_chaffs(trees: CourseTrees, rubric: Rubric) -> tuple[Chaff, ...]:
    """
    Return the known mistakes of an exercise.

    They are read apart from the course, because a run in which everything passes needs none of them.

    Raises:
        CourseError: A line for each chaff that does not say what it should.
    """
    problems: list[str] = []
    chaffs: list[Chaff] = []
    combinations: dict[str, Combination] = {}
    for path in trees.chaffs(rubric.exercise):
        try:
            read = read_chaff(path, _chaff_shown(rubric, path.stem))
        except CourseError as error:
            problems.append(str(error))
        else:
            if isinstance(read, Combination):
                combinations[path.stem] = read
            else:
                chaffs.append(read)
    problems += _chaff_problems(rubric, chaffs)
    single = {chaff.id: chaff for chaff in chaffs}
    for name, combination in combinations.items():
        unknown = [part for part in combination.combines if part not in single]
        for part in unknown:
            problems.append(
                f"{_chaff_shown(rubric, name)}: combines names {part!r}, which is no single mistake of this exercise."
                + did_you_mean(part, single)
            )
        if not unknown:
            chaffs.append(_combine(name, [single[part] for part in combination.combines], rubric))
    if problems:
        raise CourseError("\n".join(problems))
    return tuple(chaffs)


def load_pictures(trees: CourseTrees, exercise_id: str) -> list[PictureClaim]:
    """Return what an exercise's pictures show, in their order; `CourseError` if one does not say it."""
    path = trees.pictures(exercise_id)
    shown = f"pictures/{path.name}"
    return picture_claims(parse_python(path, shown), shown) if path.is_file() else []


def _combine(name: str, parts: Sequence[Chaff], rubric: Rubric) -> Chaff:
    """Return what is known of code that makes several mistakes at once: it loses all that they lose."""
    lost = {criterion for part in parts for criterion in part.loses}
    return Chaff(
        id=name,
        misconception=" + ".join(part.misconception for part in parts),
        explanation=" ".join(part.explanation for part in parts),
        look_at=" ".join(part.look_at for part in parts),
        loses=tuple(criterion.id for criterion in rubric.criteria if criterion.id in lost),
        parts=tuple(parts),
    )


def _chaff_shown(rubric: Rubric, name: str) -> str:
    return f"tests/hidden/chaffs/{rubric.exercise}/{name}.py"


def digest_course(trees: CourseTrees, settings: CourseSettings) -> str:
    """
    Return the SHA-256 over every file that can change a report, and its place.

    Of the settings only those count that can: moving a deadline must not make a class's work ungraded.
    """
    digest = hashlib.sha256()
    for path in trees.graded_files():
        content = path.read_bytes()
        if path == trees.settings:
            content = settings.model_dump_json(exclude=set(DECIDED_AFTER_GRADING)).encode()
        name = path.relative_to(trees.root).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def digest_verdicts(trees: CourseTrees, course: Course) -> str:
    """
    Return the SHA-256 over what decides verdicts, as far as it can be told: everything but points, titles and hints.

    Two courses that agree in it can score each other's verdicts.
    """
    digest = hashlib.sha256()
    for path in trees.graded_files():
        if path.parent != trees.settings.parent:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(trees.root).as_posix()}\0{len(content)}\0".encode() + content)
    for exercise in course.exercises:
        digest.update(exercise.rubric.model_dump_json(include={"exercise", "builds_on", "forbids", "limits"}).encode())
    return digest.hexdigest()


def _load_exercise(trees: CourseTrees, exercise_id: str, earlier: tuple[str, ...], known: tuple[str, ...]) -> Exercise:
    shown = f"rubrics/{exercise_id}.yaml"
    rubric = read_yaml(trees.rubric(exercise_id), Rubric, shown)
    promises = promised_names(parse_python(trees.stub(exercise_id), f"exercises/{exercise_id}.py"))
    parse_python(trees.solution(exercise_id), f"solutions/{exercise_id}.py")
    suite_shown = f"tests/hidden/test_{exercise_id}.py"
    checks = suite_checks(parse_python(trees.suite(exercise_id), suite_shown), suite_shown)
    text = trees.rubric(exercise_id).read_text(encoding="utf-8")
    problems = [
        *question_problems(exercise_id, load_questions(trees, exercise_id), [check.claim.id for check in checks]),
        *_rubric_problems(rubric, exercise_id, earlier, known, trees),
        *_check_problems(rubric, checks, text, suite_shown),
    ]
    if not promises:
        problems.append(
            f"exercises/{exercise_id}.py: defines no public function or class, so there is nothing to grade."
        )
    if problems:
        raise CourseError("\n".join(problems))
    return Exercise(
        id=exercise_id,
        rubric=rubric,
        promises=promises,
        claims={check.claim.id: check.claim for check in checks},
        has_stand_in=trees.stand_in(exercise_id).is_file(),
        has_questions=trees.questions(exercise_id).is_file(),
    )


def _points_problems(trees: CourseTrees, settings: CourseSettings, exercises: Sequence[Exercise]) -> Iterable[str]:
    found = sum(exercise.rubric.points for exercise in exercises)
    if settings.points is None or abs(found - settings.points) < 1e-9:
        return
    line = locate_nodes(trees.settings.read_text(encoding="utf-8"))[("points",)] + 1
    parts = ", ".join(f"{exercise.id} {exercise.rubric.points:g}" for exercise in exercises)
    more = settings.points - found
    yield (
        f"rubrics/course.yaml: line {line}: points says {settings.points:g}, but the exercises add up to {found:g} "
        f"({parts}). {'Add' if more > 0 else 'Take off'} {abs(more):g} in the rubrics, or write points: {found:g}."
    )


def _rubric_problems(
    rubric: Rubric, exercise_id: str, earlier: tuple[str, ...], known: tuple[str, ...], trees: CourseTrees
) -> Iterable[str]:
    shown = f"rubrics/{exercise_id}.yaml"
    if rubric.exercise != exercise_id:
        yield f"{shown}: exercise says {rubric.exercise!r}, but the file is named after {exercise_id!r}."
    for other in rubric.builds_on:
        if other not in known:
            advice = did_you_mean(other, known)
            yield f"{shown}: builds_on names {other!r}, which is no exercise of this course.{advice}"
        elif other not in earlier:
            # Each exercise may build on earlier ones only, so a cycle always has a link that points forward.
            yield (
                f"{shown}: builds_on names {other!r}, which is not taught before {exercise_id!r}: that makes a cycle "
                "or an impossible order. Move it in rubrics/course.yaml, or drop the dependency."
            )
        elif not trees.stand_in(other).is_file():
            yield f"tests/hidden/wheats/{other}/stand_in.py: missing, but {exercise_id!r} builds on {other!r}."


def _check_problems(rubric: Rubric, checks: list[SuiteCheck], text: str, suite_shown: str) -> Iterable[str]:
    shown = f"rubrics/{rubric.exercise}.yaml"
    defined = [check.claim.id for check in checks]
    lines = locate_nodes(text)
    for index, criterion in enumerate(rubric.criteria):
        for position, check in enumerate(criterion.checks):
            if check not in defined:
                line = lines.get(("criteria", index, "checks", position), 0) + 1
                yield (
                    f"{shown}: line {line}: criterion {criterion.id!r} names the check {check!r}, "
                    f"but {suite_shown} has no test_{check}.{did_you_mean(check, defined)}"
                )
    for test in checks:
        if test.claim.id not in rubric.checks:
            yield (
                f"{suite_shown}: line {test.line}: the check {test.claim.id!r} is in no criterion of {shown}, "
                "so it could not cost anything. Name it there."
            )
    before: list[str] = []
    for test in checks:
        for other in test.depends_on:
            if other not in before:
                yield (
                    f"{suite_shown}: line {test.line}: {test.claim.id!r} depends on {other!r}, "
                    f"which is no earlier check of this suite.{did_you_mean(other, before)}"
                )
        before.append(test.claim.id)


def _chaff_problems(rubric: Rubric, chaffs: Iterable[Chaff]) -> Iterable[str]:
    criteria = [criterion.id for criterion in rubric.criteria]
    for chaff in chaffs:
        for lost in chaff.loses:
            if lost not in criteria:
                yield (
                    f"{_chaff_shown(rubric, chaff.id)}: loses names {lost!r}, which is no criterion "
                    f"of rubrics/{rubric.exercise}.yaml.{did_you_mean(lost, criteria)}"
                )
