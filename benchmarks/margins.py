"""Say how near right code comes to the bounds of the checks: ``python benchmarks/margins.py [SEEDS]``.

A verdict that depends on chance once in ten thousand seeds is not met on the few hundred that `flakiness.py` tries.
This measures how far each comparison in the hidden suites was from coming out otherwise, so that a bound which trusts
to luck is seen long before it turns a verdict round. The suites run from copies in which each ``a > b`` leaves word of
how far apart its sides are, and `expect_close` of how much of its tolerance was used.

Each line that is printed is one comparison, the nearest first: the factor that was left to its bound, on the nearest
draw, the next and the median one. Not every comparison is a bound; some draw masks, or choose between two readings.
"""

import argparse
import ast
import collections
import math
import operator
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from flakiness import ACCEPTED, Trial
from trained_checks import TRAINED

from grader.course.load import load_course
from grader.course.trees import builtin_course
from grader.suite.plugin import SuitePlugin, run_suites

TREES = builtin_course()
_COMPARE: Final = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_SYMBOLS: Final[dict[type[ast.cmpop], str]] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Margins:
    """What the suites left word of: by suite and line, how many powers of ten were left, and where that was."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], list[tuple[float, str]]] = collections.defaultdict(list)
        self.where = ""

    def compare(self, left: Any, symbol: str, right: Any, reduced: str) -> Any:
        """Compare as a suite would have; ``reduced`` says whether any() or all() follows."""
        if _is_real(left) or _is_real(right):
            sides = [torch.as_tensor(side).detach().to(torch.float64).abs() for side in (left, right)]
            gap = (sides[0] / sides[1]).log10().nan_to_num(math.inf).flatten()
            if reduced and len(gap):
                # One element decides: for any() that which is furthest on the side of True, for all() of False.
                gap = gap.max() if (reduced == "any") == (symbol[0] == ">") else gap.min()
            self._keep(gap)
        return _COMPARE[symbol](left, right)

    def isclose(self, got: torch.Tensor, expected: torch.Tensor, *, rtol: float, atol: float, equal_nan: bool) -> Any:
        """Do what `expect_close` does, and keep how much of the tolerance was used."""
        used = ((got - expected).abs() / (atol + rtol * expected.abs())).nan_to_num(0.0, 0.0).flatten()
        self._keep(used.max().log10() if len(used) else used)
        return torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)

    def _keep(self, gap: torch.Tensor) -> None:
        frame = sys._getframe(2)
        while not (path := Path(frame.f_code.co_filename)).name.startswith("test_"):
            assert frame.f_back is not None
            frame = frame.f_back
        least = float(gap.abs().min()) if gap.numel() else math.inf
        self.found[path.stem.removeprefix("test_"), frame.f_lineno].append((least, self.where))


def _is_real(side: Any) -> bool:
    return isinstance(side, float) or (isinstance(side, torch.Tensor) and side.is_floating_point())


def watched(source: str) -> str:
    """Return a suite's source in which comparisons leave word; every line stays where it was."""
    tree = ast.parse(source)
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    attributes = {node.value: node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    edits = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) > 1 or type(node.ops[0]) not in _SYMBOLS:
            continue
        symbol = _SYMBOLS[type(node.ops[0])]
        reduced = attributes.get(node) if attributes.get(node) in ("any", "all") else ""
        line, column = _end(node.left)
        while (at := lines[line].find(symbol.encode(), column)) < 0:
            line, column = line + 1, 0
        edits.append((node.lineno - 1, node.col_offset, 0, "_compare("))
        edits.append((line, at, len(symbol), f', "{symbol}",'))
        edits.append((*_end(node), 0, f', "{reduced}")'))
    for line, at, length, text in sorted(edits, reverse=True):
        lines[line] = lines[line][:at] + text.encode() + lines[line][at + length :]
    return b"".join(lines).decode()


def _end(node: ast.expr) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno - 1, node.end_col_offset


def run_watched(exercises: Sequence[str], margins: Margins, serve: Callable[[SuitePlugin], None]) -> None:
    """Call ``serve`` with suites that leave word."""
    # Not imported by its name, which in the package is that of a function.
    sys.modules["grader.suite.expect"]._isclose = margins.isclose  # type: ignore[attr-defined]

    def serve_watched(suites: SuitePlugin) -> None:
        for exercise in exercises:
            suites.module(exercise)._compare = margins.compare  # type: ignore[attr-defined]
        serve(suites)

    with tempfile.TemporaryDirectory() as folder:
        hidden = Path(folder) / TREES.hidden.name
        shutil.copytree(TREES.hidden, hidden)
        for exercise in exercises:
            suite = hidden / TREES.suite(exercise).name
            suite.write_text(watched(suite.read_text("utf-8")), "utf-8")
        run_suites(hidden, exercises, serve_watched)


def measure(
    exercises: Sequence[str], checks: Sequence[str], seeds: Sequence[int], forms: int, minutes: float
) -> Margins:
    """Run checks on right code and say whenever one does not pass."""
    margins = Margins()
    course = load_course(TREES)
    deadline = time.monotonic() + 60 * minutes

    def serve(suites: SuitePlugin) -> None:
        for seed, name in ((seed, name) for seed in seeds for name in exercises):
            exercise = course.exercise(name)
            trial = Trial(suites, course, exercise, seed)
            wheats = TREES.wheats(name)
            others = [wheats[(seed + at) % len(wheats)] for at in range(forms - 1)]
            for path in (TREES.solution(name), *others):
                if time.monotonic() > deadline:
                    return
                code = trial.code(path)
                for check in checks or (check for check in exercise.claims if not check.startswith(TRAINED)):
                    margins.where = f"{check}, {path.parent.name}/{path.stem}, seed {seed}"
                    result = code.result(check)
                    if result.verdict not in ACCEPTED:
                        print(f"Not passed: {margins.where}: {result.rationale} {result.message}", flush=True)

    run_watched(exercises, margins, serve)
    return margins


def rows(margins: Margins, below: float) -> Iterator[str]:
    """Yield a line for every comparison that had once less than this factor left."""
    for (least, where), (suite, line) in sorted((min(found), place) for place, found in margins.found.items()):
        if 10 ** min(least, 99.0) < below:
            found = margins.found[suite, line]
            factors = sorted(10 ** min(gap, 99.0) for gap, _ in found)
            source = TREES.suite(suite).read_text("utf-8").splitlines()[line - 1].strip()
            nearest, median = factors[:2], factors[len(factors) // 2]
            left = ", ".join(f"{factor:.3g}" for factor in (*nearest, median))
            yield f"{left} of {len(found)}, test_{suite}.py:{line} ({where})\n    {source}"


def main() -> None:
    """Measure, and print the comparisons that came near to their bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=100, metavar="SEEDS")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the lowest seed")
    parser.add_argument("--only", action="append", default=[], metavar="EXERCISE")
    parser.add_argument("--check", action="append", default=[], help="only this one, and what it depends on")
    parser.add_argument("--forms", type=int, default=2, help="how many a seed: the solution, and wheats in turn")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing after that")
    parser.add_argument("--below", type=float, default=10.0, metavar="FACTOR", help="show what had less than this left")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    exercises = arguments.only or [exercise.id for exercise in load_course(TREES).exercises]
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    margins = measure(exercises, arguments.check, seeds, arguments.forms, arguments.minutes)
    print("\n".join(rows(margins, arguments.below)))


if __name__ == "__main__":
    main()
