"""Show a report in a terminal: first what to fix next, then the rest in few lines."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from grader.model.report import CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict
from grader.report import outline, sentences
from grader.report.columns import pad, wrap
from grader.report.finding import Fact, Look, facts_of
from grader.report.harmless import encodable, excerpt, harmless_line, shorten

if TYPE_CHECKING:
    from rich.console import Console

# Colour comes on top of the symbol and the word, never instead of them.
STYLES = {
    Verdict.PASSED: "green",
    Verdict.FAILED: "bold red",
    Verdict.TODO: "blue",
    Verdict.MISSING: "bold yellow",
    Verdict.RAISED: "red",
    Verdict.TIMED_OUT: "yellow",
    Verdict.CRASHED: "bold bright_red",
    Verdict.BLOCKED: "bold magenta",
    Verdict.SKIPPED: "dim",
    Verdict.NOT_ASSESSED: "cyan",
    Verdict.ERRORED: "reverse magenta",
}

_MISTAKES_SHOWN = 12
_OBSERVATIONS_SHOWN = 6
_OUTPUT_LINES = 12
_LABEL_COLUMNS = 16
_TALLY_COLUMNS = 20
_WITH_TALLIES = 48
"""Below this many columns, the table has symbols and points only."""
_ROOMY = 72
"""From this many columns on, labels stand beside their text instead of above it."""
_WIDEST = 110
"""On a wider terminal, lines would be too long to read."""


def render_report(report: ScoreReport, console: "Console") -> None:
    """
    Print the report on a console of any width, with or without colour, in any encoding.

    The first line is the one thing to do next. A terminal that cannot show the symbols gets ASCII.
    """
    page = _Page(min(console.width, _WIDEST), console.encoding)
    page.write(sentences.headline(report), "bold")
    if outline.is_untouched(report):
        _write_how_to_begin(page, report)
    else:
        _write_findings(page, report)
    _write_points(page, report)
    _write_observations(page, report)
    _write_prints(page, report)
    _write_remarks(page, report)
    _write_end(page, report)
    # A Text, not a string: rich looks for markup, emoji codes and things to highlight in strings only.
    console.print(page.text, soft_wrap=True, end="")


def sign_of(verdict: Verdict, encoding: str) -> str:
    """Return the symbol of a verdict, or its letter in an encoding that lacks the symbols."""
    sign = sentences.SIGNS[verdict]
    return sign.symbol if has_symbols(encoding) else sign.letter


def has_symbols(encoding: str) -> bool:
    """Whether an encoding has all the symbols of verdicts."""
    try:
        "".join(sign.symbol for sign in sentences.SIGNS.values()).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class _Page:
    """A growing text that holds only what a terminal of this width and encoding can show safely."""

    def __init__(self, width: int, encoding: str) -> None:
        self.text = Text()
        self.width = width
        self.encoding = encoding
        self.signs = {verdict: sign_of(verdict, encoding) for verdict in Verdict}
        self.roomy = width >= _ROOMY

    def fit(self, text: str) -> str:
        """Return one harmless line in the terminal's encoding."""
        return encodable(harmless_line(text), self.encoding)

    def gap(self) -> None:
        self.text.append("\n")

    def row(self, *runs: tuple[str, str]) -> None:
        """Write one line of runs, each a text that fits and its style."""
        for text, style in runs:
            self.text.append(text, style or None)
        self.text.append("\n")

    def write(self, text: str, style: str = "", indent: int = 0) -> None:
        """Write a paragraph."""
        for line in wrap(self.fit(text), self.width - indent):
            self.row((" " * indent, ""), (line, style))

    def item(self, mark: str, mark_style: str, text: str, style: str = "", indent: int = 2) -> None:
        """Write a paragraph that hangs behind a mark."""
        for number, line in enumerate(wrap(self.fit(text), self.width - indent - 2)):
            front = ((" " * indent, ""), (mark, mark_style), (" ", "")) if number == 0 else ((" " * (indent + 2), ""),)
            self.row(*front, (line, style))

    def block(self, lines: Iterable[str], style: str = "", indent: int = 2, hang: int = 2) -> None:
        """Write lines that are harmless already; their own breaks and indents stay."""
        for line in lines:
            shown = encodable(line.expandtabs(4), self.encoding)
            for part in wrap(shown, self.width - indent, hang):
                self.row((" " * indent, ""), (part, style))

    def title(self, text: str) -> None:
        self.gap()
        self.write(text, "bold underline")


