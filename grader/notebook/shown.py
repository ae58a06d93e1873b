"""Show a report in a notebook: as HTML beside plain text, and in the words of single criteria."""

import html
import io
import textwrap
from itertools import zip_longest
from typing import Any

from grader.model.report import CriterionResult, ExerciseReport, ScoreReport
from grader.model.scoring import total_of_exercises
from grader.model.verdict import Verdict
from grader.report.finding import Look, facts_of
from grader.report.harmless import harmless_line
from grader.report.outline import standing
from grader.report.sentences import SIGNS, and_bonus, headline, points, title_of

_HEIGHT = 480
_COLUMNS = 96
"""What a notebook's page shows of a line before it has to be scrolled."""
_SILENT = frozenset({Verdict.PASSED, Verdict.SKIPPED, Verdict.NOT_ASSESSED})


class ShownReport:
    """A report that a notebook shows as HTML, and everything else as text."""

    def __init__(self, report: ScoreReport) -> None:
        self.report = report

    def __repr__(self) -> str:
        return report_text(self.report)

    def _repr_html_(self) -> str:
        return report_frame(self.report)


def report_text(report: ScoreReport) -> str:
    """Return the report as the terminal shows it, without colour."""
    from rich.console import Console

    from grader.report.terminal import render_report

    written = io.StringIO()
    render_report(report, Console(file=written, width=100, highlight=False))
    return written.getvalue().rstrip()


def report_frame(report: ScoreReport) -> str:
    """Return the report's page in a frame of its own, whose style and content cannot reach the notebook around it."""
    from grader.report.html import render_html

    page = html.escape(render_html(report), quote=True)
    style = f"width:100%;height:{_HEIGHT}px;border:1px solid #8888;border-radius:6px;resize:vertical;overflow:auto"
    return f'<iframe sandbox="" title="Report" style="{style}" srcdoc="{page}"></iframe>'


def report_data(report: ScoreReport) -> dict[str, Any]:
    """Return the report by MIME type, as notebooks keep it."""
    return {"text/html": report_frame(report), "text/plain": report_text(report)}


def criterion_text(criterion: CriterionResult) -> str:
    """Return what became of a criterion: its points, then each check that did not pass, with what is known of it."""
    verdict = standing(criterion)
    sign = f"{SIGNS[verdict].symbol} " if verdict else ""
    given = points(criterion.score, criterion.max_score) if criterion.max_score > 0 else "not judged on this machine"
    lines = [harmless_line(f"{sign}{given}: {title_of(criterion)}")]
    for check in criterion.checks:
        if check.verdict in _SILENT:
            continue
        lines.append(harmless_line(f"  {SIGNS[check.verdict].symbol} {check.title}"))
        for fact in facts_of(check):
            if len(fact.lines) == 1:
                lines += _wrapped(f"{fact.label}: {fact.lines[0]}")
                continue
            lines.append(f"    {fact.label}:")
            names = ("expected ", "got ") if fact.look is Look.COMPARISON else ()
            named = zip_longest(names, fact.lines, fillvalue="")
            lines += [f"      {name}{line}" for name, line in named]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _COLUMNS, initial_indent=" " * 4, subsequent_indent=" " * 6, break_on_hyphens=False)


def exercise_comment(report: ScoreReport, exercise: ExerciseReport) -> str:
    """Return an exercise in a few lines: what to fix next, and which criteria are lost."""
    lost = [f"- {title_of(c)} ({points(c.score, c.max_score)})" for c in exercise.criteria if c.score < c.max_score]
    own = report.model_copy(update={"exercises": (exercise,), **total_of_exercises([exercise])._asdict()})
    first = headline(own) if lost else "Full marks."
    said = [f"{points(exercise.score, exercise.max_score)}{and_bonus(exercise)}", first, "\n".join(lost)]
    # nbgrader's feedback takes a comment for Markdown, in which a learner's text must not become HTML.
    text = "\n\n".join(part for part in said if part)
    return "\n".join(harmless_line(line).replace("&", "&amp;").replace("<", "&lt;") for line in text.split("\n"))
