"""``grade similarity``: pairs of submissions that are more alike than the exercises explain."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import course_option, open_course_option

if TYPE_CHECKING:
    from grader.course.trees import CourseTrees
    from grader.model.classroom import Classroom, Student
    from grader.model.course import Course
    from grader.model.likeness import LikenessReport, SharedSeed
    from grader.model.submission import SourceFile

_SHOWN = 30


@click.command("similarity", epilog="Example: grade similarity submissions.zip --output alike.html")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("--layout", default="auto", show_default=True, help="How SOURCE is laid out, if it is not recognised.")
@click.option(
    "--roster", type=click.Path(path_type=Path), help="CSV of the class: id, name, email, section, extension."
)
@click.option("--assignment", default="", metavar="NAME", help="Which one, where several lie beside each other.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the pairs side by side to this page."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@course_option
def similarity_command(
    source: Path,
    layout: str,
    roster: Path | None,
    assignment: str,
    output: Path | None,
    as_json: bool,
    course_root: Path | None,
) -> None:
    """List pairs in SOURCE, what a class handed in, that are more alike than the exercises explain.

    The course's own code is taken away first, and so is what many have. New names and another order hide nothing. It
    shows what is alike and proves nothing about why: talk to both before you decide anything. No code is run.
    """
    from grader.course.load import load_course
    from grader.intake.dates import read_class
    from grader.similarity.compare import compare_class

    trees = open_course_option(course_root)
    course = load_course(trees)
    exercises = course.settings.exercises
    classroom = read_class(source, course.settings, layout=layout, roster=roster, assignment=assignment)
    seeds: dict[tuple[str, int], list[Student]] = {}
    report = compare_class(_handed_in(source, classroom, course, seeds), known_code(trees, exercises))
    report = report.model_copy(update={"shared_seeds": _shared(seeds)})
    if output is not None:
        from grader.report.atomic import write_atomically
        from grader.report.similarity_page import render_similarity_page

        write_atomically(output, render_similarity_page(report))
    if as_json:
        click.echo(report.model_dump_json(indent=2))
    else:
        _tell(report)
    if output is not None:
        click.echo(f"Wrote {output}.", err=True)


def _handed_in(
    source: Path, classroom: "Classroom", course: "Course", seeds: "dict[tuple[str, int], list[Student]]"
) -> "Iterator[tuple[Student, tuple[SourceFile, ...]]]":
    """Yield what each student handed in, and note the seeds of predictions on the way."""
    from grader.course.answers import seed_in
    from grader.intake.attempts import AttemptReader

    promises = {exercise.id: exercise.promises for exercise in course.exercises}
    with AttemptReader(source, exercise_ids=course.settings.exercises, promises=promises) as reader:
        for hand_in in classroom.hand_ins:
            if hand_in.chosen is not None:
                submission = reader.read(hand_in)
                for exercise in course.exercises:
                    answers = submission.answers_for(exercise.id) if exercise.has_questions else None
                    seed = seed_in(answers.text) if answers else None
                    if seed is not None:
                        seeds.setdefault((exercise.id, seed), []).append(hand_in.student)
                yield hand_in.student, submission.files


def _shared(seeds: "dict[tuple[str, int], list[Student]]") -> "tuple[SharedSeed, ...]":
    from grader.model.likeness import SharedSeed

    return tuple(
        SharedSeed(students=tuple(students), exercise=exercise)
        for (exercise, _), students in seeds.items()
        if len(students) > 1
    )


def known_code(trees: "CourseTrees", exercises: tuple[str, ...]) -> "Iterator[SourceFile]":
    """Yield what the course itself has: code like this explains itself."""
    from grader.model.submission import Cell, SourceFile

    for exercise in exercises:
        chaffs = trees.chaffs(exercise)
        twins = [trees.twin(chaff) for chaff in chaffs]
        for path in (trees.stub(exercise), trees.solution(exercise), *trees.wheats(exercise), *chaffs, *twins):
            if path.is_file():
                yield SourceFile(path=path.name, cells=(Cell(text=path.read_text("utf-8")),))


def _tell(report: "LikenessReport") -> None:
    from grader.report.harmless import harmless_line
    from grader.report.sentences import count
    from grader.report.similarity_page import who, whom_sentence

    click.echo(whom_sentence(report))
    for group in report.groups[:_SHOWN]:
        names = ", ".join(harmless_line(who(student)) for student in group.students[:6])
        more = f" and {len(group.students) - 6} more" if len(group.students) > 6 else ""
        click.echo(f"The same in all that the exercises do not explain: {names}{more}")
    for shared in report.shared_seeds[:_SHOWN]:
        names = ", ".join(harmless_line(who(student)) for student in shared.students[:6])
        more = f" and {len(shared.students) - 6} more" if len(shared.students) > 6 else ""
        click.echo(f"Predictions with one seed, in {shared.exercise}: {names}{more}")
    for pair in report.pairs[:_SHOWN]:
        left, right = (f"{harmless_line(who(side.student))} {side.share:.0%}" for side in (pair.left, pair.right))
        click.echo(f"{pair.tokens:6,} tokens in common: {left} · {right}")
    more_pairs = len(report.pairs) - _SHOWN + report.pairs_left_out
    if more_pairs > 0:
        click.echo(f"… and {count(more_pairs, 'more pair')}.")
    for reason in report.left_out[:_SHOWN]:
        click.echo(f"Not compared: {harmless_line(reason)}.")
    if report.pairs or report.groups:
        click.echo("What is alike proves nothing about why. See the code side by side with --output, and talk to both.")
