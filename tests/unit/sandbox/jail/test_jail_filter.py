"""The filter's program, run by a small model of the kernel's machine for both kinds of processor."""

import errno
import os
import re
import signal
import struct
from pathlib import Path

import pytest
from jailer import Jailer, killed_by

from grader.sandbox.jail.kernel import ARCHITECTURES
from grader.sandbox.jail.seccomp import Instruction, assemble
from grader.sandbox.jail.syscalls import EXAMINED, FIRST_COMMON, FIRST_UNKNOWN, FIRST_UNUSED, REFUSED

PID = 4711
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, KILLED = "allowed", "killed"
HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+)\s+(\d+)"),
    "aarch64": ("/usr/include/asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+)\s+(\d+)"),
}
NEEDED = {  # what Python, glibc, numpy and torch call all the time
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "madvise": (28, 233),
    "getpid": (39, 172),
    "exit": (60, 93),
    "getdents64": (217, 61),
    "set_tid_address": (218, 96),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "pipe2": (293, 59),
    "getrandom": (318, 278),
    "statx": (332, 291),
    "rseq": (334, 293),
    "close_range": (436, 436),
    "faccessat2": (439, 439),
}

HARMLESS = set(
    """
    access afs_syscall alarm arch_prctl brk capget chdir clock_getres clock_gettime clock_nanosleep close
    close_range copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait
    epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 exit exit_group faccessat faccessat2 fadvise64 fallocate
    fchdir fdatasync fgetxattr flistxattr fstat fstatfs fsync ftruncate futex futex_waitv get_kernel_syms
    get_mempolicy get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer
    getpeername getpgid getpgrp getpid getpmsg getppid getpriority getrandom getresgid getresuid getrlimit getrusage
    getsid getsockname getsockopt gettid gettimeofday getuid getxattr inotify_rm_watch io_cancel io_destroy
    io_getevents io_pgetevents ioprio_get lgetxattr listxattr llistxattr lseek lstat madvise mbind membarrier
    mincore mlock mlock2 mlockall mmap mprotect mq_getsetattr mq_notify mq_timedreceive mq_timedsend mremap msync
    munlock munlockall munmap name_to_handle_at nanosleep newfstatat pause pipe pipe2 pkey_alloc pkey_free
    pkey_mprotect poll ppoll pread64 preadv preadv2 pselect6 putpmsg pwrite64 pwritev pwritev2 query_module read
    readahead readlink readlinkat readv remap_file_pages restart_syscall rseq rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield security
    select sendfile set_mempolicy set_mempolicy_home_node set_robust_list set_thread_area set_tid_address setitimer
    shmdt sigaltstack signalfd signalfd4 splice stat statfs statx sync_file_range sync_file_range2 sysinfo tee time
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
    timerfd_settime times tuxcall umask uname vserver wait4 waitid write writev
    """.split()  # noqa: SIM905 - two hundred names in quotes are harder to read
)
"""All other calls: they act on the worker alone, on descriptors that it has, or only tell something."""


def decide(program: list[Instruction], architecture: int, number: int, *arguments: int) -> str:
    """Run a program as the kernel does, on one system call."""
    data = struct.pack(
        "=iIQ6Q", number, architecture, 0, *(a & (1 << 64) - 1 for a in (*arguments, 0, 0, 0, 0, 0, 0)[:6])
    )
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        match operation:
            case 0x20:
                accumulator = int.from_bytes(data[operand : operand + 4], "little")
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x45:
                at += if_true if accumulator & operand else if_false
            case 0x06:
                known = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}
                return known.get(operand) or errno.errorcode[operand & 0xFFFF]
            case _:
                raise AssertionError(f"the kernel does not know the operation {operation:#x}")


@pytest.fixture(params=ARCHITECTURES)
def machine(request: pytest.FixtureRequest) -> int:
    """Each processor in turn, as its place in the lists."""
    return ARCHITECTURES.index(request.param)


