"""A question that asks for a prediction: what it asks, what is right, and what wrong answers give away."""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from grader.model.prediction import (
    Value,
    letters_of,
    read_choice,
    read_number,
    read_numbers,
    read_order,
    same_value,
)

Numbers = Mapping[str, Any]
"""What was drawn for one learner, by name; texts name these in braces."""
Kind = Literal["number", "numbers", "choice", "order"]

PREDICTS: Final = "predicts_"
"""The check of a question's prediction is called after it, with this before its id."""
MEASURES: Final = "measures_"
"""So is the check that measures the same thing with the learner's code."""


@dataclass(frozen=True)
class Wrong:
    """An answer that shows which idea is wrong."""

    misconception: str
    """A stable id for the idea."""
    answer: Callable[[Numbers], Any]
    """As a question's own ``right``."""
    explanation: str
    """One sentence in the learner's terms. Never the right answer: courses may hide that."""
    look_at: str
    """What to think about again."""


@dataclass(frozen=True)
class Question:
    """
    One question.

    Args:
        id: A stable name, the same in its two checks.
        topic: What it is about, in a few words.
        text: What is asked, with ``{names}`` of drawn numbers.
        draw: Draws a learner's numbers.
        right: The right answer: a number, a tuple of numbers, the place of an option, or the places of all options in
            the right order, counted from 0.
        sentence: What to remember, shown once it was answered; may name drawn numbers.
        wrong: Known wrong answers.
        kind: What kind of answer it takes.
        options: What to choose from, or to put in order; shuffled for each learner.
        tolerance: By which share of the right number an answer may be off.
    """

    id: str
    topic: str
    text: str
    draw: Callable[[random.Random], dict[str, Any]]
    right: Callable[[Numbers], Any]
    sentence: str
    wrong: tuple[Wrong, ...]
    kind: Kind = "number"
    options: Callable[[Numbers], Sequence[str]] = lambda _: ()
    tolerance: float = 0.0

    def pose(self, seed: int, round_: int = 0) -> "Posed":
        """
        Return the question with a learner's own numbers.

        Args:
            seed: The learner's.
            round_: How often it was asked before; each time the numbers are others.
        """
        key = hashlib.sha256(f"{seed}\0{self.id}\0{round_}".encode()).digest()
        chance = random.Random(int.from_bytes(key[:8], "little"))
        numbers = self.draw(chance)
        options = list(self.options(numbers))
        order = list(range(len(options)))
        chance.shuffle(order)
        return Posed(self, numbers, tuple(options[place] for place in order), tuple(order))


@dataclass(frozen=True)
class Posed:
    """A question with one learner's numbers."""

    question: Question
    numbers: Numbers
    options: tuple[str, ...]
    order: tuple[int, ...]
    """For each option its place in the question's own list."""

    @property
    def text(self) -> str:
        """What is asked."""
        return self.question.text.format(**self.numbers)

    @property
    def lines(self) -> tuple[str, ...]:
        """The question and its options, one a line."""
        letters = letters_of(self.options)
        return (self.text, *(f"{letter}) {option}" for letter, option in zip(letters, self.options, strict=True)))

    @property
    def sentence(self) -> str:
        """What to remember."""
        return self.question.sentence.format(**self.numbers)

    @property
    def right(self) -> Value:
        """The right answer."""
        return self._as_typed(self.question.right(self.numbers))

    @property
    def form(self) -> str:
        """How to answer."""
        if self.question.kind == "numbers":
            return f"{self._how_many()} numbers with commas between them"
        letters = ", ".join(letters_of(self.options))
        return {"number": "a number", "choice": f"one of {letters}", "order": f"the letters {letters} in order"}[
            self.question.kind
        ]

    def wrong(self) -> list[tuple[Wrong, Value]]:
        """Return the known wrong answers for these numbers."""
        return [(wrong, self._as_typed(wrong.answer(self.numbers))) for wrong in self.question.wrong]

    def read(self, typed: str) -> Value:
        """Return what was typed as an answer; ``ValueError`` with one sentence if it cannot be one."""
        match self.question.kind:
            case "number":
                return read_number(typed)
            case "numbers":
                return read_numbers(typed, self._how_many())
            case "choice":
                return read_choice(typed, self.options)
            case "order":
                return read_order(typed, self.options)

    def is_right(self, answer: Value) -> bool:
        """Whether an answer is right."""
        return same_value(answer, self.right, self.question.tolerance)

    def mistake_in(self, answer: Value) -> Wrong | None:
        """Return the known mistake that an answer shows."""
        return next(
            (wrong for wrong, value in self.wrong() if same_value(answer, value, self.question.tolerance)), None
        )

    def _how_many(self) -> int:
        value = self.right
        return len(value) if isinstance(value, tuple) else 1

    def _as_typed(self, value: Any) -> Value:
        letters = letters_of(self.options)
        if self.question.kind == "choice":
            return letters[self.order.index(value)]
        if self.question.kind == "order":
            return "".join(letters[self.order.index(place)] for place in value)
        return tuple(float(part) for part in value) if self.question.kind == "numbers" else float(value)
