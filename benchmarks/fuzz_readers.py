"""
Hand in files that somebody broke on purpose, and see that reading them ends in words and in time.

Run: ``python benchmarks/fuzz_readers.py [--inputs 20000] [--seed 1] [--only KIND]``. Each input is one of everything
that is read from others, with a few mutations:

- a module, a notebook or a zip, read and searched for promised names and for what is forbidden, as the grader does
  before anything runs;
- predictions, read and judged; a notebook, mended and shown to nbgrader;
- a class as eight platforms write it, one of whose files or names is broken, and a zip of it that is;
- a roster, and the gradebooks of Canvas and Moodle that grades are filled into.

Only the errors that are made for it may come out, each a line of words. Ends with status 1 at the first other one, and
prints the input.
"""

import argparse
import collections
import io
import json
import random
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.course.answers import right_answers
from grader.course.questions import load_questions
from grader.course.trees import builtin_course
from grader.gradebooks.canvas import export_canvas, fill_canvas
from grader.gradebooks.exported import GradebookError
from grader.gradebooks.moodle import fill_moodle
from grader.intake.attempts import AttemptReader
from grader.intake.classroom import read_classroom
from grader.intake.locate import locate_entries
from grader.intake.reading import read_submission
from grader.intake.roster import read_roster
from grader.model.classroom import Student
from grader.model.errors import SubmissionError
from grader.model.rubric import Forbidden
from grader.model.student_line import StudentLine
from grader.notebook.mend import Released, mend
from grader.notebook.submitted import read_submitted
from grader.sandbox.problems import LearnerProblem
from grader.suite.answers import open_answers
from grader.suite.claims import Claims
from grader.suite.expect import CheckFailed
from grader.suite.forbidden import find_forbidden

