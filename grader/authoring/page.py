"""Write a proof as a page for readers who want to know what a verdict is worth."""

from collections.abc import Iterator

from grader.authoring.course import CourseProof
from grader.authoring.prove import ExerciseProof, Tally

_COLUMNS = (
    ("checks", "claims of the hidden suite that a submission is tested for"),
    ("wheats", "right implementations in unusual forms that got full marks on every seed, of those tried"),
    ("chaffs", "wrong implementations, one realistic mistake each, that lost exactly the criteria that they should"),
    ("named", "chaffs whose mistake the feedback called by its name, and by no other"),
    ("twins", "the same mistakes in another style that lost exactly what they should"),
    ("twins named", "twins whose mistake was called by its name, and by no other"),
    (
        "hollow",
        "answers without work (zeros, ones, uniform, random, the input itself) of the right shape that passed no check",
    ),
    (
        "mutants",
        "solutions with one small thing changed by mutmut that lost points, of those that are not equivalent: an "
        "equivalent one does what the solution does, and the reason is written down in `tests/hidden/mutants/`",
    ),
    ("equivalent", "mutants that are equivalent; they are not among the ones before"),
)


def proof_page(proof: CourseProof) -> str:
    """Return the page as Markdown, of nothing but what was tried."""
    return "\n".join(_lines(proof)) + "\n"


def _lines(proof: CourseProof) -> Iterator[str]:
    environment = next((row.environment for row in proof.exercises if row.environment), None)
    yield "# What was proved of this course"
    yield ""
    yield "`grade course check` wrote this page; nobody typed a number of it."
    yield ""
    yield f"- Course: {proof.course.settings.title}, digest `{proof.course.digest[:16]}`."
    if environment:
        yield (
            f"- Graded with: attention-dojo {environment.kit}, torch {environment.torch}, Python {environment.python}, "
            f"{environment.platform}."
        )
    yield f"- Seeds, each of which draws other sizes and numbers: {_seeds(proof)}."
    if proof.partial:
        yield f"- Only a part of the course was tried: {', '.join(row.exercise for row in proof.exercises)}."
    left_out = [what for what, tried in (("twins", proof.with_twins), ("mutants", proof.with_mutants)) if not tried]
    if left_out:
        yield f"- Not tried: {' and '.join(left_out)}."
    yield ""
    yield from _table(proof)
    yield ""
    for row in proof.exercises:
        if row.questions:
            yield (
                f"{row.exercise} asks {row.questions} questions. Of {row.wrong_answers} known wrong answers to them, "
                f"{row.wrong_answers_named} lost just their own check and were called by name."
            )
            yield ""
    yield "What the columns mean:"
    yield ""
    for name, meaning in _COLUMNS:
        yield f"- **{name}**: {meaning}."
    yield ""
    yield "The untouched stubs were graded as well: had one earned a point, a problem below would say so."
    yield ""
    yield "## Chance"
    yield ""
    yield from _chance(proof)
    yield ""
    yield "## Problems"
    yield ""
    problems = list(proof.all_problems())
    yield from (f"- {problem}" for problem in problems) if problems else ("None was found.",)


def _seeds(proof: CourseProof) -> str:
    mutants = ", mutants on 1 seed, and on 3 before one counts as a survivor" if proof.with_mutants else ""
    return f"right code was graded on {_count(proof.seeds)}, wrong code on {_count(proof.chaff_seeds)}{mutants}"


def _count(seeds: int) -> str:
    return "1 seed" if seeds == 1 else f"{seeds} seeds"


def _table(proof: CourseProof) -> Iterator[str]:
    yield f"| exercise | {' | '.join(name for name, _ in _COLUMNS)} |"
    yield f"|---{'|--:' * len(_COLUMNS)}|"
    for row in proof.exercises:
        yield f"| {row.exercise} | {' | '.join(_cells(row))} |"


def _cells(row: ExerciseProof) -> tuple[str, ...]:
    mutants = row.mutants
    return (
        str(row.checks),
        f"{row.wheats_accepted} of {row.wheats}",
        f"{row.chaffs_rejected} of {row.chaffs}",
        f"{row.chaffs_named} of {row.chaffs}",
        *((f"{row.twins_rejected} of {row.twins}", f"{row.twins_named} of {row.twins}") if row.twins else ("–", "–")),
        f"{row.hollow_refused} of {row.hollow}",
        *(
            (f"{mutants.killed} of {mutants.total - mutants.equivalent}", str(mutants.equivalent))
            if mutants
            else ("–", "–")
        ),
    )


def _chance(proof: CourseProof) -> Iterator[str]:
    right = Tally.sum(row.right_code for row in proof.exercises)
    wrong = Tally.sum(row.wrong_code for row in proof.exercises)
    yield f"- Right code (solutions and wheats) was graded {right.gradings:,} times: {right.wrong} false rejections."
    yield (
        f"- Wrong code (chaffs and twins) was graded {wrong.gradings:,} times: {wrong.wrong} times it lost "
        "anything but exactly the criteria that it names."
    )
