"""Say the facts of a report in words; every renderer takes its sentences from here."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from grader.model.advice import MISTAKES, first_to_fix
from grader.model.feedback import FeedbackLevel
from grader.model.picture import DrawnPicture
from grader.model.report import (
    CheckResult,
    CriterionResult,
    ExerciseReport,
    Isolation,
    Mismatch,
    Observation,
    ScoreReport,
)
from grader.model.submission import LearnerFrame
from grader.model.verdict import Verdict
from grader.report.outline import exercise_to_work_on, first_open, group_errored, is_untouched, overall_verdict


class Sign(NamedTuple):
    """How a verdict looks: no two share a symbol, a letter or a word, so that colour is never needed."""

    symbol: str
    """One column wide on a terminal."""
    letter: str
    """Instead of the symbol where only ASCII can be shown."""
    word: str
    sentence: str
    """What happened, where the report says no more."""


SIGNS: Mapping[Verdict, Sign] = {
    Verdict.PASSED: Sign("✓", "+", "passed", "The claim holds for your code."),
    Verdict.FAILED: Sign("✗", "x", "wrong answer", "Your code gives a wrong answer."),
    Verdict.TODO: Sign("○", "o", "not begun", "Your code is still the stub."),
    Verdict.MISSING: Sign("?", "?", "missing", "A name that the exercise promises is not there."),
    Verdict.RAISED: Sign("!", "!", "exception", "Your code raised an exception."),
    Verdict.TIMED_OUT: Sign("◷", "T", "too slow", "Your code took longer than it may."),
    Verdict.CRASHED: Sign("↯", "#", "crashed", "The process that ran your code died."),
    Verdict.BLOCKED: Sign("⊘", "@", "not allowed", "Your code uses what the exercise asks you to write yourself."),
    Verdict.SKIPPED: Sign("↷", ">", "skipped", "Not run, because a check that it depends on did not pass."),
    Verdict.NOT_ASSESSED: Sign("–", "-", "not judged here", "This machine cannot judge it, so it counts for nothing."),
    Verdict.ERRORED: Sign("⚙", "E", "grader's fault", "The grader failed here; your code is not to blame."),
}

# What readers call the place along an axis. An axis that is not listed keeps its own name.
_AXIS_WORDS = {
    "batch": "batch",
    "num_heads": "head",
    "seq_q": "query",
    "seq_k": "key",
    "seq_len": "position",
    "max_len": "position",
    "d_model": "feature",
    "d_k": "feature",
    "d_v": "feature",
}

_SHAPE_LIKE = {
    "type": "is of the wrong type",
    "shape": "has the wrong shape",
    "dtype": "has the wrong dtype",
    "device": "is on the wrong device",
    "nan": "is not finite",
    "value": "is wrong",
}

# A first line longer than this is no longer taken in at a glance.
_HEADLINE_COLUMNS = 200
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z`])")


def count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 check``, ``2 checks``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def number(value: float) -> str:
    """Return a number of points without needless digits: ``7``, ``7.5``, ``0.33``."""
    return f"{round(value, 2):,.2f}".rstrip("0").rstrip(".")


def points(score: float, max_score: float) -> str:
    """Return ``7 of 20 points``; where nothing could be judged, say that instead."""
    if max_score <= 0:
        return "not judged here"
    return f"{number(score)} of {number(max_score)} {'point' if max_score == 1 else 'points'}"


def earned(part: CriterionResult | ExerciseReport) -> str:
    """Return ``7 of 8``, with the bonus, if there is one, apart; empty where nothing could be judged."""
    said = f"{number(part.score)} of {number(part.max_score)}" if part.max_score > 0 else ""
    return f"{said}{and_bonus(part)}"


def and_bonus(part: CriterionResult | ExerciseReport | ScoreReport) -> str:
    """Return ``, bonus 1 of 2`` for what can earn a bonus, else nothing."""
    return "" if isinstance(part, CriterionResult) else bonus_of(part.bonus, part.max_bonus)


def bonus_of(bonus: float, max_bonus: float) -> str:
    """Return ``, bonus 1 of 2``; nothing where there is none to earn."""
    return f", bonus {number(bonus)} of {number(max_bonus)}" if max_bonus > 0 else ""


def title_of(criterion: CriterionResult) -> str:
    """Return the criterion's title, which says whether it is a bonus."""
    return f"Bonus: {criterion.title}" if criterion.bonus else criterion.title


def duration(seconds: float) -> str:
    """Return a time that a person can take in: ``4 ms``, ``0.3 s``, ``12 s``, ``2 min 5 s``."""
    if seconds < 0.0995:
        return f"{max(seconds, 0.0) * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"


def index_words(index: Mapping[str, int]) -> str:
    """Return ``batch 0, head 1, query 2, key 3`` for an index by axis name; empty for a single number."""
    words = {axis: _AXIS_WORDS.get(axis, axis) for axis in index}
    named = list(words.values())
    parts = []
    for axis, place in index.items():
        # Two axes with the same word (``d_k`` and ``d_model``) keep their names, and so does an unnamed ``axis 0``.
        word = words[axis] if named.count(words[axis]) == 1 else axis
        parts.append(f"{word} = {place}" if word[-1:].isdigit() else f"{word} {place}")
    return ", ".join(parts)


