"""Write a report as one HTML file that needs nothing else: no network, no script."""

from collections.abc import Sequence
from functools import cache

import jinja2
from markupsafe import Markup

from grader.model.report import CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict
from grader.report import outline, sentences
from grader.report.finding import Look, facts_of, has_more
from grader.report.harmless import excerpt
from grader.report.templating import load_template

_OUTPUT_LINES = 200
_OUTPUT_COLUMNS = 500
_SIGN = Markup('<span class="sign {}" aria-hidden="true">{}</span>')
_WORD = Markup('<span class="word {}">{}</span>')


def render_html(report: ScoreReport, *, grade: Sequence[str] = ()) -> str:
    """
    Return a page that reads well on a phone, in the dark, on paper and aloud.

    Whatever text the report holds is shown as text: every value that the template writes is made harmless and
    escaped, and the page's own policy forbids scripts and requests in case both should fail.

    Args:
        report: The report.
        grade: Sentences that tell how the score became a grade, where it did not stay as it was.
    """
    return _template().render(
        report=report,
        grade=grade,
        groups=outline.group_mistakes(report),
        errored=outline.group_errored(report),
        headline=sentences.headline(report),
        command=sentences.next_command(report),
        untouched=outline.is_untouched(report),
        to_begin=outline.exercise_to_work_on(report),
    )


@cache
def _template() -> jinja2.Template:
    return load_template(
        "report.html.j2",
        outline=outline,
        sign={verdict: _SIGN.format(verdict.value, sign.symbol) for verdict, sign in sentences.SIGNS.items()},
        word={verdict: _WORD.format(verdict.value, sign.word) for verdict, sign in sentences.SIGNS.items()},
        facts_of=facts_of,
        has_more=has_more,
        Look=Look,
        Verdict=Verdict,
        filter_printed=_printed,
        filter_share=_share,
    )


def _printed(output: str) -> str:
    return excerpt(output, _OUTPUT_LINES, _OUTPUT_COLUMNS).text


def _share(part: ScoreReport | ExerciseReport | CriterionResult) -> str:
    """Return how much of the points is earned, as a width."""
    if part.max_score <= 0:
        return "0%"
    return f"{100 * min(max(part.score / part.max_score, 0.0), 1.0):.1f}%"