@pytest.fixture
def ask(machine: int):
    """Return a function that asks the filter about a call by name or number."""

    def ask(call: str | int, *arguments: int, refuse_writing: bool = False) -> str:
        number = call if isinstance(call, int) else (EXAMINED | REFUSED | NEEDED)[call][machine]
        if number is None:
            pytest.skip(f"{ARCHITECTURES[machine]} has no {call}")
        program = assemble(machine, PID, refuse_writing=refuse_writing)
        return decide(program, AUDIT[ARCHITECTURES[machine]], number, *arguments)

    return ask


def test_every_listed_call_is_refused(ask, machine: int) -> None:
    """Whatever its arguments."""
    numbers = [numbers[machine] for numbers in REFUSED.values() if numbers[machine] is not None]

    assert len(numbers) > 120
    assert {"EPERM"} == {
        ask(number, *arguments) for number in numbers for arguments in ((), (PID,), (1, 2, 3, 4, 5, 6))
    }


@pytest.mark.parametrize("name", NEEDED)
def test_what_every_program_needs_is_allowed(name: str, ask) -> None:
    """A filter that is too strict would blame learners for it."""
    assert ALLOWED == ask(name, 1, 2, 3, 4, 5, 6)


def test_calls_newer_than_the_list_do_not_exist(ask, machine: int) -> None:
    """Nobody has looked at what they do; a C library falls back to older ones."""
    unknown = [FIRST_UNKNOWN, 500, 0x40000000, 0x40000000 + 59, 0x7FFFFFFF, -1, FIRST_UNUSED[machine], FIRST_COMMON - 1]

    assert {"ENOSYS"} == {ask(number) for number in unknown}


def test_calls_at_the_edges_of_the_known_are_judged_by_the_list(ask, machine: int) -> None:
    """One too many or too few would open or close the wrong call."""
    assert "ENOSYS" != ask(FIRST_UNUSED[machine] - 1)
    assert "EPERM" == ask(FIRST_COMMON)  # pidfd_send_signal
    assert ALLOWED == ask(FIRST_UNKNOWN - 1)


def test_calls_of_another_architecture_kill(machine: int) -> None:
    """Their numbers mean something else: 59 is execve here and something harmless there."""
    program = assemble(machine, PID, refuse_writing=False)

    assert KILLED == decide(program, 0x40000003, 11)  # 32-bit x86
    assert KILLED == decide(program, 0x40000028, 11)  # 32-bit ARM
    assert KILLED == decide(program, AUDIT[ARCHITECTURES[1 - machine]], 63)


def test_threads_may_start_and_processes_may_not(ask) -> None:
    """They differ in one bit of clone's flags."""
    thread = 0x3D0F00

    assert ALLOWED == ask("clone", thread)
    assert "EPERM" == ask("clone", signal.SIGCHLD)
    assert "EPERM" == ask("clone", thread & ~0x10000)
    assert "EPERM" == ask("clone", 0x4111)  # as vfork does
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert "EPERM" == ask("clone", thread | namespace)
    assert "ENOSYS" == ask("clone3", 1, 2)


@pytest.mark.parametrize("name", ["kill", "tgkill"])
def test_a_worker_may_signal_itself_alone(name: str, ask) -> None:
    """Not its group (0), not everybody (-1), not its group by number."""
    assert ALLOWED == ask(name, PID, PID)
    assert {"EPERM"} == {ask(name, pid, PID) for pid in (0, -1, -PID, PID + 1, 1)}


def test_limits_may_be_read_and_not_set(ask) -> None:
    """A pointer to new ones counts in either of its halves."""
    assert ALLOWED == ask("prlimit64", 0, 7, 0, 0x7FFE00001000)
    assert "EPERM" == ask("prlimit64", 0, 7, 0x1000, 0)
    assert "EPERM" == ask("prlimit64", 0, 7, 0x7FFE00000000, 0)


