"""Prove the questions of an exercise: nobody's numbers make a right answer wrong, or a wrong one right."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, zip_longest
from typing import Final

from grader.course.answers import AnswerSheet
from grader.model.prediction import same_value, show_value
from grader.model.question import Posed, Question, Wrong

_LEARNERS: Final = 300
_MOST_ALIKE: Final = 0.5
"""An answer that is right for more learners than this could be passed around."""


def find_ambiguities(questions: Sequence[Question]) -> Iterator[str]:
    """
    Yield a sentence for each question that cannot be trusted, tried with the numbers of many learners.

    The right answer must be read as it is shown, known wrong answers must be neither right nor each other, and answers
    must differ from learner to learner.
    """
    for question in questions:
        posed = [question.pose(seed) for seed in range(_LEARNERS)]
        problem = next((problem for each in posed for problem in _problems(each)), "")
        if problem:
            yield f"question {question.id}: {problem}"
        said, often = Counter(show_value(each.right) for each in posed).most_common(1)[0]
        if often > _MOST_ALIKE * _LEARNERS:
            yield f"question {question.id}: {said} is right for {often} of {_LEARNERS} learners; draw more numbers"
        if not question.wrong:
            yield f"question {question.id}: no wrong answer is known; add the mistake that it is asked for"


def _problems(posed: Posed) -> Iterator[str]:
    typed = show_value(posed.right)
    try:
        is_right = bool(posed.lines and posed.sentence) and posed.is_right(posed.read(typed))
    except ValueError as error:
        yield f"the right answer {typed} cannot be read: {error}"
        return
    if not is_right:
        yield f"the right answer {typed} is not taken for right"
    known = posed.wrong()
    for wrong, value in known:
        if posed.question.kind == "number" and typed not in _words(" ".join(posed.lines)):
            told = " ".join((wrong.explanation, wrong.look_at)).format(**posed.numbers)
            if typed in _words(told):
                yield f"{wrong.misconception} tells the right answer {typed}, which courses may hide"
        if posed.is_right(value):
            yield f"the wrong answer {wrong.misconception} is right with {dict(posed.numbers)}"
    for (one, left), (other, right) in combinations(known, 2):
        if same_value(left, right, posed.question.tolerance):
            yield f"{one.misconception} and {other.misconception} are one answer with {dict(posed.numbers)}"


def _words(text: str) -> set[str]:
    return {word.rstrip(".") for word in re.findall(r"[\w.]+", text)}


def wrong_sheets(questions: Sequence[Question], seed: int) -> Iterator[tuple[AnswerSheet, dict[str, Wrong]]]:
    """Yield answers that hold, between them, every known wrong answer once, with the mistakes that each holds."""
    posed = [question.pose(seed) for question in questions]
    for column in zip_longest(*(each.wrong() for each in posed)):
        pairs = list(zip(posed, column, strict=True))
        mistakes = {each.question.id: found[0] for each, found in pairs if found}
        answers = {each.question.id: show_value(found[1] if found else each.right) for each, found in pairs}
        yield AnswerSheet(seed, answers), mistakes
