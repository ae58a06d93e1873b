"""
Grade a large generated class, and see whether time and memory keep in step with it.

Run: ``python benchmarks/class_scale.py [--submissions 10000] [--course small] [--keep DIR]``. Hand-ins are put together
from solutions, stubs and known mistakes, one comment each apart, as folders, files, notebooks and zips; one in twenty
is hostile or broken. Graded is one small exercise, unless ``--course`` asks for the miniature course with its two or
for the built-in one, which take many times as long. Printed are the time for each thousand, the coordinator's memory
at each tenth, what was lost, and the times of `grade rescore`, `diff`, `summary` and `export` over all. Ends with
status 1 if somebody is lost.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import ExitStack
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.course.load import load_course
from grader.course.trees import CourseTrees, builtin_course
from grader.grading.store import Status, StoreError, open_store
from grader.model.course import Course
from tests.conftest import MINI_COURSE

HOSTILE = ("exit", "loop", "syntax", "nul", "bomb", "truncated", "empty", "fork", "memory", "names", "link", "prints")


def small_course(folder: Path) -> CourseTrees:
    """The miniature course without its second exercise: what a coordinator does is the same for any course."""
    mini = CourseTrees(MINI_COURSE)
    for path in (
        mini.stub("double"),
        mini.solution("double"),
        mini.rubric("double"),
        mini.suite("double"),
        *mini.wheats("double"),
        *mini.chaffs("double"),
    ):
        target = folder / path.relative_to(MINI_COURSE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    settings = CourseTrees(folder).settings
    settings.write_text("id: small\ntitle: One small exercise\nexercises: [double]\n", "utf-8")
    return CourseTrees(folder)


def texts_of(trees: CourseTrees, exercise: str) -> list[str]:
    """Right code half of the time, a known mistake or nothing else."""
    right = trees.solution(exercise).read_text("utf-8")
    wrong = [path.read_text("utf-8") for path in trees.chaffs(exercise)]
    return [*[right] * (len(wrong) + 1), *wrong, trees.stub(exercise).read_text("utf-8")]


def write_honest(home: Path, texts: dict[str, str], form: str) -> None:
    """Write one hand-in: a folder of files, a notebook or a zip."""
    home.mkdir(parents=True)
    if form == "notebook":
        cells = [
            {
                "cell_type": "code",
                "id": f"c{number}",
                "metadata": {},
                "source": text,
                "outputs": [],
                "execution_count": None,
            }
            for number, text in enumerate(texts.values())
        ]
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (home / "attention.ipynb").write_text(json.dumps(notebook), "utf-8")
    elif form == "zip":
        with zipfile.ZipFile(home / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                archive.writestr(f"my work/{name}.py", text)
    else:
        for name, text in texts.items():
            (home / f"{name}.py").write_text(text, "utf-8")


def write_hostile(home: Path, first: str, kind: str, mark: str) -> None:
    """Write one hand-in that does, or is, what nobody wants."""
    home.mkdir(parents=True)
    code = {
        "exit": "import os\nos._exit(0)\n",
        "loop": "while True:\n    pass\n",
        "syntax": "def (:\n",
        "fork": "import os\nwhile True:\n    os.fork()\n",
        "memory": "hog = [bytearray(1 << 26) for _ in range(1 << 10)]\n",
        "names": "def something_else():\n    return 1\n",
        "prints": "print('x' * 10_000_000)\n",
    }
    if kind in code:
        (home / f"{first}.py").write_text(f"{mark}{code[kind]}", "utf-8")
    elif kind == "nul":
        (home / f"{first}.py").write_bytes(mark.encode() + b"x = 1\0\0\0\n")
    elif kind == "bomb":
        with zipfile.ZipFile(home / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{first}.py", b" " * 50_000_000)
    elif kind == "truncated":
        (home / "attention.ipynb").write_text('{"cells": [{"cell_type": "code", "sour', "utf-8")
    elif kind == "link":
        (home / f"{first}.py").symlink_to("/etc/passwd")


def make_class(folder: Path, trees: CourseTrees, course: Course, number: int, chance: random.Random) -> None:
    """Write a class; one in ten copied from the one before, one in twenty hostile or broken."""
    choices = {exercise.id: texts_of(trees, exercise.id) for exercise in course.exercises}
    texts: dict[str, str] = {}
    for index in range(number):
        home, mark = folder / f"s{index:05}", f"# {index}\n"
        if chance.random() < 0.05:
            kinds = [kind for kind in HOSTILE if kind != "loop" or index % 5 == 0]  # each costs seconds
            write_hostile(home, course.exercises[0].id, chance.choice(kinds), mark)
            continue
        if not texts or chance.random() >= 0.1:
            texts = {name: f"{chance.choice(options)}\n{mark}" for name, options in choices.items()}
        write_honest(home, texts, chance.choice(["folder"] * 7 + ["notebook", "zip", "zip"]))


def graded_so_far(store: Path) -> int:
    """How many have a result."""
    try:
        with open_store(store) as opened:
            counts = opened.count(opened.run())
    except StoreError:
        return 0
    return counts[Status.GRADED] + counts[Status.ERRORED]


def typed(*arguments: object) -> list[str]:
    """A command line of ours."""
    return [sys.executable, "-c", "from grader.cli.main import main; main()", *map(str, arguments)]


def grade_and_watch(command: list[str], store: Path, number: int) -> None:
    """Grade, and print memory and time for each tenth of the class."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    coordinator = psutil.Process(running.pid)
    started = last = time.monotonic()
    step = max(1, number // 10)
    wanted, memory = step, []
    while running.poll() is None:
        time.sleep(1)
        done = graded_so_far(store)
        if done >= wanted:
            now = time.monotonic()
            try:
                memory.append(coordinator.memory_full_info().uss / 2**20)
            except psutil.Error:
                break
            print(f"{done:>6} graded, {now - last:6.1f} s for these, coordinator {memory[-1]:.1f} MB", flush=True)
            last, wanted = now, (done // step + 1) * step
    output = running.communicate()[0]
    print(output.strip().splitlines()[-1] if output.strip() else "")
    print(f"all in {time.monotonic() - started:.0f} s, files included; status {running.returncode}")
    if len(memory) > 1:
        print(f"coordinator's memory from the first tenth to the last: {100 * (memory[-1] / memory[0] - 1):+.1f} %")


def main() -> None:
    """Generate, grade, and use the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--course", choices=["small", "mini", "builtin"], default="small")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave everything there")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if arguments.course == "small":
            trees = small_course(folder / "course")
        else:
            trees = builtin_course() if arguments.course == "builtin" else CourseTrees(MINI_COURSE)
        course = load_course(trees)
        source, store = folder / "class", folder / "grades.sqlite"
        if not source.exists():
            make_class(source, trees, course, arguments.submissions, random.Random(arguments.seed))
        places = ["--store", store]
        options = [*places, "--output", folder / "graded", "--seed", 1, "--jobs", arguments.jobs]
        grade_and_watch(typed("batch", source, *options, "--course", trees.root), store, arguments.submissions)
        with open_store(store) as opened:
            counts = opened.count(opened.run())
        print(f"lost: {arguments.submissions - counts[Status.GRADED]} (errored: {counts[Status.ERRORED]})")
        changed = folder / "changed"
        shutil.rmtree(changed, ignore_errors=True)
        for tree in ("exercises", "rubrics", "solutions", "tests/hidden"):
            shutil.copytree(trees.root / tree, changed / tree)
        rubric = changed / "rubrics" / f"{course.exercises[0].id}.yaml"
        rubric.write_text(rubric.read_text("utf-8").replace("title: ", "title: Now ", 1), "utf-8")
        for arguments_of in (
            ["rescore", "--course", changed],
            ["diff", 1, 2],
            ["summary"],
            ["export", "--format", "csv", "--output", folder / "grades.csv"],
        ):
            started = time.monotonic()
            result = subprocess.run(typed(*arguments_of, *places), capture_output=True, text=True, check=False)
            print(f"grade {arguments_of[0]}: {time.monotonic() - started:.1f} s, status {result.returncode}")
            if result.returncode:
                print(result.stderr)
        if counts[Status.GRADED] != arguments.submissions:
            raise SystemExit("somebody is lost")


if __name__ == "__main__":
    main()
