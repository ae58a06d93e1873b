"""Write a report as one HTML file that needs nothing else: no network, no script."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import jinja2
from markupsafe import Markup

from grader.model.picture import DrawnPicture
from grader.model.report import CheckResult, CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict
from grader.report import outline, sentences
from grader.report.finding import Look, facts_of, has_more
from grader.report.harmless import excerpt
from grader.report.svg import fit_into_page
from grader.report.templating import load_template

_OUTPUT_LINES = 200
_OUTPUT_COLUMNS = 500
_POINTS_A_REM = 10.5
"""Letters of 9 points come out a little smaller than the page's own."""
_SIGN = Markup('<span class="sign {}" aria-hidden="true">{}</span>')
_WORD = Markup('<span class="word {}">{}</span>')


def render_html(report: ScoreReport, *, grade: Sequence[str] = (), pictures: Sequence[DrawnPicture] = ()) -> str:
    """
    Return a page that reads well on a phone, in the dark, on paper and aloud.

    Whatever text the report holds is shown as text: every value that the template writes is made harmless and
    escaped, and the page's own policy forbids scripts and requests in case both should fail.

    Args:
        report: The report.
        grade: Sentences that tell how the score became a grade, where it did not stay as it was.
        pictures: What the code does, drawn in the form ``page``; those that could not be drawn are named where others
            of their exercise could.
    """
    return _template().render(
        report=report,
        grade=grade,
        pictures=_by_exercise(pictures),
        groups=outline.group_mistakes(report),
        errored=outline.group_errored(report),
        headline=sentences.headline(report),
        command=sentences.next_command(report),
        untouched=outline.is_untouched(report),
        to_begin=outline.exercise_to_work_on(report),
    )


def _by_exercise(pictures: Sequence[DrawnPicture]) -> dict[str, list[tuple[DrawnPicture, Markup]]]:
    """Return the pictures of each exercise of which at least one was drawn, each with what is put into the page."""
    fitted: dict[str, list[tuple[DrawnPicture, Markup]]] = {}
    for picture in pictures:
        fitted.setdefault(picture.exercise, []).append((picture, _fit(picture) if picture.image else Markup("")))
    return {exercise: those for exercise, those in fitted.items() if any(image for _, image in those)}


def _fit(picture: DrawnPicture) -> Markup:
    """Return the picture as wide as it was meant to be, so that letters are of one size in all of them."""
    svg = fit_into_page(picture.image, f"{picture.exercise}-{picture.claim.name}", picture.claim.title)
    found = re.match(r'<svg viewBox="\S+ \S+ ([\d.]+) ', svg)
    width = float(found[1]) / _POINTS_A_REM if found else 0.0
    return Markup('<div style="max-width: {:.1f}rem">{}</div>').format(width, Markup(svg))


@cache
def _template() -> jinja2.Template:
    return load_template(
        "report.html.j2",
        outline=outline,
        sign={verdict: _SIGN.format(verdict.value, sign.symbol) for verdict, sign in sentences.SIGNS.items()},
        word={verdict: _WORD.format(verdict.value, sign.word) for verdict, sign in sentences.SIGNS.items()},
        facts=lambda check, said: _facts(_Told(check), said),
        criterion_section=lambda criterion: _criterion_section(_ToldCriterion(criterion)),
        Verdict=Verdict,
        filter_printed=_printed,
        filter_share=_share,
    )


@cache
def _macros() -> Any:
    return load_template(
        "check.html.j2",
        sign={verdict: _SIGN.format(verdict.value, sign.symbol) for verdict, sign in sentences.SIGNS.items()},
        word={verdict: _WORD.format(verdict.value, sign.word) for verdict, sign in sentences.SIGNS.items()},
        facts_of=facts_of,
        check_item=lambda check: _check_item(_Told(check)),
        has_more=has_more,
        Look=Look,
        Verdict=Verdict,
    ).module


class _Told:
    """What a page tells of a check: all but its time. Equal for many checks of a class."""

    __slots__ = ("check", "key")

    def __init__(self, check: CheckResult) -> None:
        self.check = check
        told = (value for name, value in check.__dict__.items() if name not in ("seconds", "mismatch"))
        self.key = (*told, repr(check.mismatch))  # a mismatch holds a dictionary, which has no hash

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Told) and self.key == other.key


class _ToldCriterion:
    """What a page tells of a criterion and its checks. Equal for most of a class, who pass what they pass alike."""

    __slots__ = ("_key", "criterion")

    def __init__(self, criterion: CriterionResult) -> None:
        self.criterion = criterion
        about = (criterion.title, criterion.bonus, criterion.category, criterion.score, criterion.max_score)
        # Of a check that passed and measured nothing, a list of points tells its title alone.
        told = (_Told(check).key if has_more(check) else (check.verdict, check.title) for check in criterion.checks)
        self._key = (*about, *told)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ToldCriterion) and self._key == other._key


# Most checks of a class came out in one of few ways, and telling of them is most of the work for a page.
@lru_cache(maxsize=4000)
def _check_item(told: _Told) -> Markup:
    """Return what the list of points tells of a check."""
    said: Markup = _macros().item(told.check)
    return said


@lru_cache(maxsize=2000)
def _criterion_section(told: _ToldCriterion) -> Markup:
    """Return what is told of a criterion."""
    said: Markup = _macros().criterion_section(told.criterion)
    return said


@lru_cache(maxsize=1000)
def _facts(told: _Told, already: str) -> Markup:
    """Return what is told of a check that speaks for others, after what the reader has already read."""
    said: Markup = _macros().facts(told.check, already)
    return said


def _printed(output: str) -> str:
    return excerpt(output, _OUTPUT_LINES, _OUTPUT_COLUMNS).text


def _share(part: ScoreReport | ExerciseReport | CriterionResult) -> str:
    """Return how much of the points is earned, as a width."""
    if part.max_score <= 0:
        return "0%"
    return f"{100 * min(max(part.score / part.max_score, 0.0), 1.0):.1f}%"
