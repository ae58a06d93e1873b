"""
Count what gets through the jail with some of its layers turned off: ``python benchmarks/jail_layers.py``.

Every attempt is made for real, as an ordinary user; a cell counts the attempts that got through.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/unit/sandbox/jail"))

import jail_attempts
from jailer import USERS, Hosts, make_jailer, remove_arena, stop_host

CASES = {
    "all layers": frozenset(),
    "no Landlock": frozenset({"landlock"}),
    "no seccomp": frozenset({"seccomp"}),
    "neither": frozenset({"landlock", "seccomp"}),
}
GROUPS = {
    "read or list hidden files": jail_attempts.FILES,
    "write, rename, remove, chmod, lock": jail_attempts.WRITES,
    "read about other processes": jail_attempts.PROC,
    "trace, signal, slow down others": jail_attempts.OTHERS,
    "open a socket": jail_attempts.NETWORK,
    "start a program or process": jail_attempts.PROGRAMS,
    "leave its session, change limits": jail_attempts.ITSELF,
    "hold memory that no limit counts": jail_attempts.KERNEL,
}


def count_successes(attempts: dict[str, str], off: frozenset[str], hosts: Hosts) -> int:
    """Make each attempt in a fresh worker and arena; a worker that became another program got through too."""
    through = 0
    for code in attempts.values():
        jailer = make_jailer(USERS[0], hosts)
        through += jailer.run_jailed(code, off=off).outcome in ("done", "gone")
        remove_arena(jailer)
    return through


def main() -> None:
    """Print the table as Markdown."""
    hosts: Hosts = {}
    lines = [f"| attempts to | {' | '.join(CASES)} |", f"|---|{'---|' * len(CASES)}"]
    for name, attempts in GROUPS.items():
        cells = [f"{count_successes(attempts, off, hosts)} of {len(attempts)}" for off in CASES.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for host in hosts.values():
        stop_host(host)
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
