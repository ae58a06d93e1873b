"""Show a proof as a table."""

from rich.table import Table

from grader.authoring.course import CourseProof
from grader.authoring.prove import ExerciseProof

HEADINGS = (
    "checks",
    "wheats",
    "chaffs rejected",
    "named",
    "twins named",
    "hollow refused",
    "mutants",
    "killed",
    "equivalent",
    "gradings",
    "problems",
)


def proof_cells(row: ExerciseProof) -> tuple[str, ...]:
    """Return one text for each of `HEADINGS`; a dash for what was not tried."""
    mutants = row.mutants
    return (
        str(row.checks),
        str(row.wheats),
        f"{row.chaffs_rejected}/{row.chaffs}",
        f"{row.chaffs_named}/{row.chaffs}",
        f"{row.twins_named}/{row.twins}" if row.twins else "–",
        f"{row.hollow_refused}/{row.hollow}",
        *((str(mutants.total), str(mutants.killed), str(mutants.equivalent)) if mutants else ("–", "–", "–")),
        str(row.gradings),
        str(len(row.problems)),
    )


def proof_table(proof: CourseProof) -> Table:
    """Return one row for each exercise, and the seeds in the title."""
    title = f"Right code on {proof.seeds} seeds, wrong code on {proof.chaff_seeds}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("exercise")
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for row in proof.exercises:
        table.add_row(row.exercise, *proof_cells(row))
    return table
