"""Show a proof as a table."""

from rich.table import Table

from grader.authoring.course import CourseProof
from grader.authoring.prove import ExerciseProof


def proof_table(proof: CourseProof) -> Table:
    """Return one row for each exercise, and the seeds in the title; it fits into 80 columns."""
    title = f"Right code: {proof.seeds} seed(s). Wrong code: {proof.chaff_seeds}."
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("exercise")
    headings = ["checks", "wheats", "chaffs", "named", "twins\nnamed", "hollow"]
    if proof.with_mutants:
        headings += ["mutants", "killed", "equi-\nvalent"]
    for heading in (*headings, "faults"):
        table.add_column(heading, justify="right")
    for row in proof.exercises:
        table.add_row(row.exercise, *_cells(row))
    return table


def _cells(row: ExerciseProof) -> tuple[str, ...]:
    mutants = row.mutants
    return (
        str(row.checks),
        f"{row.wheats_accepted}/{row.wheats}",
        f"{row.chaffs_rejected}/{row.chaffs}",
        f"{row.chaffs_named}/{row.chaffs}",
        f"{row.twins_named}/{row.twins}" if row.twins else "–",
        f"{row.hollow_refused}/{row.hollow}",
        *((str(mutants.total), str(mutants.killed), str(mutants.equivalent)) if mutants else ()),
        str(len(row.problems)),
    )
