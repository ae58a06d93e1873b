"""Grade hostile submissions where everything that they could hurt is watched."""

import contextlib
import ctypes
import hashlib
import secrets
import shutil
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, RunnerSettings
from grader.intake.locate import locate_entries
from grader.intake.reading import read_submission
from grader.model.report import ScoreReport
from grader.suite.draw import Draw, seed_for
from tests.attacks.corpus import GOT_THROUGH, RIGHT, Attack

MINI_COURSE = Path(__file__).parents[1] / "mini_course"
SEED = 20_250_131
HONEST = Attack("an honest neighbour", 1, {"double.py": RIGHT})
_SHARED_KEY = 0x5A17
_EXERCISE = "double"


@dataclass(frozen=True)
class Outcome:
    """What came of one hostile submission."""

    report: ScoreReport
    seconds: float
    traces: tuple[str, ...]
    """What it left or changed outside its process; nothing, it is to be hoped."""

    @property
    def output(self) -> str:
        """What it printed."""
        return "".join(exercise.output for exercise in self.report.exercises)

    @property
    def got_through(self) -> bool:
        """Whether an attempt of its own was not refused."""
        return GOT_THROUGH in self.output


class Arena:
    """
    A course with a secret in each hidden file, things to tempt, and a warm runner.

    Args:
        layers_off: Layers of the jail not to use.
        call_s: Seconds for a call, in place of the course's own.
        import_s: Seconds for an import, in place of the course's own.
        lanes: How many exercises are graded at the same time.
    """

    def __init__(
        self, layers_off: Sequence[str] = (), call_s: float | None = None, import_s: float | None = None, lanes: int = 1
    ) -> None:
        self.mark = f"dojo{secrets.token_hex(6)}"
        self.secret = f"hidden{secrets.token_hex(6)}"
        self.root = Path(tempfile.mkdtemp(prefix="attacks-"))
        self.course = self.root / "course"
        self.outside = self.root / "outside"
        self._make_course(call_s, import_s)
        self._make_temptations()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._datagrams.bind(("127.0.0.1", self.port))
        self._datagrams.setblocking(False)
        self.victim = psutil.Popen([sys.executable, "-I", "-c", "import time; time.sleep(3600)"])
        self._promises = {
            exercise.id: exercise.promises for exercise in load_course(CourseTrees(self.course)).exercises
        }
        self.runner = Runner(RunnerSettings(course=str(self.course), layers_off=tuple(layers_off), lanes=lanes))
        self._before = self._snapshot()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.runner.close()
        self._let_go_of_victim()
        self._listener.close()
        self._datagrams.close()
        self._remove_marked_files()
        _remove_shared_memory()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def grader(self) -> psutil.Process:
        """The process that grades."""
        return psutil.Process(self.runner.pid)

    @property
    def zygote(self) -> psutil.Process:
        """The process that forks workers."""
        return self.grader.children()[0]

    def attack(self, attack: Attack) -> Outcome:
        """Grade a hostile submission, then see what it left, and clear that away."""
        started = time.monotonic()
        report = self.grade(attack)
        seconds = time.monotonic() - started
        return Outcome(report, seconds, self._sweep())

    def grade(self, attack: Attack, exercises: Sequence[str] = (_EXERCISE,)) -> ScoreReport:
        """Grade exercises of a submission as it lies in a folder."""
        folder = self.root / "handed_in"
        folder.mkdir()
        try:
            for path, text in attack.files.items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(self._fill_in(text), "utf-8")
            for path, target in attack.links.items():
                (folder / path).symlink_to(self._fill_in(target))
            submission = read_submission([folder], exercise_ids=list(self._promises), promises=self._promises)
        finally:
            shutil.rmtree(folder)
        entries = locate_entries(submission, self._promises)
        chosen = tuple(entries[exercise] for exercise in exercises)
        *_, last = self.runner.grade(Job(submission=submission, entries=chosen, seed=SEED))
        assert isinstance(last, Graded)
        return last.report

    def _fill_in(self, text: str) -> str:
        values = {
            "ARENA": self.root,
            "COURSE": self.course,
            "MARK": self.mark,
            "PORT": self.port,
            "VICTIM": self.victim.pid,
            "TERCES": self.secret[::-1],
            "HOME": Path.home(),
        }
        for word, value in values.items():
            text = text.replace(f"@{word}@", str(value))
        return text

    def _make_course(self, call_s: float | None, import_s: float | None) -> None:
        shutil.copytree(MINI_COURSE, self.course, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (*self.course.glob("solutions/*.py"), *self.course.rglob("hidden/**/*.py")):
            path.write_text(f"{path.read_text('utf-8')}\nSECRET = {self.secret!r}\n", "utf-8")
        rubric = self.course / "rubrics" / f"{_EXERCISE}.yaml"
        text = f"{rubric.read_text('utf-8')}\n# {self.secret}\n"
        text = text.replace("call_s: 2,", f"call_s: {call_s or 2},").replace(
            "import_s: 5,", f"import_s: {import_s or 5},"
        )
        rubric.write_text(text, "utf-8")

    def _make_temptations(self) -> None:
        self.outside.mkdir()
        (self.outside / "own.txt").write_text("as it was")
        with contextlib.closing(sqlite3.connect(self.outside / "gradebook.db")) as book, book:
            book.execute("create table grade (score real)")
            book.execute("insert into grade values (1)")

    def _snapshot(self) -> dict[str, str]:
        """Return mode and content of every file of the arena, by path."""
        return {
            str(path): f"{path.lstat().st_mode:o} {_digest(path)}"
            for folder in (self.course, self.outside)
            for path in sorted(folder.rglob("*"))
            if "__pycache__" not in path.parts
        }

    def _sweep(self) -> tuple[str, ...]:
        """Say what is not as it was, and make it so again."""
        traces = [f"a process is left: {process}" for process in self._strangers()]
        traces += [f"a file is left: {path}" for path in self._marked_files()]
        after = self._snapshot()
        traces += [f"changed: {path}" for path, what in self._before.items() if after.get(path) != what]
        traces += [f"new: {path}" for path in after.keys() - self._before.keys()]
        if self._someone_called():
            traces.append("a message arrived")
        ended = self.victim.poll() is not None
        if ended or self.victim.status() == psutil.STATUS_STOPPED or self.victim.nice() != psutil.Process().nice():
            traces.append("the neighbour was disturbed")
            self._let_go_of_victim()
            self.victim = psutil.Popen([sys.executable, "-I", "-c", "import time; time.sleep(3600)"])
        if _remove_shared_memory():
            traces.append("shared memory is left")
        self._remove_marked_files()
        for path in after.keys() - self._before.keys():
            Path(path).unlink(missing_ok=True)
        if (
            not (self.outside / "own.txt").exists()
            or after.get(str(self.outside / "own.txt")) != self._before[str(self.outside / "own.txt")]
        ):
            own = self.outside / "own.txt"
            own.unlink(missing_ok=True)
            own.write_text("as it was")
        return tuple(traces)

    def _strangers(self) -> list[psutil.Process]:
        """
        Return the processes that a worker must have left.

        The process that forks workers adopts what they detach from themselves, so whatever they left is below it.
        """
        return [process for process in self.grader.children(recursive=True) if process.pid != self.zygote.pid]

    def _marked_files(self) -> list[Path]:
        folders = (
            Path(tempfile.gettempdir()),
            Path("/tmp"),
            Path("/var/tmp"),
            Path("/dev/shm"),
            Path.home(),
            Path("/"),
        )
        found = {path for folder in folders if folder.is_dir() for path in folder.glob(f"*{self.mark}*")}
        return sorted(found | set(self.outside.glob(f"*{self.mark}*")))

    def _remove_marked_files(self) -> None:
        for path in self._marked_files():
            path.unlink()

    def _someone_called(self) -> bool:
        called = False
        with contextlib.suppress(BlockingIOError):
            connection, _ = self._listener.accept()
            connection.close()
            called = True
        with contextlib.suppress(BlockingIOError):
            self._datagrams.recv(10)
            called = True
        return called

    def _let_go_of_victim(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):  # an attack ended it
            self.victim.kill()
        self.victim.wait()


def hidden_numbers(seed: int = SEED) -> set[str]:
    """Return the numbers that the hidden checks of the exercise draw, as their first digits."""
    numbers: list[float] = []
    for check, shapes in (
        ("doubles", None),
        ("doubles_again", [3]),
        ("passes_gradients", [4, 4]),
        ("refuses_negative_times", [2]),
    ):
        draw = Draw(seed_for(seed, _EXERCISE, check))
        if shapes is None:
            size = draw.sizes("batch", "length")
            numbers += draw.normal(size.batch, size.length).flatten().tolist()
        for length in shapes or []:
            numbers += draw.normal(length).tolist()
    return {f"{abs(factor * number):.9f}"[:6] for number in numbers for factor in (1, 2, 8)}


def without_times(value: Any) -> Any:
    """Return a report as plain data without its seconds."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "seconds"}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""


def _remove_shared_memory() -> bool:
    """Remove the shared memory that an attack asks for; say whether there was any."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    number = libc.shmget(_SHARED_KEY, 0, 0)
    return number != -1 and libc.shmctl(number, 0, None) == 0
