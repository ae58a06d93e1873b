"""Canvas: one flat folder, each file named after student, user id and attachment id."""

import re
from collections import defaultdict

from grader.intake.layouts.gathering import Gathering, Piece, Place, most
from grader.intake.trees import Kind
from grader.model.classroom import Student

# ``doeann_LATE_1234_567890_heads.py``; with anonymous grading ``anon_aB3dE_567890_heads.py``, ``LATE`` before it.
_UPLOAD = re.compile(r"(?:(?P<name>.*?)_)??(?P<late>LATE_)?(?P<id>\d+|anon_[^\W_]+)_(?P<attachment>\d+)_(?P<file>.+)")
_TYPED = re.compile(r"(?:(?P<name>.*?)_)??(?P<late>LATE_)?(?P<id>\d+|anon_[^\W_]+)_(?P<file>(?:text|link)\.html)")
# Canvas puts ``-1`` behind the name of a file that is handed in again.
_AGAIN = re.compile(r"-(\d{1,3})(?=\.(?:py|ipynb|zip)$)", re.IGNORECASE)


def recognise(place: Place) -> bool:
    """Whether most files are named as Canvas names them."""
    names = [entry.name for entry in place.tree.entries(place.folder) if entry.kind is not Kind.FOLDER]
    matching = sum(bool(_UPLOAD.fullmatch(name) or _TYPED.fullmatch(name)) for name in names)
    return most(matching, len(place.tree.entries(place.folder)))


def gather(place: Place) -> Gathering:
    """Sort the files by user id; a file that is there in several versions tells attempts apart."""
    gathering = Gathering()
    by_student: dict[Student, dict[str, list[tuple[bool, int, str]]]] = {}
    for entry in place.tree.entries(place.folder):
        found = _UPLOAD.fullmatch(entry.name) or _TYPED.fullmatch(entry.name)
        if not found or entry.kind is Kind.FOLDER:
            gathering.unmatched.append(entry.path)
            continue
        student = Student(id=found["id"], name=found["name"] or "")
        attachment = int(found.groupdict().get("attachment") or 0)
        versions = by_student.setdefault(student, defaultdict(list))
        versions[found["file"]].append((not found["late"], attachment, entry.path))
    for student, files in by_student.items():
        versions = _versions(files)
        # What is not late was handed in before what is; then attachments are numbered as they come.
        ordered = {name: sorted(files, key=lambda one: (not one[0], one[1])) for name, files in versions.items()}
        attempts = max(map(len, ordered.values()))
        for number in range(attempts):
            for name, each in ordered.items():
                on_time, _, path = each[min(number, len(each) - 1)]
                attempt = gathering.add(student, f"{number:06}", Piece(path, name))
                attempt.marked_late |= not on_time
                attempt.label = f"attempt {number + 1}" if attempts > 1 else ""
    return gathering


def _versions(files: dict[str, list[tuple[bool, int, str]]]) -> dict[str, list[tuple[bool, int, str]]]:
    """Put ``heads-1.py`` with ``heads.py``; beside ``part-2.py`` alone, ``part-1.py`` is just a file of that name."""
    numbered: dict[str, list[str]] = defaultdict(list)
    for name in files:
        numbered[_AGAIN.sub("", name)].append(name)
    versions: dict[str, list[tuple[bool, int, str]]] = {}
    for plain, names in numbered.items():
        again = plain in names or len(names) == 1
        for name in names:
            versions.setdefault(plain if again else name, []).extend(files[name])
    return versions