def mismatch_title(mismatch: Mismatch) -> str:
    """Return what differs and where, without values: ``attention_weights, at batch 0, head 1``."""
    place = index_words(mismatch.index)
    if mismatch.kind in ("value", "nan"):
        return f"{mismatch.what}, first at {place}" if place else mismatch.what
    return f"{mismatch.what} {_SHAPE_LIKE[mismatch.kind]}" + (f" at {place}" if place else "")


def mismatch_sentence(mismatch: Mismatch) -> str:
    """Return the whole mismatch: ``attention_weights at batch 0, key 3: expected 0.25, got 0.0``."""
    place = index_words(mismatch.index)
    where = f" at {place}" if place else ""
    fault = "" if mismatch.kind == "value" else f" {_SHAPE_LIKE[mismatch.kind]}"
    detail = f" ({mismatch.detail.rstrip('.')})" if mismatch.detail else ""
    return f"{mismatch.what}{fault}{where}: expected {mismatch.expected}, got {mismatch.got}{detail}"


def measured(observation: Observation) -> str:
    """Return the numbers of an observation: ``at_d_4: 1.02, at_d_256: 0.98``."""
    return ", ".join(f"{numbered.label}: {numbered.value:.4g}" for numbered in observation.numbers)


def frame_place(frame: LearnerFrame) -> str:
    """Return where a frame of the learner's code is: ``heads.py, line 12, in split_heads``."""
    inside = "" if frame.function in ("", "<module>") else f", in {frame.function}"
    return f"{frame.file}, line {frame.line}{inside}"


def what_happened(check: CheckResult) -> str:
    """Return what became of a check, in a sentence at every feedback level."""
    return check.rationale or SIGNS[check.verdict].sentence


def same_sentence(more: int) -> str:
    """Return ``and 6 more checks say the same``; empty when none does."""
    if not more:
        return ""
    return f"and {count(more, 'more check')} {'says' if more == 1 else 'say'} the same"


def one_line(exercise: ExerciseReport, check: CheckResult, more: int = 0) -> str:
    """Return a mistake in one line that names the idea: what is recognised, what went wrong, or what does not hold."""
    said = (
        _idea(check)
        if check.diagnosis or _tells_enough(check)
        else f"“{bare(check.title)}”: {SIGNS[check.verdict].word}."
    )
    if check.traceback and not check.diagnosis and _place(check) not in said:
        said = f"{bare(said)} ({_place(check)})."
    same = same_sentence(more)
    return f"{exercise.id}: {said}" + (f" {same[0].upper()}{same[1:]}." if same else "")


def headline(report: ScoreReport) -> str:
    """Return the first line of every report: the one thing to do next, in words that name the idea."""
    if not report.exercises:
        return "Nothing was graded."
    finding = first_to_fix(report)
    if finding is not None and is_untouched(report):
        return f"Nothing done yet: start with {finding.exercise.id}."
    if finding is not None and finding.bonus:
        if report.full_marks:
            return f"All right: {total(report)}. For the bonus, in {finding.exercise.id}: {_idea(finding.check)}"
        finding = None
    if finding is not None and finding.check.verdict in MISTAKES:
        return f"Fix this next, in {finding.exercise.id}: {_idea(finding.check)}"
    if report.max_score <= 0 and not group_errored(report):
        return "Nothing could be judged on this machine, so there are no points to earn or to lose."
    if group_errored(report):
        return "The grader failed, not your code: this report is not a grade."
    if finding is not None and any(check.verdict is Verdict.PASSED for check in finding.exercise.checks):
        return f"No mistake in what you have written. Next, in {finding.exercise.id}: {_idea(finding.check)}"
    if finding is not None:
        return f"No mistake in what you have written. Next, begin {finding.exercise.id}: {finding.exercise.title}."
    open_part = first_open(report)
    if open_part is not None:
        exercise, criterion = open_part
        return f"Work on this next, in {exercise.id}: “{bare(criterion.title)}” has not earned its points yet."
    if not report.complete:
        return f"All that was graded is right, {total(report)}, but not everything was graded."
    return f"All right: {total(report)}."


def total(report: ScoreReport) -> str:
    """Return the total: ``42 of 70 points``, with the bonus, if there is one, apart."""
    if report.max_score <= 0:
        return "no points to earn here"
    return f"{points(report.score, report.max_score)}{and_bonus(report)}"


def incomplete_sentences(report: ScoreReport) -> list[str]:
    """Return why the report is not a grade and what to do about it; empty when it is one."""
    if report.complete:
        return []
    failed = sum(len(group.checks) for group in group_errored(report))
    if not failed:
        return ["Not every exercise was graded, so this total is not a grade."]
    return [
        f"The grader itself failed on {count(failed, 'check')}. "
        "That is not your mistake, and this report is not a grade.",
        "Please report it to whoever gave you these exercises, with the report as JSON "
        "(grade check --format json --output report.json).",
    ]