def _write_how_to_begin(page: _Page, report: ScoreReport) -> None:
    exercise = outline.exercise_to_work_on(report) or report.exercises[0]
    file = f"Open {exercise.source}" if exercise.source else f"Open the file for {exercise.id}"
    page.gap()
    page.write(
        f"{file}, read the task in its docstrings and put your code in place of the line that raises "
        "NotImplementedError. Then type grade check again. A stub is no mistake: points only ever come on top."
    )


def _write_findings(page: _Page, report: ScoreReport) -> None:
    groups = outline.group_mistakes(report)
    if groups:
        page.gap()
        _write_group(page, groups[0], said=sentences.headline(report))
    rest = groups[1:]
    if rest:
        page.title("Also to fix")
    for group in rest[:_MISTAKES_SHOWN]:
        verdict = group.speaker.verdict
        line = sentences.one_line(group.exercise, group.speaker, group.silent)
        page.item(page.signs[verdict], STYLES[verdict], line)
    if len(rest) > _MISTAKES_SHOWN:
        page.item("+", "", f"{sentences.count(len(rest) - _MISTAKES_SHOWN, 'more mistake')}: see the table.")
    _write_errored(page, report)


def _write_errored(page: _Page, report: ScoreReport) -> None:
    groups = outline.group_errored(report)
    if not groups:
        return
    page.title("The grader's own fault")
    for group in groups[:_MISTAKES_SHOWN]:
        same = f" ({sentences.same_sentence(group.silent)})" if group.silent else ""
        said = shorten(sentences.what_happened(group.speaker), 300)
        line = f"{group.exercise.id}: “{sentences.bare(group.speaker.title)}”: {said}{same}"
        page.item(page.signs[Verdict.ERRORED], STYLES[Verdict.ERRORED], line)
    for sentence in sentences.incomplete_sentences(report):
        page.write(sentence, "bold", indent=2)


def _write_group(page: _Page, group: outline.Group, said: str) -> None:
    check = group.speaker
    page.item(
        page.signs[check.verdict],
        STYLES[check.verdict],
        f"{group.exercise.id}: {sentences.SIGNS[check.verdict].word}",
        STYLES[check.verdict],
        indent=0,
    )
    _write_fact(page, Fact("Claim", Look.SENTENCE, (harmless_line(check.title),)))
    for fact in facts_of(check, said):
        _write_fact(page, fact)
    if group.silent:
        page.write(f"… {sentences.same_sentence(group.silent)}.", "italic", indent=2)


def _write_fact(page: _Page, fact: Fact) -> None:
    if fact.look is Look.COMPARISON:
        page.write(fact.label, "bold", indent=2)
        expected, got, *detail = fact.lines
        page.block([f"expected  {expected}"], "green", indent=4)
        page.block([f"got       {got}"], "red", indent=4)
        page.block([f"({line})" for line in detail], "dim", indent=4)
        return
    style, hang = ("cyan", 2) if fact.look is Look.CODE else ("", 0)
    if not page.roomy:
        page.write(fact.label, "bold", indent=2)
        page.block(fact.lines, style, 4, hang)
        return
    label = page.fit(fact.label)
    for line in fact.lines:
        for part in wrap(encodable(line, page.encoding), page.width - _LABEL_COLUMNS - 2, hang):
            page.row(("  ", ""), (pad(label, _LABEL_COLUMNS), "bold"), (part, style))
            label = ""


def _write_points(page: _Page, report: ScoreReport) -> None:
    if not report.exercises:
        return
    page.title(f"Points: {report.course.title}")
    names = max(cell_len(exercise.id) for exercise in report.exercises)
    rows = [row for exercise in report.exercises for row in _rows_of(page, exercise, names)]
    earned = max(len(row[3]) for row in rows)
    longest = max(row[0] + 2 + cell_len(row[2]) for row in rows)
    tallies = 2 + _TALLY_COLUMNS if page.width >= _WITH_TALLIES else 0
    titles = max(10, min(longest, page.width - 2 - earned - 2 - tallies))
    for row in rows:
        _write_row(page, row, titles, earned)


_Row = tuple[int, Verdict | None, str, str, str, int]
"""Indent, verdict, title, points, tally and how much of the title is bold, in a row of the table."""


