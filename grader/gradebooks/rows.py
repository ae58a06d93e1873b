"""Find the rows of a platform's own file that are students'."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from grader.gradebooks.exported import no_grade, shown
from grader.model.classroom import Student
from grader.model.names import name_keys, names_agree, names_differ
from grader.model.student_line import StudentLine


class RowOwner(NamedTuple):
    """What a row says of whom it is about; texts as the platform has them, empty where it says nothing."""

    number: str
    """The platform's own number, which may by chance be somebody else's id."""
    ids: tuple[str, ...] = ()
    """Ids that the university gave: SIS id, login, ID number."""
    email: str = ""
    name: str = ""


class OwnedRows:
    """
    The rows of a file, by whose they are.

    Args:
        owners: By row.
        where: What the file is called in messages, such as ``Canvas's file``.
    """

    def __init__(self, owners: Mapping[int, RowOwner], where: str) -> None:
        self._owners = owners
        self._where = where
        self._numbers = _alone((owner.number, row) for row, owner in owners.items())
        self._ids = _alone((each, row) for row, owner in owners.items() for each in set(owner.ids))
        self._emails = _alone((owner.email, row) for row, owner in owners.items())
        named = [(key, row) for row, owner in owners.items() for key in name_keys(owner.name)]
        self._names = _alone(named)

    def match(self, lines: Iterable[StudentLine], left_out: list[str]) -> Iterator[tuple[int, StudentLine, float]]:
        """
        Yield the row, the student and the grade of everybody who has a row and a grade, and note all others.

        No row is given twice. If two are found in one, the one who handed something in has it: the other is then the
        same person under another id. If both did, neither has it.
        """
        everybody = list(lines)
        shared = self._numbers_are_ids(everybody)
        claims: dict[int, list[StudentLine]] = defaultdict(list)
        for line in everybody:
            row = self._find(line.student, shared=shared)
            if row is not None:
                claims[row].append(line)
            elif line.final is not None:
                left_out.append(f"{shown(line)}: not in {self._where}")
            else:
                left_out.append(no_grade(line))
        for row, claiming in claims.items():
            whose = self._settle(claiming, left_out)
            if whose is not None and whose.final is not None:
                yield row, whose, whose.final
            elif whose is not None:
                left_out.append(no_grade(whose))

    def _find(self, student: Student, *, shared: bool) -> int | None:
        """Return the row of a student, by the surest that it knows."""
        if student.platform_id:
            known = _first(self._numbers, student.platform_id)
            if known is not None:
                return known
        # An id is the university's, or, if the platform's download was the class list, the platform's own number.
        ids = (_first(self._ids, student.id), _first(self._ids, student.platform_id))
        candidates = {row for row in ids if row is not None}
        number = None if student.platform_id else _first(self._numbers, student.id)
        if number is not None and (shared or not names_differ(student.name, self._owners[number].name)):
            candidates.add(number)
        if len(candidates) > 1:
            agreeing = {row for row in candidates if names_agree(student.name, self._owners[row].name)}
            return agreeing.pop() if len(agreeing) == 1 else None
        if candidates:
            return candidates.pop()
        for index in (self._emails, self._ids):
            if (row := _first(index, student.email)) is not None:
                return row
        found = {self._names[key] for key in name_keys(student.name) if key in self._names}
        return found.pop() if len(found) == 1 else None

    def _numbers_are_ids(self, lines: Sequence[StudentLine]) -> bool:
        """
        Whether the class's ids are the platform's own numbers, as in a roster made from its gradebook.

        They are if more than half have the number of somebody of the same name. Then another name says nothing.
        """
        agreeing = 0
        for line in lines:
            row = _first(self._numbers, line.student.id)
            agreeing += row is not None and names_agree(line.student.name, self._owners[row].name)
        return 2 * agreeing > len(lines)

    def _settle(self, claiming: Sequence[StudentLine], left_out: list[str]) -> StudentLine | None:
        if len(claiming) == 1:
            return claiming[0]
        handed_in = [line for line in claiming if line.status != "not_submitted"]
        whose = handed_in[0] if len(handed_in) == 1 else None
        for line in claiming:
            if line is whose:
                continue
            if whose is None:
                others = ", ".join(shown(other) for other in claiming if other is not line)
                left_out.append(f"{shown(line)}: has one row of {self._where} with {others}; tell them apart by an id")
            else:
                left_out.append(
                    f"{shown(line)}: has one row of {self._where} with {shown(whose)}, who handed something in. If "
                    "both are one person, give the roster the name or id of the hand-in"
                )
        return whose


def _alone(named: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the row of each name that only one row has."""
    pairs = {(name.strip().casefold(), row) for name, row in named if name.strip()}
    often = Counter(name for name, _ in pairs)
    return {name: row for name, row in pairs if often[name] == 1}


def _first(index: Mapping[str, int], name: str) -> int | None:
    return index.get(name.strip().casefold()) if name else None