def next_command(report: ScoreReport) -> str:
    """Return the command to type next."""
    if group_errored(report) and (first_to_fix(report) is None):
        return "grade doctor"
    exercise = exercise_to_work_on(report)
    if exercise is not None:
        return f"grade hint {exercise.id}"
    if report.exercises and report.full_marks:
        return f"grade solution {report.exercises[-1].id}"
    return "grade check"


def what_command_does(command: str) -> str:
    """Return what the command that is suggested is good for."""
    return {
        "doctor": "what this machine offers, and what is missing",
        "hint": "one more hint each time",
        "solution": "compare with the commented solution",
        "check": "grade everything",
    }[command.split()[1]]


def tally(part: CriterionResult | ExerciseReport) -> str:
    """Return what became of the checks in few words: ``not begun``, ``wrong answer: 2 of 5``."""
    verdict = overall_verdict(part.checks)
    if verdict is None:
        return ""
    judged: list[Verdict] = [check.verdict for check in part.checks if check.verdict is not Verdict.NOT_ASSESSED]
    same = judged.count(verdict)
    word = SIGNS[verdict].word
    return f"{word}: {same} of {len(judged)}" if same > 0 and Verdict.PASSED in judged else word


def printed_title(exercise: ExerciseReport) -> str:
    """Return the title above what the learner's code printed."""
    return f"Your code printed, in {exercise.id}:"


def dropped_sentence(exercise: ExerciseReport) -> str:
    """Return how much output was not kept; empty when all was."""
    if not exercise.output_dropped:
        return ""
    return (
        f"{count(exercise.output_dropped, 'more byte')} {'was' if exercise.output_dropped == 1 else 'were'} not kept."
    )


def level_sentence(report: ScoreReport) -> str:
    """Return what this report leaves out on purpose; empty at the level that shows everything."""
    return {
        FeedbackLevel.FULL: "",
        FeedbackLevel.HINTS: "This course shows hints, but no values of the hidden checks.",
        FeedbackLevel.VERDICTS: "This course shows which checks passed, and no more.",
        FeedbackLevel.SCORE: "This course shows points, and no more.",
    }[report.feedback]


def isolation_words(isolation: Isolation | None) -> str:
    """Return how the learner's code was kept apart."""
    if isolation is None:
        return "no code was run"
    return {"strong": "strong isolation", "basic": "basic isolation", "process": "a process of its own"}[
        isolation.level
    ]


def stamp(report: ScoreReport) -> str:
    """Return what is needed to repeat the run, in one line."""
    environment = report.environment
    device = "" if environment.device == "cpu" else f" · {environment.device}"
    return (
        f"seed {report.seed} · course {report.course.id} {report.course.digest[:8]} · torch {environment.torch}"
        f"{device} · {isolation_words(environment.isolation)}"
    )


def end(sentence: str) -> str:
    """Return the sentence with a full stop, unless it ends in a sign of its own."""
    sentence = sentence.strip()
    return sentence if not sentence or sentence[-1] in ".!?…:" else f"{sentence}."


def bare(sentence: str) -> str:
    """Return the sentence without its full stop, for use inside another."""
    return sentence.strip().removesuffix(".")


def _idea(check: CheckResult) -> str:
    if check.diagnosis is not None:
        return end(check.diagnosis.explanation)
    if _tells_enough(check):
        return end(_at_a_glance(check.rationale))
    return f"“{bare(check.title)}” {_why_not(check.verdict)}"


def _why_not(verdict: Verdict) -> str:
    return {
        Verdict.FAILED: "does not hold yet.",
        Verdict.MISSING: "needs a name that is not there.",
        Verdict.RAISED: "cannot hold yet: your code raises an exception.",
        Verdict.TIMED_OUT: "cannot be seen yet: your code takes too long.",
        Verdict.CRASHED: "cannot be seen yet: your code brings its process down.",
        Verdict.BLOCKED: "must be your own work: your code uses a function that does the exercise.",
        Verdict.TODO: "is still to be written.",
    }[verdict]


def _tells_enough(check: CheckResult) -> bool:
    """Whether the rationale can stand alone: of a wrong answer it says how it is wrong, but not what should hold.

    What is of the wrong type is no answer: there, all is said.
    """
    of_wrong_type = check.mismatch is not None and check.mismatch.kind == "type"
    return (of_wrong_type or check.verdict is not Verdict.FAILED) and bool(_at_a_glance(check.rationale))


def _at_a_glance(text: str) -> str:
    """Return as many of its sentences, from the first on, as a first line has room for."""
    shown = ""
    for sentence in _BETWEEN_SENTENCES.split(text):
        if len(f"{shown} {sentence}") > _HEADLINE_COLUMNS:
            break
        shown = f"{shown} {sentence}".strip()
    return shown


def _place(check: CheckResult) -> str:
    frame = check.traceback[-1]
    return f"{frame.file}, line {frame.line}"


def picture_problem(picture: DrawnPicture) -> str:
    """Return the line that stands where a picture would be."""
    return f"{picture.exercise}, {picture.claim.name}: not drawn. {picture.problem}"
