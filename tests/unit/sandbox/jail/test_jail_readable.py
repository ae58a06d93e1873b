"""What workers may read: all that Python and torch need, and nothing of the kit."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

import pytest
from jailer import REPOSITORY

from grader.sandbox.jail import kit_paths, readable_paths

ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import grader.sandbox.jail as jail
print(json.dumps({"readable": jail.readable_paths(exclude=sys.argv[2:]), "kit": jail.kit_paths()}))
"""


def allows(readable: Iterable[str], path: Path | str) -> bool:
    """Say whether a path is in the list or beneath something in it, as the kernel would."""
    resolved = os.path.realpath(path)
    targets = map(os.path.realpath, readable)
    return any(resolved == each or resolved.startswith(each + os.sep) for each in targets)


class Home:
    """A checkout of the kit with an environment inside it, and perhaps an installed copy of the kit."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "attention-dojo"
        for path in ("solutions/heads.py", "rubrics/heads.yaml", "tests/hidden/test_heads.py", "pyproject.toml"):
            (self.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / path).write_text("")
        self.environment = self.checkout / ".venv"
        venv.create(self.environment, with_pip=False, symlinks=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.site = self.environment / "lib" / version / "site-packages"
        for package in ("torch", "numpy"):
            (self.site / package).mkdir()
            (self.site / package / "__init__.py").write_text("")
        (self.site / "single.py").write_text("")

    def install_into(self, folder: Path) -> Path:
        """Copy the kit, as far as this question needs it."""
        kit = folder / "grader"
        shutil.copytree(REPOSITORY / "grader" / "sandbox" / "jail", kit / "sandbox" / "jail")
        (kit / "_course").mkdir()
        (kit / "__init__.py").write_text("")
        (kit / "_course" / "secret.py").write_text("")
        return kit

    def ask(self, kit: Path, *exclude: Path) -> dict[str, list[str]]:
        """Ask the environment's Python, using this copy of the kit."""
        command = [str(self.environment / "bin" / "python"), "-I", "-c", ASK, str(kit.parent), *map(str, exclude)]
        return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a fresh checkout."""
    return Home(tmp_path)


def test_a_checkout_is_left_out_though_its_environment_lies_in_it(home: Home) -> None:
    """As after `git clone`, `python -m venv .venv`, `pip install -e .`."""
    readable = home.ask(home.install_into(home.checkout))["readable"]

    hidden = ("grader/_course/secret.py", "solutions/heads.py", "rubrics/heads.yaml", "tests/hidden/test_heads.py", ".")
    assert [] == [path for path in hidden if allows(readable, home.checkout / path)]
    assert allows(readable, home.site / "torch" / "__init__.py")
    assert str(home.environment / "lib") in readable  # as a whole, since nothing of the kit is in it


def test_an_installed_kit_is_left_out_of_its_site_packages(home: Home) -> None:
    """As after `pip install attention-dojo`: everything beside it stays readable, folder by folder."""
    kit = home.install_into(home.site)

    answer = home.ask(kit)

    assert not allows(answer["readable"], kit / "_course" / "secret.py")
    assert not allows(answer["readable"], kit / "__init__.py")
    assert allows(answer["readable"], home.site / "torch" / "__init__.py")
    assert allows(answer["readable"], home.site / "single.py")
    assert str(kit) in answer["kit"]
    assert str(home.checkout) not in answer["kit"]


def test_a_second_installed_copy_is_left_out_too(home: Home) -> None:
    """A checkout in use, and an older release of the kit in the same environment."""
    release = home.install_into(home.site)

    readable = home.ask(home.install_into(home.checkout))["readable"]

    assert not allows(readable, release / "_course" / "secret.py")
    assert allows(readable, home.site / "torch" / "__init__.py")


def test_what_the_caller_excludes_is_left_out(home: Home) -> None:
    """A course that an instructor keeps inside the environment, of all places, or behind a link."""
    course = home.site / "numpy" / "data" / "course"
    course.mkdir(parents=True)
    (course / "secret.py").write_text("")
    (course.parent / "other.py").write_text("")
    (home.checkout / "link").symlink_to(course)

    for named in (course, home.checkout / "link"):
        readable = home.ask(home.install_into(home.checkout), named)["readable"]

        assert not allows(readable, course / "secret.py")
        assert allows(readable, course.parent / "other.py")
        assert allows(readable, home.site / "numpy" / "__init__.py")
        shutil.rmtree(home.checkout / "grader")


def test_links_do_not_lead_around_the_exclusion(home: Home) -> None:
    """A link beside the kit is not followed: its target may be the kit."""
    kit = home.install_into(home.site)
    (home.site / "sneaky").symlink_to(kit)

    readable = home.ask(kit)["readable"]

    assert not allows(readable, kit / "_course" / "secret.py")


def test_a_package_under_development_is_readable(home: Home, tmp_path: Path) -> None:
    """torch built from its sources lies in no folder of packages."""
    sources = tmp_path / "sources" / "matplotlib"
    sources.mkdir(parents=True)
    (sources / "__init__.py").write_text("")
    (home.site / "developed.pth").write_text(str(sources.parent))

    readable = home.ask(home.install_into(home.checkout))["readable"]

    assert allows(readable, sources / "__init__.py")
    assert not allows(readable, sources.parent)


def test_a_package_inside_the_checkout_is_not(home: Home) -> None:
    """A folder that calls itself torch and lies beside the solutions is none that workers need."""
    planted = home.checkout / "solutions" / "matplotlib"
    planted.mkdir()
    (planted / "__init__.py").write_text("")
    (home.site / "planted.pth").write_text(str(planted.parent))

    readable = home.ask(home.install_into(home.checkout))["readable"]

    assert not allows(readable, planted)


def test_an_environment_made_in_the_checkout_itself_opens_nothing_else(home: Home) -> None:
    """`python -m venv .` puts `lib` beside the solutions."""
    venv.create(home.checkout, with_pip=False, symlinks=True)
    home.environment = home.checkout

    readable = home.ask(home.install_into(home.checkout))["readable"]

    assert allows(readable, home.checkout / "lib")
    assert not allows(readable, home.checkout / "solutions" / "heads.py")
    assert not allows(readable, home.checkout)


def test_another_interpreter_is_asked_where_its_things_are(home: Home) -> None:
    """The workers' Python need not be the grader's."""
    readable = readable_paths(str(home.environment / "bin" / "python"))

    assert allows(readable, home.site / "torch" / "__init__.py")


def test_the_running_interpreter_can_be_read() -> None:
    """Standard library, torch, shared libraries, and what the processor can do."""
    readable = readable_paths()

    torch = importlib.util.find_spec("torch")
    assert torch is not None

    for path in (os.__file__, str(torch.origin), "/etc/ld.so.cache", "/dev/null", "/proc/cpuinfo"):
        assert allows(readable, path) or not os.path.exists(path), path


def test_nothing_of_this_kit_and_of_people_can_be_read() -> None:
    """Its own folders, homes, settings, what other people handed in, and other processes."""
    readable = readable_paths()

    closed = [
        *kit_paths(),
        REPOSITORY / "solutions",
        REPOSITORY / "tests",
        "/",
        "/home",
        "/etc",
        "/tmp",
        "/proc",
        "/srv",
    ]
    assert [] == [path for path in closed if allows(readable, path)]
    assert not allows(readable, "/usr/local/share/nbgrader/exchange")
    assert not allows(readable, Path.home())


def test_no_path_is_listed_twice() -> None:
    """Each rule costs every worker some microseconds, and what lies in a listed folder needs none."""
    readable = readable_paths()

    assert sorted(set(readable)) == list(readable)
    assert [] == [path for path in readable if allows(set(readable) - {path}, path)]
