"""Judge mutants: each one loses points, or its author says why nobody could tell it from the solution."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pydantic import Field

from grader.authoring.mutate import Mutant, MutantName
from grader.course.trees import CourseTrees
from grader.course.yaml_source import read_yaml
from grader.model.base import Model


class EquivalentMutant(Model):
    """A mutant that does what the solution does, as far as the exercise promises anything."""

    function: str
    operator: str
    before: str
    after: str
    why: str = Field(min_length=1)
    """The reason, for a reader who would rather add a check."""

    @property
    def name(self) -> MutantName:
        """What it is recognised by."""
        return MutantName(self.function, self.operator, self.before, self.after)


class _Listing(Model):
    """The file ``tests/hidden/mutants/<exercise>.yaml``."""

    equivalent: tuple[EquivalentMutant, ...]


@dataclass
class MutantCounts:
    """What became of the mutants of one exercise."""

    total: int = 0
    killed: int = 0
    equivalent: int = 0
    """Listed, and indeed not killed."""
    problems: list[str] = field(default_factory=list)


def read_equivalents(trees: CourseTrees, exercise: str) -> tuple[EquivalentMutant, ...]:
    """Return the mutants that an author calls equivalent; none if there is no such file. `CourseError` as ever."""
    path = trees.mutants(exercise)
    return read_yaml(path, _Listing, _shown(exercise)).equivalent if path.is_file() else ()


def judge_mutants(
    exercise: str,
    mutants: Iterable[Mutant],
    listed: Iterable[EquivalentMutant],
    is_killed: Callable[[Mutant], bool],
) -> MutantCounts:
    """
    Grade every mutant and compare with the list of equivalent ones.

    Args:
        exercise: The exercise's id, for messages.
        mutants: The mutants of its solution.
        listed: Those that need not lose anything.
        is_killed: Grades a mutant, and says whether it lost something.

    Returns:
        Counts, and a sentence for each survivor that is not listed and each entry that is not true.
    """
    counts = MutantCounts()
    excused = {entry.name for entry in listed}
    survived: set[MutantName] = set()
    seen: set[MutantName] = set()
    for mutant in mutants:
        counts.total += 1
        seen.add(mutant.name)
        if is_killed(mutant):
            counts.killed += 1
            continue
        survived.add(mutant.name)
        if mutant.name in excused:
            counts.equivalent += 1
        else:
            counts.problems.append(
                f"a mutant survives: {mutant.name}. Add a check that fails it, or list it in {_shown(exercise)} with "
                "the reason why it is equivalent"
            )
    for name in sorted(excused - seen):
        counts.problems.append(f"{_shown(exercise)} lists a mutant that does not exist: {name}. Delete the entry")
    # A line that stands twice in a function gives two mutants of one name; the entry is about the one that survives.
    for name in sorted(excused & seen - survived):
        counts.problems.append(f"{_shown(exercise)} calls a mutant equivalent that loses points: {name}")
    return counts


def _shown(exercise: str) -> str:
    return f"tests/hidden/mutants/{exercise}.yaml"
