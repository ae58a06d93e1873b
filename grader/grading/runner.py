"""The trusted process that grades: settings, the course and jobs come on standard input, events go out."""

import contextlib
import fcntl
import gc
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from grader.grading.line_process import take_standard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.grading.messages import Event, RunnerSettings
    from grader.sandbox.processes import Sandbox
    from grader.sandbox.zygote import Zygote
    from grader.suite.plugin import SuitePlugin

    Emit = Callable[[Event], None]


def main() -> None:
    """Start the sandbox, collect the suites, and grade each job until standard input ends."""
    events = take_standard_output()
    jobs = sys.stdin.buffer
    # Nothing of what is imported is garbage; looking for some would take a tenth of the time.
    gc.disable()
    import torch  # before anything is read: whoever started this process is still making up what to send

    from grader.sandbox.jail import make_undumpable

    make_undumpable()
    torch.set_num_threads(1)
    settings_line = jobs.readline()
    if not settings_line:
        return
    zygote = _fork_zygote(settings_line)
    # From here on hidden material may be loaded: the zygote, if there is one, has been forked without it.
    from grader.grading.messages import RunnerFailed, RunnerSettings
    from grader.model.errors import CourseError, IsolationError
    from grader.sandbox.processes import SpawnSandbox, fork_sandboxes

    sandboxes: Sequence[Sandbox] = fork_sandboxes(zygote) if zygote else [SpawnSandbox()]
    lock = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process

    def emit(event: "Event") -> None:
        line = event.model_dump_json().encode() + b"\n"
        # Exercises that are graded at the same time are told of by two processes on one pipe.
        fcntl.lockf(lock, fcntl.LOCK_EX)
        events.write(line)
        events.flush()
        fcntl.lockf(lock, fcntl.LOCK_UN)

    settings = RunnerSettings.model_validate_json(settings_line)
    try:
        _collect_and_serve(settings, sandboxes, jobs, emit)
    except CourseError as error:
        emit(RunnerFailed(message=str(error), fault="course"))
    except IsolationError as error:
        emit(RunnerFailed(message=str(error), fault="isolation"))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side must be told in words
        traceback.print_exc()
        emit(RunnerFailed(message=f"{type(error).__name__}: {error}"))
    finally:
        for sandbox in reversed(sandboxes):
            sandbox.close()


def _fork_zygote(settings_line: bytes) -> "Zygote | None":
    import json

    from grader.sandbox.zygote import fork_zygote

    settings = json.loads(settings_line)
    if settings["start_method"] == "fork" or (settings["start_method"] == "auto" and sys.platform == "linux"):
        return fork_zygote(settings["lanes"])
    return None


@contextlib.contextmanager
def _empty_folder(given: str) -> "Iterator[str]":
    if not given:
        with tempfile.TemporaryDirectory(prefix="attention-dojo-") as own:
            Path(own).chmod(0o555)
            yield own
        return
    owner = os.getppid()
    try:
        yield given
    finally:
        if os.getppid() != owner:  # whoever made it was killed, and cannot remove it
            with contextlib.suppress(OSError):
                Path(given).rmdir()


def _ignore(event: "Event") -> None:
    """Tell nobody."""


def _collect_and_serve(
    settings: "RunnerSettings", sandboxes: "Sequence[Sandbox]", jobs: BinaryIO, emit: "Emit"
) -> None:
    from grader.course.trees import CourseTrees
    from grader.grading.grade_submission import SubmissionGrader
    from grader.grading.messages import ANY_JOB, Graded, Job, Ready, Shown
    from grader.model.course import Course
    from grader.sandbox.jail import kit_paths, limit_grader_memory, readable_paths
    from grader.suite.plugin import run_suites

    trees = CourseTrees(Path(settings.course))
    line = jobs.readline()
    if not line:
        return  # the other side could not read the course, and has said so
    course = Course.model_validate_json(line)

    def serve(suites: "SuitePlugin") -> None:
        gc.freeze()  # what is loaded now lives as long as the runner, and need not be looked at by each collection
        gc.enable()
        with _empty_folder(settings.working_directory) as empty:
            grader = SubmissionGrader(
                course=course,
                trees=trees,
                suites=suites,
                sandboxes=sandboxes,
                readable=readable_paths(exclude=[str(trees.root)]),
                hidden=(*kit_paths(), str(trees.hidden)),
                working_directory=empty,
                layers_off=frozenset(settings.layers_off),
                require_isolation=settings.require_isolation,
            )
            grader.try_isolation()
            # Twice what a submission may take: the grader computes what it does, and known mistakes besides.
            limit_grader_memory(2 * max(exercise.rubric.limits.memory_mb for exercise in course.exercises))
            emit(Ready())
            for line in jobs:
                job = ANY_JOB.validate_json(line)
                if isinstance(job, Job):
                    emit(Graded(report=grader.grade(job, emit if job.steps else _ignore)))
                else:
                    from grader.grading.show_submission import show_submission  # brings matplotlib

                    emit(Shown(pictures=show_submission(grader, job)))

    run_suites(trees.hidden, [exercise.id for exercise in course.exercises], serve)


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)  # taking torch apart in order would keep whoever waits waiting
