"""Write a report as Markdown, for a comment, an issue or a learning platform."""

import re
from collections.abc import Sequence

from grader.model.report import CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict
from grader.report import outline, sentences
from grader.report.finding import Fact, Look, facts_of
from grader.report.harmless import excerpt, harmless_line

_OUTPUT_LINES = 40
_OUTPUT_COLUMNS = 300

# "@" and "#" would call people and link issues where comments are read; "$" begins a formula there.
_SPECIAL = re.compile(r"[\\`*_\[\]|~$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;\u200b"}
_BLOCK_START = re.compile(r"^(?:[-+=#:]|\d+[.)])")
_BACKTICKS = re.compile(r"`+")
_CODE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")


def render_markdown(report: ScoreReport, *, grade: Sequence[str] = ()) -> str:
    """
    Return the report as Markdown without raw HTML, in which no text of a learner acts as markup.

    Args:
        report: The report.
        grade: Sentences that tell how the score became a grade, where it did not stay as it was.
    """
    blocks = [
        f"# {prose(report.course.title)}: {sentences.total(report)}",
        *(["\n".join(f"- {prose(step)}" for step in grade)] if grade else []),
        f"**{prose(sentences.headline(report))}**",
        *(f"> {prose(sentence)}" for sentence in sentences.incomplete_sentences(report)),
        *_finding_blocks(report),
        *_points_blocks(report),
        *_printed_blocks(report),
        *_remark_blocks(report),
        f"Type next: {code(sentences.next_command(report))}",
    ]
    level = sentences.level_sentence(report)
    if level:
        blocks.append(prose(level))
    blocks.append(f"*{prose(sentences.stamp(report))}*")
    return "\n\n".join(blocks) + "\n"


def prose(text: str) -> str:
    """Return one line in which nothing is markup, but for code between backticks."""
    parts = _CODE.split(harmless_line(text))
    # split puts what was between backticks at the odd places.
    return "".join(code(part) if place % 2 else _escape(part, first=place == 0) for place, part in enumerate(parts))


def code(text: str) -> str:
    """Return one line of code, fenced by more backticks than stand in it."""
    line = harmless_line(text)
    fence = "`" * (_longest_run(line) + 1)
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{blank}{line}{blank}{fence}" if line else ""


def code_block(text: str) -> str:
    """Return a block of code, fenced by more backticks than stand in it."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _escape(text: str, *, first: bool) -> str:
    text = _SPECIAL.sub(lambda found: "\\" + found[0], text)
    text = re.sub(r"#(?=\d)", "#\u200b", text)
    text = re.sub(r"[&<>@]", lambda found: _ENTITIES[found[0]], text)
    # A bare address becomes a link in many places; a learner's text may name one, but not offer it to a click.
    text = re.sub(r"(?i)(?<=:)//|(?<=www)\.", lambda found: f"\u200b{found[0]}", text)
    return _BLOCK_START.sub(_escape_block_start, text) if first else text


def _escape_block_start(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\{found[0][-1]}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _finding_blocks(report: ScoreReport) -> list[str]:
    blocks = []
    groups = outline.group_mistakes(report)
    for group in groups[:1]:
        sign = sentences.SIGNS[group.speaker.verdict]
        blocks.append(f"## {sign.symbol} {prose(group.exercise.id)}: {sign.word}")
        blocks.append(f"**Claim.** {prose(group.speaker.title)}")
        for fact in facts_of(group.speaker, sentences.headline(report)):
            blocks.extend(_fact_blocks(fact))
        if group.silent:
            blocks.append(f"… {sentences.same_sentence(group.silent)}.")
    if groups[1:]:
        blocks.extend(["## Also to fix", "\n".join(_mistake_line(group) for group in groups[1:])])
    errored = outline.group_errored(report)
    if errored:
        blocks.extend(["## The grader's own fault", "\n".join(_errored_line(group) for group in errored)])
    return blocks


def _mistake_line(group: outline.Group) -> str:
    symbol = sentences.SIGNS[group.speaker.verdict].symbol
    return f"- {symbol} {prose(sentences.one_line(group.exercise, group.speaker, group.silent))}"


def _errored_line(group: outline.Group) -> str:
    sign = sentences.SIGNS[Verdict.ERRORED]
    same = f" ({sentences.same_sentence(group.silent)})" if group.silent else ""
    said = prose(
        f"{group.exercise.id}: “{sentences.bare(group.speaker.title)}”: {sentences.what_happened(group.speaker)}"
    )
    return f"- {sign.symbol} {said}{same}"


def _fact_blocks(fact: Fact) -> list[str]:
    label = f"**{prose(fact.label)}.**"
    if fact.look is Look.CODE:
        return [label, code_block("\n".join(fact.lines))]
    if fact.look is Look.COMPARISON:
        expected, got, *detail = fact.lines
        lines = [f"- expected {code(expected)}", f"- got {code(got)}", *(f"- {prose(line)}" for line in detail)]
        return [label, "\n".join(lines)]
    return [f"{label} {prose(fact.lines[0])}"]


def _points_blocks(report: ScoreReport) -> list[str]:
    if not report.exercises:
        return []
    rows = ["|  | Exercise | Points | Checks |", "|:-:|:--|--:|:--|"]
    for exercise in report.exercises:
        title = f"**{_cell(exercise.id)}**: {_cell(exercise.title)}"
        rows.append(_row(exercise, title))
        if not outline.earned_all(exercise) and outline.is_begun(exercise):
            rows.extend(_row(criterion, f"– {_cell(sentences.title_of(criterion))}") for criterion in exercise.criteria)
    return ["## Points", "\n".join(rows)]


def _row(part: ExerciseReport | CriterionResult, title: str) -> str:
    verdict = outline.standing(part)
    symbol = sentences.SIGNS[verdict].symbol if verdict else ""
    said = "full marks" if outline.earned_all(part) else sentences.tally(part)
    return f"| {symbol} | {title} | {sentences.earned(part)} | {said} |"


def _cell(text: str) -> str:
    # A table looks for its bars before it looks for code: there, code is not kept apart.
    return _escape(harmless_line(text), first=False)


def _printed_blocks(report: ScoreReport) -> list[str]:
    blocks = []
    for exercise in report.exercises:
        if exercise.output or exercise.output_dropped:
            blocks.append(f"## {prose(sentences.printed_title(exercise).rstrip(':'))}")
        if exercise.output:
            blocks.append(code_block(excerpt(exercise.output, _OUTPUT_LINES, _OUTPUT_COLUMNS).text))
        if exercise.output_dropped:
            blocks.append(sentences.dropped_sentence(exercise))
    return blocks


def _remark_blocks(report: ScoreReport) -> list[str]:
    notes = [*report.notes, *(f"{exercise.id}: {note}" for exercise in report.exercises for note in exercise.notes)]
    blocks = []
    if notes:
        blocks.extend(["## Notes", "\n".join(f"- {prose(note)}" for note in notes)])
    if report.flags:
        flags = "\n".join(f"- {prose(flag.message)} ({prose(flag.id)})" for flag in report.flags)
        blocks.extend(["## For a person to look at", "This changes no points.", flags])
    return blocks