def test_prctl_names_threads_and_nothing_else(ask) -> None:
    """Not dumpable, not the signal at the parent's death, not another filter."""
    assert [15, 16] == [option for option in range(100) if ask("prctl", option) == ALLOWED]


def test_fcntl_cannot_make_the_kernel_send_signals(ask) -> None:
    """F_SETOWN (8), F_SETSIG (10), F_SETOWN_EX (15), leases (1024) and notices (1026) would."""
    allowed = [command for command in range(2000) if ask("fcntl", 1, command) == ALLOWED]

    assert [0, 1, 2, 3, 4, 1030, 1032] == allowed


def test_ioctl_cannot_type_into_a_terminal(ask) -> None:
    """TIOCSTI (0x5412), TIOCLINUX (0x541C) and FIOSETOWN (0x8901) are not among the few that are allowed."""
    allowed = [request for request in range(0x5000, 0x9000) if ask("ioctl", 1, request) == ALLOWED]

    assert [0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451] == allowed


@pytest.mark.parametrize("name", ["open", "openat"])
def test_opening_to_write_is_refused_where_landlock_does_not_watch(name: str, ask) -> None:
    """Every flag that can change a file, also without asking to write: truncating and creating."""

    def opened(flags: int, *, refuse_writing: bool = True) -> str:
        return ask(name, *((0, flags) if name == "open" else (-100, 0, flags)), refuse_writing=refuse_writing)

    writing = (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_RDONLY | os.O_CREAT, os.O_TMPFILE)
    reading = (os.O_RDONLY, os.O_RDONLY | os.O_CLOEXEC, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)

    assert {"EPERM"} == {opened(flags) for flags in writing}
    assert {ALLOWED} == {opened(flags) for flags in reading}
    assert {ALLOWED} == {opened(flags, refuse_writing=False) for flags in writing}
    assert "ENOSYS" == ask("openat2", 0, 0, 0, 24)


def read_header(name: str) -> dict[str, int]:
    """Return the numbers of a processor's calls as this system's headers have them, or skip."""
    path, pattern = HEADERS[name]
    if not Path(path).exists():
        pytest.skip(f"{path} is not installed")
    headers = {match[1]: int(match[2]) for match in re.finditer(pattern, Path(path).read_text())}
    return headers | ({"newfstatat": headers["fstatat"]} if name == "aarch64" else {})


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_numbers_are_those_of_the_kernels_own_headers(name: str) -> None:
    """A slip in one digit would refuse a harmless call and let a harmful one through."""
    headers, column = read_header(name), ARCHITECTURES.index(name)

    for call, numbers in (EXAMINED | REFUSED | NEEDED).items():
        if (headers.get(call) or 0) < FIRST_UNKNOWN:
            assert headers.get(call) == numbers[column], call


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_call_that_is_old_enough_has_been_judged(name: str) -> None:
    """So that none is allowed because nobody thought of it."""
    of_32_bits = re.compile(r"fstatat|syscalls|arch_specific_syscall|\w+time64|(clock|timer|timerfd)_\w+64")
    calls = {call for call, number in read_header(name).items() if number < FIRST_UNKNOWN}

    unjudged = {call for call in calls - HARMLESS - (EXAMINED | REFUSED).keys() if not of_32_bits.fullmatch(call)}

    assert set() == unjudged
    assert set() == HARMLESS & (EXAMINED | REFUSED).keys()


def test_a_32_bit_call_kills_a_worker(ordinary: Jailer) -> None:
    """Machine code of one's own can enter the kernel by the old door, where the numbers are different."""
    if os.uname().machine != "x86_64":
        pytest.skip("only x86-64 has that door")
    code = """
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex('53 b814000000 cd80 5b c3'))  # push rbx; mov eax, getpid; int 0x80; pop rbx; ret
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    if (outside := ordinary.run(code, settings=None)).outcome != "done":
        pytest.skip(f"this kernel has no 32-bit calls: {killed_by(outside.status)}")

    answer = ordinary.run_jailed(code)

    assert "SIGSYS" == killed_by(answer.status)
