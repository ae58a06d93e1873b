"""``grade course``: for people who write exercises."""

from pathlib import Path

import click

from grader.cli.options import course_option, open_course_option


@click.group("course")
def course_group() -> None:
    """Prove that a course is sound; for people who write exercises."""


@course_group.command("check", epilog="Example: grade course check --only heads --seeds 3 --mutants")
@click.option("--only", multiple=True, metavar="EXERCISE", help="Prove this exercise alone. Repeatable.")
@click.option("--seeds", type=click.IntRange(1), default=20, show_default=True, help="How often right code is graded.")
@click.option("--chaff-seeds", type=click.IntRange(1), default=1, show_default=True, help="How often wrong code is.")
@click.option(
    "--mutants", is_flag=True, help="Also change one thing at a time in each solution; that must cost points."
)
@click.option(
    "--write",
    "page",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write a page that shows what was proved.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the proofs of sound exercises there, and prove again only those that have changed.",
)
@click.option("--jobs", type=click.IntRange(1), help="How many exercises at a time; as many as there are cores.")
@course_option
@click.pass_context
def check_command(
    ctx: click.Context,
    only: tuple[str, ...],
    seeds: int,
    chaff_seeds: int,
    mutants: bool,
    page: Path | None,
    keep: Path | None,
    jobs: int | None,
    course_root: Path | None,
) -> None:
    """Prove a course: stubs earn nothing, solutions and wheats everything, chaffs lose just what they name.

    Also: every known mistake is named, answers without work pass no check, every check failed for something, every
    file belongs to an exercise. Mutants need mutmut, which the extra authoring brings.
    """
    from rich.console import Console
    from rich.markup import escape

    from grader.authoring.course import prove_course
    from grader.authoring.page import proof_page
    from grader.authoring.table import proof_table

    trees = open_course_option(course_root)
    if page and not page.parent.is_dir():
        raise click.BadParameter(f"{page.parent} is no folder", param_hint="--write")
    with Console(stderr=True).status("Starting…") as status:
        proof = prove_course(
            trees,
            only,
            seeds=seeds,
            chaff_seeds=chaff_seeds,
            with_mutants=mutants,
            jobs=jobs,
            keep=keep,
            tell=lambda what: status.update(escape(what)),
        )
    Console(highlight=False).print(proof_table(proof))
    for problem in proof.all_problems():
        click.echo(f"- {problem}")
    if page:
        page.write_text(proof_page(proof), "utf-8")
        click.echo(f"Written to {page}.")
    ctx.exit(0 if proof.sound else 1)


@course_group.command("answers", epilog="Example: grade course answers concepts > solutions/concepts.yaml")
@click.argument("exercise")
@click.option("--seed", type=click.IntRange(0, 10**9 - 1), default=1, show_default=True, help="The learner's.")
@course_option
def answers_command(exercise: str, seed: int, course_root: Path | None) -> None:
    """Print the questions of EXERCISE with the right answers for a seed, as a learner would hand them in."""
    from grader.course.answers import right_answers
    from grader.course.questions import load_questions
    from grader.model.errors import SubmissionError

    trees = open_course_option(course_root)
    questions = load_questions(trees, exercise)
    if not questions:
        raise SubmissionError(f"{exercise} asks no questions: there is no tests/hidden/questions/{exercise}.py.")
    click.echo(right_answers(exercise, questions, seed).text, nl=False)
