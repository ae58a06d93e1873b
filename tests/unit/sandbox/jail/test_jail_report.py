"""The report says what is in force, and the level claims no more than that."""

import re

import pytest
from jailer import USERS, Jailer

from grader.sandbox.jail import LAYERS, JailReport

NO_LANDLOCK = frozenset({"landlock"})


def test_all_layers_hold_on_a_kernel_that_has_them(jailer: Jailer, abi: int) -> None:
    """As any user, and without any privilege."""
    answer = jailer.run_jailed("")

    assert [*LAYERS, "files"] == [layer.partition(":")[0] for layer in answer.report["layers"]]
    assert [] == answer.report["missing"]
    assert "strong" == answer.report["level"]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_is_turned_off_is_reported_as_missing(layer: str, jailer: Jailer) -> None:
    """And the others take hold all the same."""
    answer = jailer.run_jailed("", off=frozenset({layer}))

    assert f"{layer}: turned off" in answer.report["missing"]
    assert [name for name in LAYERS if name != layer] == [
        name for held in answer.report["layers"] if (name := held.partition(":")[0]) != "files"
    ]


def test_the_report_names_the_user_that_the_worker_has_become(jailer: Jailer) -> None:
    """In words that are the same in every run."""
    expected = dict(zip(USERS, ("an ordinary user", "a user of its own", "root without capabilities"), strict=True))

    answer = jailer.run_jailed("result = os.getuid()")

    assert f"user: {expected[jailer.user]}" in answer.report["layers"]
    assert answer.value == jailer.uid or (jailer.user == USERS[1] and answer.value > 1_000_000_000)


@pytest.mark.parametrize("user", [USERS[1]], indirect=True)
def test_a_user_of_its_own_is_in_no_group_but_its_own(jailer: Jailer) -> None:
    """A group left over from root would open what that group may read."""
    code = "result = [os.getgroups(), os.getresgid() == os.getresuid(), os.getuid() == os.getgid()]"

    answer = jailer.run_jailed(code, before="os.setgroups([0, 4])")

    assert [[], True, True] == answer.value


def test_no_capability_is_left(jailer: Jailer) -> None:
    """Of none of the kernel's five sets."""
    code = "result = open('/proc/self/status').read()"

    answer = jailer.run_jailed(code, off=NO_LANDLOCK)

    sets = dict(re.findall(r"^(Cap\w+):\t(\w+)$", answer.value, re.MULTILINE))
    bounded = sets.pop("CapBnd")
    assert {"CapInh", "CapPrm", "CapEff", "CapAmb"} == sets.keys()
    assert {"0" * 16} == set(sets.values())
    assert "0" * 16 == bounded or jailer.user == USERS[0]  # without privilege there is no right to shrink this one


def test_the_worker_is_set_apart(jailer: Jailer) -> None:
    """Its own session, files closed to others, and the first to go when memory is short."""
    code = "result = [os.getsid(0) == os.getpid(), os.umask(0), open('/proc/self/oom_score_adj').read()]"

    answer = jailer.run_jailed(code, off=NO_LANDLOCK)

    assert [True, 0o077, "1000\n"] == answer.value


def test_a_process_that_leads_its_session_already_keeps_it(ordinary: Jailer) -> None:
    """As one that was started by `subprocess` with a session of its own."""
    answer = ordinary.run_jailed("", before="os.setsid()")

    assert "session" in answer.report["layers"]


def test_without_a_filter_it_is_a_mere_process(jailer: Jailer) -> None:
    """Even where files are out of reach: sockets and programs are not."""
    assert "process" == jailer.run_jailed("", off=frozenset({"seccomp"})).report["level"]


def test_without_limits_it_is_a_mere_process(jailer: Jailer) -> None:
    """Since the machine's memory is then open to it."""
    assert "process" == jailer.run_jailed("", off=frozenset({"limits"})).report["level"]


def test_without_landlock_an_ordinary_user_gets_no_file_isolation(ordinary: Jailer) -> None:
    """Nothing in user space can prevent that, so it is said."""
    answer = ordinary.run_jailed("result = open(f'{arena}/hidden/secret.txt').read()", off=NO_LANDLOCK)

    assert "secret" == answer.value
    assert "basic" == answer.report["level"]
    assert "files: neither Landlock nor a user of its own keeps the worker from other files" in answer.report["missing"]


