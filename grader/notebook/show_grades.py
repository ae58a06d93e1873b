"""Write a report into the outputs of a notebook's locked cells, where nbgrader, its feedback and formgrader look."""

import importlib
from typing import Any

from grader.model.report import CriterionResult, ScoreReport
from grader.model.scoring import total_of_exercises
from grader.model.verdict import Verdict
from grader.notebook.released import Place, checked_in, place_of
from grader.notebook.shown import criterion_text, report_data

_UNKNOWN = "This cell is not of the exercises that were graded: a person has to decide."


def criteria_of(report: ScoreReport) -> dict[Place, CriterionResult]:
    """Return the criteria of a report by place."""
    return {
        Place(exercise.id, criterion.id): criterion for exercise in report.exercises for criterion in exercise.criteria
    }


def is_decided(criterion: CriterionResult) -> bool:
    """Whether the checks decide it: not where the grader failed, or nothing can be judged on this machine."""
    return criterion.max_score > 0 and all(check.verdict is not Verdict.ERRORED for check in criterion.checks)


def show_grades(notebook: Any, report: ScoreReport) -> None:
    """
    Replace all outputs of a notebook.

    The cell of a criterion gets what became of it and its points as the last value, which nbgrader takes for partial
    credit. The cell that checks an exercise gets its report. Nothing else was run, so nothing else has an output.
    """
    v4: Any = importlib.import_module("nbformat.v4")
    criteria = criteria_of(report)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        about = cell.metadata.get("nbgrader", {})
        grade_id = about.get("grade_id", "")
        checked = [exercise for exercise in report.exercises if exercise.id == checked_in(grade_id)]
        if checked:
            sums = total_of_exercises(checked)._asdict()
            data = report_data(report.model_copy(update={"exercises": tuple(checked), **sums}))
            cell.outputs = [v4.new_output("display_data", data=data)]
        elif about.get("grade") and not about.get("solution"):
            place = place_of(grade_id)
            criterion = criteria.get(place) if place else None
            if criterion is None:  # on standard error: nbgrader gives full points to a cell that says nothing
                cell.outputs = [v4.new_output("stream", name="stderr", text=_UNKNOWN)]
                continue
            value = {"text/plain": repr(0.0 if criterion.bonus else float(criterion.score))}
            cell.execution_count = 1
            cell.outputs = [
                v4.new_output("stream", name="stdout", text=f"{criterion_text(criterion)}\n"),
                v4.new_output("execute_result", data=value, execution_count=1),
            ]
