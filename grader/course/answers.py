"""Read and write the file in which a learner keeps predictions: text alone, and never code."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from grader.model.errors import SubmissionError, did_you_mean
from grader.model.prediction import show_value
from grader.model.question import Posed, Question
from grader.model.submission import AnswersFile

_MOST_CHARACTERS: Final = 65_536
_MOST_DEPTH: Final = 8
_LONGEST_ANSWER: Final = 200
_COLUMNS: Final = 100
_HEAD: Final = """\
# Predictions for the exercise {exercise}. Type `grade quiz` to be asked in the terminal, or write your answers here:
# behind each question's name, a number (8, 0.125, 1/8, sqrt(64), ln(8)), several with commas, or letters.
# Then: grade check.
#
# The numbers follow from your seed, so other people's answers do not fit your questions. Keep it as it is.
# `grade quiz` writes this file anew after each answer and keeps no comments of your own.
"""


@dataclass(frozen=True)
class AnswerSheet:
    """What a learner predicted."""

    seed: int
    """What the learner's numbers follow from."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """What was typed, by question; without those that are still open."""
    earlier: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was typed before the numbers were drawn anew, the first one first."""

    def pose(self, question: Question) -> Posed:
        """Return a question with this learner's numbers."""
        return question.pose(self.seed, len(self.earlier.get(question.id, ())))


def read_answers(text: str, shown: str, known: Sequence[str]) -> AnswerSheet:
    """
    Return what is in an answers file.

    Each value is taken as the text that stands there: YAML's own ideas of numbers, dates and truth do not matter, and
    nothing in it can make an object.

    Args:
        text: The file.
        shown: How messages call it.
        known: Ids of the questions.

    Raises:
        SubmissionError: If it is not such a file, in one line: where, expected, found.
    """
    found = _parse(text, shown)
    unknown = [key for key in found if key not in ("seed", "answers", "earlier")]
    if unknown:
        raise SubmissionError(
            f"{shown}: expected the keys seed, answers and earlier, found {unknown[0][:40]!r}."
            + (did_you_mean(unknown[0], ["seed", "answers", "earlier"]) or " Answers belong below `answers:`.")
        )
    seed = found.get("seed", "")
    if not isinstance(seed, str) or not re.fullmatch(r"\d{1,9}", seed):
        raise SubmissionError(
            f"{shown}: seed: expected a whole number of up to nine digits, found {_show(seed)}. "
            "Your questions' numbers follow from it: put back the one that `grade quiz` wrote."
        )
    answers = {}
    for name, value in _section(found, "answers", shown, known):
        answer = value if isinstance(value, str) else _join(value)
        if answer is None or len(answer) > _LONGEST_ANSWER:
            raise SubmissionError(f"{shown}: {name}: expected a short answer, found {_show(value)}.")
        if answer.strip() not in ("", "null", "~"):
            answers[name] = answer.strip()
    earlier = {}
    for name, value in _section(found, "earlier", shown, known):
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value) or len(value) > 1000:
            raise SubmissionError(f"{shown}: earlier, {name}: expected a list of answers, found {_show(value)}.")
        earlier[name] = tuple(part[:_LONGEST_ANSWER] for part in value)
    return AnswerSheet(int(seed), answers, {name: parts for name, parts in earlier.items() if parts})


def seed_in(text: str) -> int | None:
    """Return the seed of an answers file, whatever else is in it; None if there is none."""
    found = re.search(r"^seed:[ \t]*['\"]?(\d{1,9})['\"]?[ \t]*(?:#|$)", text, re.MULTILINE)
    return int(found[1]) if found else None


def write_answers(exercise: str, sheet: AnswerSheet, questions: Sequence[Question]) -> str:
    """Return the text of an answers file: each question as a comment, and what was answered."""
    parts = [_HEAD.format(exercise=exercise), f"seed: {sheet.seed}\n\nanswers:\n"]
    for number, question in enumerate(questions, start=1):
        for index, line in enumerate(sheet.pose(question).lines):
            first = f"  # {number}. " if index == 0 else "  #    "
            parts.append(textwrap.fill(line, _COLUMNS, initial_indent=first, subsequent_indent="  #    ") + "\n")
        answer = sheet.answers.get(question.id)
        parts.append(f"  {question.id}: {_quote(answer) if answer is not None else ''}".rstrip() + "\n\n")
    earlier = {question.id: sheet.earlier[question.id] for question in questions if question.id in sheet.earlier}
    if earlier:
        parts.append("# What you answered before `grade quiz --again` drew other numbers.\nearlier:\n")
        parts += [f"  {name}: [{', '.join(map(_quote, typed))}]\n" for name, typed in earlier.items()]
    return "".join(parts).rstrip() + "\n"


def right_answers(exercise: str, questions: Sequence[Question], seed: int) -> AnswersFile:
    """Return what somebody hands in who knows everything."""
    sheet = AnswerSheet(seed, {question.id: show_value(question.pose(seed).right) for question in questions})
    return answers_file(exercise, sheet, questions)


def answers_file(exercise: str, sheet: AnswerSheet, questions: Sequence[Question]) -> AnswersFile:
    """Return predictions as they are handed in."""
    return AnswersFile(path=f"{exercise}.yaml", text=write_answers(exercise, sheet, questions))


def _parse(text: str, shown: str) -> dict[str, Any]:
    if len(text) > _MOST_CHARACTERS:
        raise SubmissionError(f"{shown}: expected at most {_MOST_CHARACTERS} characters, found {len(text)}.")
    try:
        document = yaml.load(text, Loader=_TextLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SubmissionError(
            f"{shown}: line {line}: this is not YAML: {error.problem}. Put answers that hold ': ' or '#' in quotes."
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SubmissionError(f"{shown}: this is not YAML that can be read: {said[:100]}.") from None
    if not isinstance(document, dict):
        found = "nothing" if document is None else _show(document)
        raise SubmissionError(f"{shown}: expected the keys seed and answers, found {found}.")
    return document


def _section(
    found: Mapping[str, Any], section: str, shown: str, known: Sequence[str]
) -> Sequence[tuple[str, str | list[Any]]]:
    value = found.get(section, "")
    if value == "":
        return ()
    if not isinstance(value, dict):
        raise SubmissionError(f"{shown}: {section}: expected a line for each question, found {_show(value)}.")
    for name in value:
        if name not in known:
            raise SubmissionError(
                f"{shown}: {section}: {name[:60]!r} is no question.{did_you_mean(name, known)} "
                "`grade quiz --list` shows them all."
            )
    return list(value.items())


def _join(value: Any) -> str | None:
    """Return ``[8, 64]`` as it was typed; None if there is more in it than texts."""
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        return None
    return ", ".join(value)


def _show(value: Any) -> str:
    return (
        repr(value[:40])
        if isinstance(value, str)
        else {"dict": "keys and values", "list": "a list"}.get(type(value).__name__, type(value).__name__)
    )


def _quote(answer: str) -> str:
    # A text in quotes is YAML as well as JSON.
    return (
        answer
        if re.fullmatch(r"[\w.]+", answer, re.ASCII)
        else json.dumps(answer, ensure_ascii=not answer.isprintable())
    )


class _TextLoader(yaml.BaseLoader):
    """Makes texts, lists and dictionaries and nothing else; refuses what only attacks need."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse an alias, which can make little text stand for much, and depth."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call] # PyYAML's own
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="an alias (*) is not read here", problem_mark=event.start_mark)
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise yaml.MarkedYAMLError(problem="it is nested too deep", problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's own
        """Refuse a key that is there twice: nobody could tell which answer was meant."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a name is expected before a colon", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value[:40]!r} is there twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)