@pytest.mark.parametrize("user", [USERS[1]], indirect=True)
@pytest.mark.parametrize(("mode", "level"), [(0o700, "strong"), (0o711, "basic"), (0o755, "basic"), (0o744, "basic")])
def test_a_user_of_its_own_isolates_only_closed_folders(mode: int, level: str, jailer: Jailer) -> None:
    """A folder that can be listed or entered is not closed: a file in it is read by its name."""
    (jailer.arena / "hidden").chmod(mode)

    answer = jailer.run_jailed("", off=NO_LANDLOCK)

    assert level == answer.report["level"]


def test_a_user_of_its_own_isolates_nothing_if_nothing_is_named(jailer: Jailer) -> None:
    """Without Landlock the claim is about folders that were tried."""
    answer = jailer.run_jailed("", off=NO_LANDLOCK, hidden=())

    assert "basic" == answer.report["level"]


def test_a_hidden_folder_under_a_readable_one_is_noticed(jailer: Jailer, abi: int) -> None:
    """Landlock allows whole trees: a course inside one of them would be open, so the claim is withdrawn."""
    readable = (*jailer.settings().readable, str(jailer.arena))

    answer = jailer.run_jailed("result = open(f'{arena}/hidden/secret.txt').read()", readable=readable)

    assert "secret" == answer.value
    assert "basic" == answer.report["level"]
    assert [f"files: {jailer.arena}/hidden can be read"] == answer.report["missing"]


def test_a_hidden_folder_that_does_not_exist_is_no_leak(jailer: Jailer, abi: int) -> None:
    """A course without chaffs, for instance."""
    answer = jailer.run_jailed("", hidden=(str(jailer.arena / "nowhere"),))

    assert "strong" == answer.report["level"]


def test_a_readable_path_that_does_not_exist_is_left_out(jailer: Jailer, abi: int) -> None:
    """The list is made on the trusted side, and files may go meanwhile."""
    answer = jailer.run_jailed("", readable=(*jailer.settings().readable, "/nowhere/at/all"))

    assert "strong" == answer.report["level"]


def test_a_kernel_without_landlock_is_reported_with_its_reason(ordinary: Jailer) -> None:
    """As under gVisor, or before Linux 5.13."""
    no_such_call = "def refuse(*_): raise OSError(38, 'Function not implemented')\nlandlock.system_call = refuse"

    answer = ordinary.run_jailed("", before=no_such_call)

    assert "landlock: [Errno 38] Function not implemented" in answer.report["missing"]
    assert "basic" == answer.report["level"]


def test_a_processor_whose_calls_are_not_known_is_reported(ordinary: Jailer) -> None:
    """Wrong numbers would be worse than none."""
    answer = ordinary.run_jailed("", before="platform.machine = lambda: 'riscv64'")

    assert "seccomp: the system call numbers of riscv64 are not known" in answer.report["missing"]
    assert "process" == answer.report["level"]


def test_other_systems_get_what_posix_gives(ordinary: Jailer) -> None:
    """A separate process, and limits on it: nothing of Linux is touched, and nothing more is claimed."""
    answer = ordinary.run_jailed("", before="sys.platform = 'darwin'")

    held = [layer.partition(":")[0] for layer in answer.report["layers"]]
    assert ["session", "umask", "directory", "limits"] == held
    assert "seccomp: only Linux has it" in answer.report["missing"]
    assert "process" == answer.report["level"]


def test_a_layer_that_fails_does_not_stop_the_others(ordinary: Jailer) -> None:
    """The trusted side decides whether what is left is enough."""
    answer = ordinary.run_jailed("", working_directory="/nowhere/at/all")

    assert "directory: [Errno 2] No such file or directory: '/nowhere/at/all'" in answer.report["missing"]
    assert any(layer == "seccomp" for layer in answer.report["layers"])


def test_a_container_without_spare_users_leaves_root_without_capabilities(jailer: Jailer) -> None:
    """In a user namespace only some ids exist; the kernel calls the others invalid."""
    no_such_user = "def refuse(*_): raise OSError(22, 'Invalid argument')\nuser.os.setresgid = refuse"

    answer = jailer.run_jailed("", before=no_such_user)

    expected = "an ordinary user" if jailer.user == USERS[0] else "root without capabilities"
    assert f"user: {expected}" in answer.report["layers"]


def test_the_level_is_read_from_the_layers_alone() -> None:
    """So that what is stored with a grade can be judged again."""
    assert "strong" == JailReport(("limits: all", "seccomp", "files"), ()).level
    assert "basic" == JailReport(("limits: all", "seccomp"), ()).level
    assert "process" == JailReport(("limits: all", "files"), ()).level
    assert "process" == JailReport(("seccomp of another kind", "limits", "files"), ()).level
