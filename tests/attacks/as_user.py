"""
Run tests as another kind of user than the one at hand: what the system refuses depends on it.

Run as root: ``python -m tests.attacks.as_user KIND [PYTEST ARGUMENT …]``, where KIND is ``ordinary`` (an ordinary
user), ``own`` (root, each worker a user of its own) or ``closed`` (root, with Python under a home that is closed to
others, where workers stay root without capabilities). In a mount namespace of its own, so that nothing is changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from shlex import quote
from typing import Final

from grader.sandbox.jail import readable_paths
from grader.sandbox.jail.user import open_to_everyone

KINDS: Final = ("ordinary", "own", "closed")
ROOT: Final = Path(__file__).parents[2]
_NOBODY: Final = 65534


class CannotBecomeError(Exception):
    """This machine does not let us be that user; its text says why."""


def kind_at_hand() -> str:
    """Return the kind of user that this process is."""
    if os.geteuid():
        return "ordinary"
    return "own" if open_to_everyone(readable_paths()) else "closed"


def run_tests(kind: str, arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """
    Run pytest as a kind of user.

    Raises:
        CannotBecomeError: If this machine does not let us.
    """
    if os.geteuid():
        raise CannotBecomeError("only root can become another user")
    if not shutil.which("unshare") or not shutil.which("setpriv"):
        raise CannotBecomeError("unshare and setpriv are not installed")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise CannotBecomeError("this machine allows no mount namespace")
    with tempfile.TemporaryDirectory(prefix="as-user-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        lines = ["set -e", *(_close(home) if kind == "closed" else _open(home))]
        python = home / "closed" / "prefix" / "bin" / Path(sys.executable).name if kind == "closed" else sys.executable
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        own = home / "own"
        own.mkdir()
        own.chmod(0o755 if kind == "own" else 0o700)
        if kind == "ordinary":
            os.chown(own, _NOBODY, _NOBODY)
            command = [
                "setpriv",
                f"--reuid={_NOBODY}",
                f"--regid={_NOBODY}",
                "--clear-groups",
                "--inh-caps=-all",
                *command,
            ]
        lines.append("exec " + " ".join(map(quote, command)))
        environment = os.environ | {"HOME": str(own), "TMPDIR": str(own), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", "\n".join(lines)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            cwd=ROOT,
            env=environment,
            check=False,
        )


def _open(home: Path) -> list[str]:
    """Let everybody reach Python, with nothing else of the home that it lies in."""
    base = os.path.realpath(sys.base_prefix)
    closed = [str(parent) for parent in reversed(Path(base).parents) if not open_to_everyone([str(parent)])]
    lines = []
    if closed:
        held = home / "base"
        held.mkdir()
        lines = [
            f"mount --bind {quote(base)} {quote(str(held))}",
            f"mount -t tmpfs -o mode=755 none {quote(closed[0])}",
            f"mkdir -p {quote(base)}",
            f"mount --bind {quote(str(held))} {quote(base)}",
        ]
    for path in (*readable_paths(), str(ROOT)):
        if not path.startswith(base + os.sep) and path != base and not open_to_everyone([path]):
            raise CannotBecomeError(f"{path} is closed to others")
    return lines


def _close(home: Path) -> list[str]:
    """Put the environment that Python lives in where only its owner can go."""
    closed = home / "closed"
    (closed / "prefix").mkdir(parents=True)
    closed.chmod(0o700)
    return [f"mount --bind {quote(sys.prefix)} {quote(str(closed / 'prefix'))}"]


def main() -> None:
    """Run and print."""
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        raise SystemExit(__doc__)
    try:
        result = run_tests(sys.argv[1], sys.argv[2:] or ["tests/attacks/test_attacks.py"])
    except CannotBecomeError as error:
        raise SystemExit(f"cannot run as another user: {error}") from None
    sys.stdout.write(result.stdout + result.stderr)
    raise SystemExit(result.returncode)


if __name__ == "__main__":
    main()
