"""What a learner has reached so far in one workspace."""

from pydantic import Field

from grader.model.base import Model
from grader.model.report import ScoreReport


class ExerciseProgress(Model):
    """What was reached in one exercise."""

    score: float = 0.0
    """The latest score."""
    best: float = 0.0
    max_score: float = 0.0
    last_hint: int = 0
    """The rung of the hint ladder that was shown last, counted from 1."""
    last_hints: dict[str, int] = Field(default_factory=dict)
    """The same for each function whose hints were asked for alone."""

    @property
    def passed(self) -> bool:
        """Whether full marks were reached once."""
        return self.best >= self.max_score > 0


class Progress(Model):
    """What was reached in a workspace."""

    schema_version: int = 1
    exercises: dict[str, ExerciseProgress] = Field(default_factory=dict)

    def of(self, exercise: str) -> ExerciseProgress:
        """Return what was reached in an exercise."""
        return self.exercises.get(exercise, ExerciseProgress())

    def after(self, report: ScoreReport) -> "Progress":
        """Return the progress with a new report in it."""
        exercises = dict(self.exercises)
        for graded in report.exercises:
            before = self.of(graded.id)
            exercises[graded.id] = before.model_copy(
                update={
                    "score": graded.score,
                    "best": max(graded.score, before.best),
                    "max_score": graded.max_score or before.max_score,
                }
            )
        return self.model_copy(update={"exercises": exercises})

    def with_hint(self, exercise: str, rung: int, name: str = "") -> "Progress":
        """Return the progress with a rung of the hint ladder shown, perhaps of those about one function alone."""
        before = self.of(exercise)
        seen = before.model_copy(
            update={"last_hints": {**before.last_hints, name: rung}} if name else {"last_hint": rung}
        )
        return self.model_copy(update={"exercises": {**self.exercises, exercise: seen}})
