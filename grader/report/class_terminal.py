"""Show a class at a glance in a terminal."""

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.model.class_summary import ClassSummary, ScoreDistribution
from grader.report import class_words
from grader.report.class_words import ClassTitles
from grader.report.harmless import encodable, harmless_line, shorten
from grader.report.sentences import count, number

if TYPE_CHECKING:
    from rich.console import Console

_MISTAKES = 8
_HARDEST = 8
_NAMES = 6
_BAR = 30


def render_class_summary(summary: ClassSummary, titles: ClassTitles, console: "Console") -> None:
    """Print counts, scores, the mistakes that most make, the hardest criteria and whom to look at."""
    screen = _Screen(console)
    screen.line(class_words.counts_sentence(summary), "bold")
    screen.line(class_words.scores_sentence(summary))
    if summary.scores:
        _show_scores(screen, summary.scores)
    _show_mistakes(screen, summary, titles)
    _show_criteria(screen, summary, titles)
    _show_look(screen, summary)


class _Screen:
    """Prints text that a learner or a course may have written, with nothing in it that acts as markup."""

    def __init__(self, console: "Console"):
        self.console = console

    def text(self, said: str, style: str = "") -> Text:
        return Text(encodable(harmless_line(said), self.console.encoding), style)

    def line(self, said: str = "", style: str = "") -> None:
        self.console.print(self.text(said, style))

    def heading(self, said: str) -> None:
        self.console.print()
        self.line(said, "bold")


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    for title, justify in columns:
        table.add_column(title, justify="right" if justify == "right" else "left", no_wrap=justify == "right")
    return table


def _show_scores(screen: _Screen, scores: ScoreDistribution) -> None:
    full = "#" if screen.console.encoding.lower().replace("-", "") not in ("utf8", "utf16") else "█"
    most = max(scores.bars)
    table = _table(("points", "right"), ("students", "right"), ("", "left"))
    # Two bars of the page in one, so that the whole fits on a screen.
    for place in range(0, len(scores.bars), 2):
        students = sum(scores.bars[place : place + 2])
        width = round(_BAR * students / max(2 * most, 1))
        last = place + 2 >= len(scores.bars)
        span = f"{number(scores.edges[place])} to {'' if last else 'under '}{number(scores.edges[place + 2])}"
        table.add_row(span, f"{students:,}", full * max(width, 1 if students else 0))
    screen.console.print()
    screen.console.print(table)


def _show_mistakes(screen: _Screen, summary: ClassSummary, titles: ClassTitles) -> None:
    if not summary.misconceptions:
        return
    screen.heading("What to talk about: mistakes that many make")
    table = _table(("students", "right"), ("share", "right"), ("mistake", "left"))
    for held in summary.misconceptions[:_MISTAKES]:
        said = titles.misconceptions.get((held.exercise, held.misconception))
        explanation = said.explanation if said else held.misconception.replace("_", " ")
        words = screen.text(f"{held.exercise}: {shorten(explanation, 300)}")
        table.add_row(f"{held.students:,}", class_words.percent(held.share), words)
    screen.console.print(table)
    rarer = len(summary.misconceptions) - _MISTAKES
    if rarer > 0:
        screen.line(f"… and {count(rarer, 'rarer mistake')}.", "dim")


def _show_criteria(screen: _Screen, summary: ClassSummary, titles: ClassTitles) -> None:
    if not summary.criteria:
        return
    screen.heading("Exercises and the hardest criteria")
    table = _table(("mean share", "right"), ("discrimination", "right"), ("", "left"))
    for exercise in summary.exercises:
        name = titles.exercises.get(exercise.exercise, exercise.exercise)
        table.add_row(class_words.percent(exercise.mean_share), "", screen.text(f"{exercise.exercise}: {name}", "bold"))
    hardest = sorted(summary.criteria, key=lambda criterion: criterion.mean_share)[:_HARDEST]
    review = [criterion for criterion in summary.criteria if class_words.needs_review(criterion)]
    for criterion in [*hardest, *(each for each in review if each not in hardest)]:
        name = titles.criteria.get((criterion.exercise, criterion.criterion), criterion.criterion)
        tells = "–" if criterion.discrimination is None else f"{criterion.discrimination:.2f}"
        style = "yellow" if criterion in review else ""
        doubt = " (hardly tells strong from weak students)" if criterion in review else ""
        table.add_row(
            class_words.percent(criterion.mean_share),
            screen.text(tells, style),
            screen.text(f"{criterion.exercise}.{criterion.criterion}: {name}{doubt}", style),
        )
    screen.console.print(table)


def _show_look(screen: _Screen, summary: ClassSummary) -> None:
    if not summary.look:
        return
    screen.heading("Students to look at")
    for group in summary.look:
        names = [student.name or student.id for student in group.students[:_NAMES]]
        more = len(group.students) - len(names)
        shown = ", ".join(shorten(harmless_line(name), 40) for name in names) + (f" and {more:,} more" if more else "")
        reason = f"{class_words.reason_words(group.reason)}: {count(len(group.students), 'student')}"
        screen.line(f"{reason} ({shown})")
