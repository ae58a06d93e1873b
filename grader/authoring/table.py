"""Show a proof as a table."""

from rich.table import Table

from grader.authoring.course import CourseProof


def proof_table(proof: CourseProof) -> Table:
    """Return one row for each exercise, and the seeds in the title."""
    title = f"Right code on {proof.seeds} seeds, wrong code on {proof.chaff_seeds}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("exercise")
    for heading in ("checks", "wheats", "chaffs rejected", "named", "twins named", "gradings", "problems"):
        table.add_column(heading, justify="right")
    for row in proof.exercises:
        table.add_row(
            row.exercise,
            str(row.checks),
            str(row.wheats),
            f"{row.chaffs_rejected}/{row.chaffs}",
            f"{row.chaffs_named}/{row.chaffs}",
            f"{row.twins_named}/{row.twins}",
            str(row.gradings),
            str(len(row.problems)),
        )
    return table
