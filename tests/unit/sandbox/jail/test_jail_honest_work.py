"""What honest code does works in the jail as it does outside."""

import pytest
from jailer import Jailer

HONEST = {
    "read a file that is allowed": "assert 'own' == open(f'{arena}/readable/own.txt').read()",
    "list a folder that is allowed": "assert 'own.txt' in os.listdir(f'{arena}/readable')",
    "throw output away": "print('x', file=open(os.devnull, 'w'))",
    "read zeros and chance": "open('/dev/zero', 'rb').read(9); open('/dev/urandom', 'rb').read(9); os.urandom(9)",
    "see what the processor can do": "open('/proc/cpuinfo').read(9); os.listdir('/sys/devices/system/cpu')",
    "run a thread": "thread = threading.Thread(target=time.sleep, args=(0.001,)); thread.start(); thread.join()",
    "name a thread": "kernel.prctl(15, ctypes.addressof(ctypes.create_string_buffer(b'name')))",
    "signal itself": "signal.signal(signal.SIGUSR1, lambda *_: None); os.kill(os.getpid(), signal.SIGUSR1)",
    "raise a signal": "signal.signal(signal.SIGUSR1, lambda *_: None); signal.raise_signal(signal.SIGUSR1)",
    "set a timer": "signal.setitimer(signal.ITIMER_REAL, 9)",
    "use a pipe": "r, w = os.pipe(); os.write(w, b'x'); assert b'x' == os.read(r, 1)",
    "wait for descriptors": "r, w = os.pipe(); select.epoll().register(r); select.select([], [w], [])",
    "make a descriptor non-blocking": "os.set_blocking(os.pipe()[0], False)",
    "duplicate a descriptor": "os.dup2(1, 9); fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 9)",
    "ask whether it talks to a terminal": "os.isatty(1); sys.stdout.isatty()",
    "read its limits": "resource.getrlimit(resource.RLIMIT_AS); resource.getrusage(resource.RUSAGE_SELF)",
    "map memory of its own": "mmap.mmap(-1, 1 << 20)[:1] = b'x'",
    "share memory with nobody": "mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE)",
    "see the time": "time.localtime(); time.sleep(0)",
    "see where it is": "assert '/' == os.getcwd()",
    "recurse deeply": "f = lambda n: n and f(n - 1); f(900)",
}


@pytest.mark.parametrize("work", HONEST)
def test_honest_code_can(work: str, jailer: Jailer, abi: int) -> None:
    """A jail that gets in the way would cost honest people points."""
    answer = jailer.run_jailed(HONEST[work])

    assert "done" == answer.outcome


@pytest.mark.parametrize("work", HONEST)
def test_without_landlock_honest_code_can(work: str, ordinary: Jailer) -> None:
    """All but opening the null device for writing, which the filter cannot tell from a file."""
    answer = ordinary.run_jailed(HONEST[work], off=frozenset({"landlock"}))

    assert ("EPERM" if work == "throw output away" else "done") == answer.outcome


def test_a_failed_assertion_in_c_still_ends_the_worker(jailer: Jailer) -> None:
    """`abort` signals its own thread, which the filter must let through, or it would loop."""
    answer = jailer.run_jailed("os.abort()", limit_s=5)

    assert not answer.late
    assert "gone" == answer.outcome
