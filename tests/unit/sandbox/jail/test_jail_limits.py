"""Nothing can be used up beyond its limit."""

import resource
import signal
import subprocess
import sys

import pytest
from jailer import USERS, Jailer, killed_by

from grader.sandbox.launch import python_command

NO_FILTER = frozenset({"landlock", "seccomp"})


@pytest.mark.parametrize(
    "code",
    [
        "b = bytearray(200 << 20)",
        "b = []\nwhile len(b) < 200: b.append(bytes(1 << 20))",
        "m = mmap.mmap(-1, 200 << 20)",  # shared, so that it is no data of the process
        "m = mmap.mmap(-1, 200 << 20, flags=mmap.MAP_PRIVATE)",
    ],
    ids=["at once", "bit by bit", "a shared mapping", "a private mapping"],
)
def test_memory_ends_at_its_limit(code: str, jailer: Jailer) -> None:
    """The limit counts from what the process has when it enters, and covers what is shared too."""
    within = jailer.run_jailed(code, memory_mb=300)
    beyond = jailer.run_jailed(code, memory_mb=100)

    assert "done" == within.outcome
    assert beyond.outcome in ("MemoryError: ", "ENOMEM")


def test_memory_that_it_had_before_does_not_count(ordinary: Jailer) -> None:
    """A zygote with torch holds hundreds of megabytes, which are nobody's fault."""
    answer = ordinary.run_jailed("more = bytearray(50 << 20)", before="had = bytearray(200 << 20)", memory_mb=100)

    assert "done" == answer.outcome


def test_processor_time_ends_at_its_limit(ordinary: Jailer) -> None:
    """A loop is ended by the kernel even if the trusted side sleeps; the signal says why."""
    answer = ordinary.run_jailed("while True: pass", cpu_s=1)

    assert "SIGXCPU" == killed_by(answer.status)


def test_processor_time_cannot_be_stretched_by_ignoring_the_signal(ordinary: Jailer) -> None:
    """A second later the kernel kills."""
    answer = ordinary.run_jailed("signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", cpu_s=1)

    assert "SIGKILL" == killed_by(answer.status)
    assert not answer.late


def test_files_end_at_their_limit(jailer: Jailer) -> None:
    """Where nothing else keeps it from writing, a file cannot grow without bound."""
    code = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = open(f'{arena}/{os.getpid()}', 'wb', buffering=0)
file.write(bytes(1 << 20))
"""

    within = jailer.run_jailed(code, off=NO_FILTER, file_size_mb=1)
    beyond = jailer.run_jailed(code + "file.write(b'x')", off=NO_FILTER, file_size_mb=1)

    assert "done" == within.outcome
    assert "EFBIG" == beyond.outcome


def test_descriptors_end_at_their_limit(jailer: Jailer) -> None:
    """No worker can use up the system's table of open files."""
    answer = jailer.run_jailed("while True: os.pipe()", open_files=20)

    assert "EMFILE" == answer.outcome


def test_threads_end_at_their_limit_where_the_worker_has_its_own_user(jailer: Jailer) -> None:
    """The kernel counts all processes of a user, so only there can this be told apart from the user's own work."""
    code = """
result = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
        result += 1
except RuntimeError:
    pass
"""

    answer = jailer.run_jailed(code, threads=7, memory_mb=3000)

    if jailer.user == USERS[1]:
        assert 6 == answer.value  # and the one that started them
    else:
        assert answer.value > 6  # until the address space for their stacks and heaps ends


def test_no_core_file_is_written(jailer: Jailer) -> None:
    """A dump of the worker would be a file of any size."""
    answer = jailer.run_jailed("result = resource.getrlimit(resource.RLIMIT_CORE)")

    assert [0, 0] == answer.value


@pytest.mark.parametrize("kind", ["MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE"])
def test_memory_that_cannot_be_swapped_and_higher_priorities_are_out_of_reach(kind: str, jailer: Jailer) -> None:
    """A worker has no use for them, and others would suffer."""
    answer = jailer.run_jailed(f"result = resource.getrlimit(resource.RLIMIT_{kind})")

    assert [0, 0] == answer.value


def test_limits_that_are_lower_already_stay(ordinary: Jailer) -> None:
    """A container's own hard limit is not an error."""
    lower = f"resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30)); signal.signal({int(signal.SIGINT)}, signal.SIG_DFL)"

    answer = ordinary.run_jailed("result = resource.getrlimit(resource.RLIMIT_NOFILE)", before=lower, open_files=64)

    assert [30, 30] == answer.value
    assert any(layer.startswith("limits") for layer in answer.report["layers"])


def test_a_worker_may_use_the_processor_time_that_is_left_to_it(ordinary: Jailer) -> None:
    """What the process used before it entered does not count against the learner."""
    used = "end = time.process_time() + 1.2\nwhile time.process_time() < end: pass"

    answer = ordinary.run_jailed(f"result = resource.getrlimit({resource.RLIMIT_CPU})[0]", before=used, cpu_s=5)

    assert answer.value >= 6


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit that holds")
def test_the_process_that_grades_has_a_limit_of_its_own() -> None:
    """An answer that a suite's own computation makes explode is an exception there, and not the end of the grader."""
    code = """
from grader.sandbox.jail import limit_grader_memory
had = bytearray(200 << 20)
limit_grader_memory(100)
more = bytearray(50 << 20)
try:
    bytearray(100 << 20)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([*python_command(), "-c", code], capture_output=True, text=True, check=False)

    assert ("refused\n", "") == (done.stdout, done.stderr)