def _rows_of(page: _Page, exercise: ExerciseReport, names: int) -> list[_Row]:
    title = exercise.title if page.roomy else ""
    name = f"{pad(exercise.id, names)}  {page.fit(title)}" if title else exercise.id
    short = outline.earned_all(exercise) or not outline.is_begun(exercise)
    # The criteria below say more than a sum of the exercise's checks would.
    said = _said_of(exercise) if short else ""
    rows: list[_Row] = [(0, outline.standing(exercise), name, sentences.earned(exercise), said, len(exercise.id))]
    if not short:
        rows.extend(
            (
                2,
                outline.standing(criterion),
                page.fit(sentences.title_of(criterion)),
                sentences.earned(criterion),
                _said_of(criterion),
                0,
            )
            for criterion in exercise.criteria
        )
    return rows


def _said_of(part: ExerciseReport | CriterionResult) -> str:
    if part.max_score <= 0:
        return sentences.SIGNS[Verdict.NOT_ASSESSED].word
    return "full marks" if outline.earned_all(part) else sentences.tally(part)


def _write_row(page: _Page, row: _Row, titles: int, earned: int) -> None:
    indent, verdict, title, points, said, bold = row
    left = wrap(title, titles - indent - 2)
    room = page.width - 2 - titles - 2 - earned - 2
    right = wrap(page.fit(said), room) if page.width >= _WITH_TALLIES else [""]
    mark, mark_style = (page.signs[verdict], STYLES[verdict]) if verdict else (" ", "")
    for number in range(max(len(left), len(right))):
        first = number == 0
        cell = left[number] if number < len(left) else ""
        note = right[number] if number < len(right) else ""
        padded = pad(cell, titles - indent - 2) if first or note else cell
        tail = f"  {points if first else '':>{earned}}" + (f"  {note}" if note else "") if first or note else ""
        loud = bold if first else 0
        front = ((" " * (2 + indent), ""), (mark if first else " ", mark_style), (" ", ""))
        page.row(*front, (padded[:loud], "bold"), (padded[loud:], ""), (tail, ""))


def _write_observations(page: _Page, report: ScoreReport) -> None:
    found = outline.find_observations(report)
    if found:
        page.title("Measured on your code")
    for exercise, check in found[:_OBSERVATIONS_SHOWN]:
        if check.observation is not None:
            measured = sentences.measured(check.observation)
            line = f"{exercise.id}: {sentences.end(check.observation.sentence)} ({measured})"
            page.item(page.signs[check.verdict], STYLES[check.verdict], line)
    if len(found) > _OBSERVATIONS_SHOWN:
        page.item("+", "", f"{len(found) - _OBSERVATIONS_SHOWN} more: see grade check --format html.")


def _write_prints(page: _Page, report: ScoreReport) -> None:
    for exercise in report.exercises:
        if not exercise.output and not exercise.output_dropped:
            continue
        page.title(sentences.printed_title(exercise))
        lines: Sequence[str] = excerpt(exercise.output, _OUTPUT_LINES, 2 * page.width).text.split("\n")
        page.block(lines if exercise.output else ())
        if exercise.output_dropped:
            page.write(sentences.dropped_sentence(exercise), "dim", indent=2)


def _write_remarks(page: _Page, report: ScoreReport) -> None:
    notes = [*report.notes, *(f"{exercise.id}: {note}" for exercise in report.exercises for note in exercise.notes)]
    if notes:
        page.title("Notes")
    for note in notes:
        page.item("-", "", note)
    if report.flags:
        page.title("For a person to look at (this changes no points)")
    for flag in report.flags:
        page.item("*", "", f"{flag.message} ({flag.id})")


def _write_end(page: _Page, report: ScoreReport) -> None:
    page.gap()
    if not outline.group_errored(report):
        for sentence in sentences.incomplete_sentences(report):
            page.write(sentence, "bold")
    level = sentences.level_sentence(report)
    if level:
        page.write(level, "dim")
    page.write(sentences.stamp(report), "dim")
    page.row(
        ("Total: ", ""),
        (page.fit(sentences.total(report)), "bold"),
        (f" (graded in {sentences.duration(report.seconds)})", ""),
    )
    command = sentences.next_command(report)
    page.row(("Next:  ", ""), (command, "bold cyan"), (f"   {sentences.what_command_does(command)}", ""))
