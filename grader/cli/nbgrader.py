"""``grade nbgrader``: for courses that are run with nbgrader."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import course_option, open_course_option

if TYPE_CHECKING:
    from grader.gradebooks.nbgrader import Target
    from grader.grading.store import Run, Store


@click.group("nbgrader")
def nbgrader_group() -> None:
    """Hand out a course with nbgrader. Needs nbgrader, which the extra of this name brings.

    Grading is `nbgrader autograde` or, faster and for any hand-in, `grade batch --nbgrader`.
    """


@nbgrader_group.command("source", epilog="Example: grade nbgrader source . && nbgrader generate_assignment attention")
@click.argument("course_dir", type=click.Path(file_okay=False, path_type=Path))
@click.option("--assignment", metavar="NAME", help="What nbgrader calls it; the course's id if not given.")
@click.option("--only", multiple=True, metavar="EXERCISE", help="Write this exercise alone. Repeatable.")
@course_option
def source_command(course_dir: Path, assignment: str | None, only: tuple[str, ...], course_root: Path | None) -> None:
    """Write source/ASSIGNMENT/COURSE.ipynb into COURSE_DIR, and nbgrader_config.py if there is none.

    The notebook is made from the stubs, the solutions and the rubrics: it is never edited, and is the same each time.
    """
    from grader.course.load import load_course
    from grader.notebook.configure import config_lines, write_config
    from grader.notebook.missing import import_nbgrader
    from grader.notebook.source import build_source
    from grader.report.atomic import write_atomically

    import_nbgrader("nbgrader")
    trees = open_course_option(course_root)
    course = load_course(trees)
    if only:
        from grader.cli.options import check_exercise

        course = load_course(trees, [check_exercise(name, course.settings.exercises) for name in only])
    name = assignment or course.settings.id
    if not name.replace("_", "").replace("-", "").isalnum():
        raise click.BadParameter(f"{name!r}: letters, digits, - and _ make a name that nbgrader takes.")
    path = course_dir / "source" / name / f"{course.settings.id}.ipynb"
    write_atomically(path, build_source(trees, course))
    click.echo(f"Wrote {path}.")
    config = course_dir / "nbgrader_config.py"
    lines = config_lines(course.settings.id, course_root.resolve() if course_root else None)
    if write_config(config, lines):
        click.echo(f"Wrote {config}.")
    elif "grader.notebook" not in config.read_text("utf-8", "replace"):
        click.echo(f"{config} is yours and stays as it is. So that `nbgrader autograde` grades safely, add to it:")
        click.echo("\n".join(f"    {line}" for line in lines if "configure" in line))
    click.echo(f"Next, in {course_dir}: nbgrader generate_assignment {name}")


def write_gradebook(target: "Target", store: "Store", run: "Run") -> None:
    """Write a run into nbgrader's gradebook, and say what a teacher should know of each student."""
    from grader.gradebooks.nbgrader import write_feedback, write_results
    from grader.notebook.submitted import read_submitted
    from grader.report.sentences import count

    settings = run.course.settings
    results = (outgoing for result in store.results(run) if (outgoing := result.student_result()) is not None)
    written = []
    for student in write_results(
        target, results, settings.feedback, read_submitted, has_deadline=settings.deadline is not None
    ):
        for note in student.notes:
            click.echo(f"{student.student}: {note}")
        if student.notes != ("handed in nothing",):
            written.append(student.student)
    for problem in write_feedback(target, written):
        click.echo(problem)
    click.echo(f"Wrote {count(len(written), 'student')} into {target.course_dir}: gradebook, autograded and feedback.")
