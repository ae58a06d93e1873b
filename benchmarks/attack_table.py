"""
Write the table of docs/SECURITY.md that shows which attacks get further without which layer of the jail.

Run: ``python benchmarks/attack_table.py [--write] [--only NAME …]``. Every attack of ``tests/attacks/corpus.py`` is
graded with each optional layer turned off in turn, and with the two that matter most turned off together. An attack
gets further if the system did not refuse what it tried, or if it left anything behind. Without ``--write`` the table
is printed. Ends with status 1 if in any of these cases an attack gained a point, made a report incomplete or left a
process.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.sandbox.jail import LAYERS
from tests.attacks.arena import Arena, Outcome
from tests.attacks.corpus import ATTACKS, GROUPS, Attack

PAGE = Path(__file__).parents[1] / "docs" / "SECURITY.md"
BEGIN = "<!-- attack table: begin (python benchmarks/attack_table.py --write) -->"
END = "<!-- attack table: end -->"
TOGETHER = ("landlock", "seccomp")
HEAD = ("| without | attacks that get further | which |", "|---|---|---|")


def cases() -> list[tuple[str, ...]]:
    """Return the sets of layers to turn off."""
    return [(), *((layer,) for layer in LAYERS), TOGETHER]


def try_attacks(layers_off: Sequence[str], attacks: Sequence[Attack]) -> tuple[list[str], list[str]]:
    """Return the attacks that got further, and what must not be with any layers."""
    further, faults = [], []
    # Short limits: the attacks that only wait would take most of the time otherwise.
    with Arena(layers_off, call_s=0.6, import_s=2.0) as arena:
        for attack in attacks:
            outcome = arena.attack(attack)
            if outcome.got_through or outcome.traces:
                further.append(attack.name)
            faults += [
                f"without {' and '.join(layers_off) or 'nothing'}: {attack.name}: {it}"
                for it in faults_of(attack, outcome)
            ]
    return further, faults


def faults_of(attack: Attack, outcome: Outcome) -> list[str]:
    """Say what is wrong whatever the jail is: points, the report, and processes do not rest on it."""
    faults = [trace for trace in outcome.traces if "process is left" in trace]
    if outcome.report.score > attack.most:
        faults.append(f"{outcome.report.score} points instead of {attack.most}")
    if not outcome.report.complete:
        faults.append("the report is incomplete")
    return faults


def row(layers_off: Sequence[str], further: Sequence[str]) -> str:
    """Return one line of the table."""
    without = " and ".join(f"`{layer}`" for layer in layers_off) or "nothing"
    return f"| {without} | {len(further)} | {'; '.join(further) or '—'} |"


def table(rows: Sequence[str], user: str, attacks: int) -> str:
    """Return what stands between the markers."""
    who = (
        f"{attacks} attacks, in {len(GROUPS)} groups, tried as {user}. No attack gained a point in any of these cases."
    )
    return "\n".join([BEGIN, who, "", *HEAD, *rows, END])


def put_into(page: str, text: str) -> str:
    """Return the page with the text between its markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE}: expected the markers {BEGIN} and {END}")
    return f"{before}{text}{after}"


def main() -> None:
    """Try everything, then print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/SECURITY.md")
    parser.add_argument("--only", nargs="*", help="names of attacks")
    arguments = parser.parse_args()
    attacks = [attack for attack in ATTACKS if not arguments.only or attack.name in arguments.only]
    rows, faults = [], []
    for layers_off in cases():
        further, wrong = try_attacks(layers_off, attacks)
        rows.append(row(layers_off, further))
        faults += wrong
        print(rows[-1], file=sys.stderr, flush=True)
    for fault in faults:
        print(f"fault: {fault}", file=sys.stderr)
    if faults:
        raise SystemExit(1)
    text = table(rows, "root" if os.geteuid() == 0 else "an ordinary user", len(attacks))
    if arguments.write:
        PAGE.write_text(put_into(PAGE.read_text("utf-8"), text), "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
