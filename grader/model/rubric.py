"""A rubric: the criteria that decide a score, each made of checks of the hidden suite."""

from collections import Counter
from enum import StrEnum
from typing import Self

from pydantic import Field, field_validator, model_validator

from grader.model.base import Model


class Category(StrEnum):
    """What kind of claim a criterion makes, in the order in which suites check them."""

    CONVENTIONS = "conventions"
    SHAPES = "shapes"
    INVARIANTS = "invariants"
    VALUES = "values"
    GRADIENTS = "gradients"
    ROBUSTNESS = "robustness"
    NUMERICS = "numerics"
    PARITY = "parity"
    CONCEPTS = "concepts"


class Limits(Model):
    """What a learner's code may use. Over a limit is that check's verdict, and the run goes on."""

    import_s: float = Field(default=10.0, gt=0)
    """Wall seconds for running the learner's files."""
    call_s: float = Field(default=5.0, gt=0)
    """Wall seconds for one call."""
    training_s: float = Field(default=100.0, gt=0)
    """Wall seconds that one check which trains a module may wait for the learner's code, all its calls together."""
    memory_mb: int = Field(default=2048, ge=64)
    """Memory beyond what torch itself holds, in MiB."""
    output_kb: int = Field(default=64, ge=1)
    """How much printed text is kept, in KiB."""


class Forbidden(Model):
    """A library function that would do the exercise instead of the learner."""

    name: str
    """Dotted public name, such as ``torch.nn.functional.scaled_dot_product_attention``."""
    why: str
    """One sentence for the learner: why doing it by hand is the exercise."""


class Criterion(Model):
    """Points for one idea: earned when all its checks pass, never split."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    category: Category
    title: str
    points: float = Field(gt=0)
    bonus: bool = False
    """Whether its points come on top: they are in no total, so full marks do not need them, and are shown apart."""
    hint: str = Field(min_length=1)
    """What to look at when this criterion is lost."""
    checks: tuple[str, ...] = Field(min_length=1)


class Rubric(Model):
    """How one exercise is scored."""

    exercise: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    summary: str = ""
    """One sentence: what the learner builds."""
    formulas: tuple[str, ...] = ()
    """What the exercise is about, in TeX, for notebooks."""
    points: float = Field(gt=0)
    """What the criteria add up to, those with a bonus left out."""
    difficulty: int = Field(default=1, ge=1, le=5)
    minutes: int = Field(default=20, gt=0)
    """Expected working time."""
    builds_on: tuple[str, ...] = ()
    """Earlier exercises whose promised names are replaced by known-good stand-ins."""
    forbids: tuple[Forbidden, ...] = ()
    limits: Limits = Limits()
    hints: tuple[str, ...] = Field(min_length=1)
    """The hint ladder: the idea, then where, then nearly the line."""
    criteria: tuple[Criterion, ...] = Field(min_length=1)

    @property
    def checks(self) -> tuple[str, ...]:
        """Every check, in the rubric's order."""
        return tuple(check for criterion in self.criteria for check in criterion.checks)

    @property
    def bonus(self) -> float:
        """Points that can be earned on top."""
        return sum(criterion.points for criterion in self.criteria if criterion.bonus)

    @field_validator("criteria")
    @classmethod
    def _criteria_are_distinct(cls, criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        for what, names in (
            ("criterion", [criterion.id for criterion in criteria]),
            ("check", [check for criterion in criteria for check in criterion.checks]),
        ):
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            if twice:
                raise ValueError(f"the {what} {twice[0]!r} is named twice; each belongs in one place")
        return criteria

    @model_validator(mode="after")
    def _points_add_up(self) -> Self:
        total = sum(criterion.points for criterion in self.criteria if not criterion.bonus)
        if abs(total - self.points) > 1e-9:
            apart = f" (and {self.bonus:g} of bonus, which is not counted)" if self.bonus else ""
            raise ValueError(f"the criteria add up to {total:g} points{apart}, but points says {self.points:g}")
        return self