PROMISES = {"double": ("double",), "layer": ("Layer",)}
FORBIDS = [Forbidden(name="torch.mul", why="By hand.")]
_MODULE = """# -*- coding: utf-8 -*-
import torch as t, base64
from .helper import *
times_two = lambda x: getattr(t, "m" + "ul")(x, 2)
class Layer(t.nn.Module):
    def forward(self, x: "t.Tensor") -> "t.Tensor":
        return [y for y in map(times_two, [x])][0] if (z := x.sum()) else eval("t.mul(x, 2)")
def double(x, times=1, *a, **k):
    '''Doc ü 🙂.'''
    match times:
        case 0: return x
        case _: return double(x + x, times - 1)
if __name__ == "__main__":
    print(f"{double(t.ones(2), 3)!r:>{10}}")
"""
_NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Title"]},
            {
                "cell_type": "code",
                "id": "a",
                "metadata": {"nbgrader": {"grade_id": "double", "points": 4}},
                "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}],
                "execution_count": 1,
                "source": "%matplotlib inline\n!pip install x\nimport torch\n%%time\ny = !ls\n?torch",
            },
            {"cell_type": "code", "id": "b", "metadata": {}, "outputs": [], "execution_count": None, "source": _MODULE},
        ],
    }
)
_PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\t", b"'''", b'"', b"(" * 300, b"[" * 60, b"{",
    b"# coding: utf-7\n", b"# coding: rot13\n", b"lambda: " * 40, b"f'{", b"import double\n", b"from x import *\n",
    b"../", b"..\\", b"/etc/passwd", b"-" * 4_000, b"9" * 5_000, b"%%", b"!", b"null", b"1e999", b'{"cells": [', b"@",
    b"PK\x03\x04", b"\\",
)  # fmt: skip


_CLASSES: Mapping[str, Mapping[str, str]] = {
    "folders": {"ann/double.py": _MODULE, "bob lee/work.ipynb": _NOTEBOOK, "Ann/layer.py": ""},
    "canvas": {"doeann_12_34_double.py": _MODULE, "doeann_LATE_12_35_double-1.py": "", "leebob_13_36_work.ipynb": ""},
    "moodle": {
        "Ann Doe_123_assignsubmission_file_/double.py": _MODULE,
        "José López_124_assignsubmission_file/sub/layer.py": "",
        "Bob_125_assignsubmission_onlinetext_/onlinetext.html": "<p>hi</p>",
    },
    "gradescope": {
        "submission_metadata.yml": "---\nsubmission_7:\n  :submitters:\n  - :name: Ann Doe\n    :sid: '00123'\n"
        "    :email: ann@uni.test\n  :created_at: 2026-11-20 10:00:00.123456000 Z\n  :score: 6.0\n  :history:\n"
        "  - :created_at: 2026-11-19 10:00:00.000000000 Z\nsubmission_8:\n  :submitters:\n  - :name: Bob\n"
        "  :created_at: !ruby/object:ActiveSupport::TimeWithZone\n    utc: 2026-11-20 11:00:00 Z\n    zone: &1\n",
        "submission_7/double.py": _MODULE,
        "submission_8/double.py": "",
    },
    "blackboard": {
        "PS_1_ann_doe_attempt_2026-11-20-10-00-00.txt": "Name: Ann Doe (ann_doe)\nAssignment: PS 1\n",
        "PS_1_ann_doe_attempt_2026-11-20-10-00-00_double.py": _MODULE,
        "PS_1_bob_attempt_2026-11-20-11-00-00_layer.py": "",
    },
    "ilias": {
        "Abgaben/Doe_Ann Mary_adoe_4711/double (2).py": _MODULE,
        "Abgaben/Garcia_Pepe_pgarcia_4712/Verspaetete Abgabe - layer.py": "",
    },
    "nbgrader": {
        "submitted/ann/ps1/double.py": _MODULE,
        "submitted/ann/ps1/timestamp.txt": "2026-11-20 12:00:00.250000 +0100",
        "submitted/bob/ps1/work.ipynb": _NOTEBOOK,
        "submitted/bob/ps1/timestamp.txt": "2026-11-20 10:00:00 UTC\n",
    },
    "repositories": {
        "scores.csv": "username,first_name,last_name,email,section,score,datetime,submission,late\n"
        "ann,Ann,Lee,ann@uni.test,A,,2026-11-19T10:00:00Z,submit/1,false\nbob,Bob,,,,,,submit/2,true\n",
        "hw-ann/double.py": _MODULE,
        "hw-ann/.git/HEAD": "ref: refs/heads/main\n",
        "hw-bob/double.py": "",
    },
}
_ROSTER = (
    "id,name,email,section,extension\n"
    '007,"García, ""Pepe""",pepe@uni.test,A,2026-12-01\n'
    "ann,Ann Doe,ann@uni.test,,2026-12-01T10:00:00+01:00\n=1+1,Bob,,B,\n"
)
_LINES = [
    StudentLine(Student(id=f"{number}", name=name, email=f"{number}@uni.test"), "graded", (), 5, 0, -1, 4, 10)
    for number, name in ((12, "Doe, Ann"), (13, "José López"))
]
_CELLS = [
    Released("double", "code", "def double(x): ...", "abc", locked=False, solution=True, points=None),
    Released("double-works", "code", "import grader.notebook", "abd", locked=True, solution=False, points=4.0),
    Released("text", "markdown", "Read.", "abe", locked=True, solution=False, points=None),
]
_QUESTIONS = load_questions(builtin_course(), "concepts")


def make_zip(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of the kind that people hand in."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name twice, which is what mutations are for
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def make_broken_class(random_: random.Random) -> bytes:
    """Return a class in a whole zip, where a file or a name is broken."""
    files: dict[str, str | bytes] = dict(random_.choice([*_CLASSES.values()]))
    name = random_.choice([*files])
    content = files.pop(name)
    if random_.random() < 0.3:
        # Python writes no name behind a NUL, and none that is longer than the format allows.
        name = mutate(random_, name.encode()).decode("utf-8", "replace").partition("\0")[0][:20_000] or "x"
    else:
        content = mutate(random_, str(content).encode())
    return make_zip({**files, name: content})


def mutate(random_: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few places changed, cut out, doubled or filled with something awkward."""
    changed = bytearray(data)
    for _ in range(random_.randint(1, 5)):
        place, what = random_.randrange(len(changed) + 1), random_.random()
        if what < 0.35 and place < len(changed):
            changed[place] = random_.randrange(256)
        elif what < 0.5:
            del changed[place : place + random_.randint(1, 40)]
        elif what < 0.6:
            changed[place:place] = changed[place : place + random_.randint(1, 200)] * random_.randint(1, 20)
        else:
            changed[place:place] = random_.choice(_PIECES)
    return bytes(changed)


def read_work(path: Path) -> str:
    """Do all that is done with a submission before anything of it runs; return what came of it."""
    submission = read_submission([path], exercise_ids=list(PROMISES), promises=PROMISES)
    submission.model_dump_json()
    entries = locate_entries(submission, PROMISES)
    for exercise, entry in entries.items():
        if entry.path is not None:
            find_forbidden(submission.files, entry.path, PROMISES[exercise], FORBIDS)
    Claims(submission.files)
    return "read" if submission.files else "refused"


def read_predictions(path: Path) -> str:
    """Judge all predictions."""
    submission = read_submission([path], exercise_ids=["concepts"], promises={"concepts": ()})
    file = submission.answers[0] if submission.answers else None
    answers = open_answers(_QUESTIONS, file, 1)
    for question in _QUESTIONS:
        try:
            answers.expect_right(question.id)
        except (CheckFailed, LearnerProblem):
            continue
    return "refused" if answers.problem or file is None else "read"


def read_notebook(path: Path) -> str:
    """Mend a notebook and write it, as it is done for nbgrader."""
    try:
        notebook = read_submitted(path)
    except ValueError as error:
        raise SubmissionError(str(error)) from None
    mend(notebook, _CELLS)
    json.dumps(notebook).encode()
    return "read"


def read_class(path: Path) -> str:
    """Read what everybody in a class handed in."""
    classroom = read_classroom(path, exercise_ids=tuple(PROMISES))
    classroom.model_dump_json()
    with AttemptReader(path, exercise_ids=tuple(PROMISES), promises=PROMISES) as attempts:
        for hand_in in classroom.hand_ins:
            locate_entries(attempts.read(hand_in), PROMISES)
    return "read"


def read_class_list(path: Path) -> str:
    """Read a roster."""
    read_roster(path)
    return "read"


def fill_gradebook(path: Path) -> str:
    """Fill grades into a gradebook, as the command does."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "refused"
    fill = fill_moodle(_LINES, text) if path.stem == "moodle" else fill_canvas(_LINES, "Attention", text)
    fill.text.encode()
    for line in (*fill.left_out, *fill.notes):
        assert len(line.splitlines()) == 1, f"not one line: {line!r}"
    return "read"


class Kind(NamedTuple):
    """Something that is read from others."""

    name: str
    make: Callable[[random.Random], bytes]
    read: Callable[[Path], str]


def judge(read: Callable[[Path], str], path: Path) -> str:
    """Read an input; return what became of it, and expect a refusal to be a line of words."""
    try:
        return read(path)
    except (SubmissionError, GradebookError) as error:
        if len(str(error).splitlines()) != 1:
            raise AssertionError(f"not one line: {error!r}") from error
        return "refused"


def broken(data: bytes | str) -> Callable[[random.Random], bytes]:
    """Return what breaks this."""
    whole = data.encode() if isinstance(data, str) else data
    return lambda random_: mutate(random_, whole)


_WORK = {"work/double.py": _MODULE, "work/layer.ipynb": _NOTEBOOK, "work/conftest.py": "", "__MACOSX/._double.py": "x"}
_MOODLE = (
    "Identifier,Full name,Email address,Grade,Maximum grade,Last modified (grade),Feedback comments\n"
    "Participant 12,Ann Doe,12@uni.test,,10.00,-,\nParticipant 13,José López,,,10.00,-,Good\n"
)
KINDS = (
    Kind("double.py", broken(_MODULE), read_work),
    Kind("double.ipynb", broken(_NOTEBOOK), read_work),
    Kind("work.zip", broken(make_zip(_WORK)), read_work),
    Kind("concepts.yaml", broken(right_answers("concepts", _QUESTIONS, 1).text), read_predictions),
    Kind("shown.ipynb", broken(_NOTEBOOK), read_notebook),
    Kind("class.zip", make_broken_class, read_class),
    Kind("broken.zip", broken(make_zip(_CLASSES["canvas"])), read_class),
    Kind("roster.csv", broken(_ROSTER), read_class_list),
    Kind("canvas.csv", broken(export_canvas(_LINES, "Attention").text), fill_gradebook),
    Kind("moodle.csv", broken(_MOODLE), fill_gradebook),
)


def main() -> None:
    """Count what becomes of the inputs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[kind.name for kind in KINDS], metavar="KIND")
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    kinds = [kind for kind in KINDS if kind.name in (arguments.only or [kind.name])]
    counts: collections.Counter[str] = collections.Counter()
    seconds: dict[str, float] = collections.defaultdict(float)
    slowest: dict[str, float] = collections.defaultdict(float)
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.inputs):
            kind = random_.choice(kinds)
            path = Path(folder, kind.name)
            path.write_bytes(kind.make(random_))
            before = time.process_time()
            try:
                became = judge(kind.read, path)
            except BaseException:
                print(f"input: {kind.name}: {path.read_bytes()!r}", file=sys.stderr)
                raise
            took = time.process_time() - before
            counts[f"{kind.name} {became}"] += 1
            seconds[kind.name] += took
            slowest[kind.name] = max(slowest[kind.name], took)
            path.unlink()
    for kind in kinds:
        read, refused = (counts[f"{kind.name} {became}"] for became in ("read", "refused"))
        mean = 1e3 * seconds[kind.name] / max(1, read + refused)
        print(f"{kind.name:14}{read:9,} read{refused:9,} refused{mean:8.2f} ms, at most {1e3 * slowest[kind.name]:.0f}")
    print(f"{counts.total():,} inputs, seed {arguments.seed}")


if __name__ == "__main__":
    main()
