"""Load the questions of an exercise, which are code of the course and stay on the trusted side."""

from collections import Counter
from collections.abc import Collection, Iterator

from grader.course.running import run_file
from grader.course.trees import CourseTrees
from grader.model.errors import CourseError
from grader.model.question import MEASURES, PREDICTS, Question


def load_questions(trees: CourseTrees, exercise: str) -> tuple[Question, ...]:
    """
    Return the questions of an exercise in order; none if it asks none.

    Raises:
        CourseError: If the file cannot be run or gives no questions.
    """
    path = trees.questions(exercise)
    if not path.is_file():
        return ()
    shown = questions_shown(exercise)
    try:
        module = run_file(path, f"questions_of_{exercise}")
    except Exception as error:  # an author's file may raise anything
        raise CourseError(f"{shown}: cannot be run: {type(error).__name__}: {error}") from error
    questions = getattr(module, "QUESTIONS", None)
    if not isinstance(questions, tuple) or not all(isinstance(question, Question) for question in questions):
        raise CourseError(f"{shown}: expected QUESTIONS, a tuple of questions.")
    twice = [name for name, count in Counter(question.id for question in questions).items() if count > 1]
    if twice:
        raise CourseError(f"{shown}: two questions are called {twice[0]!r}.")
    return questions


def questions_shown(exercise: str) -> str:
    """Return how messages call the file."""
    return f"tests/hidden/questions/{exercise}.py"


def question_problems(exercise: str, questions: Collection[Question], checks: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each question without its two checks, and each such check without a question."""
    wanted = {f"{prefix}{question.id}" for question in questions for prefix in (PREDICTS, MEASURES)}
    for missing in sorted(wanted - set(checks)):
        yield f"tests/hidden/test_{exercise}.py: has no test_{missing}, but {questions_shown(exercise)} has it."
    if questions:
        for check in checks:
            if check.startswith(PREDICTS) and check not in wanted:
                yield (
                    f"tests/hidden/test_{exercise}.py: {check!r} belongs to no question of {questions_shown(exercise)}."
                )
