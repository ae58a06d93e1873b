"""Name a mistake by its answers: replay a failed check's calls on known mistakes and see which one answers alike."""

from __future__ import annotations

import contextlib
import functools
import math
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch

from grader.model.report import Diagnosis
from grader.sandbox.executor import Executor, Reply, Request, describe_module
from grader.sandbox.namespace import LearnerFile, LearnerModules
from grader.sandbox.picture import read_picture
from grader.sandbox.stand_ins import StandIn
from grader.sandbox.wire import Handle
from grader.suite.error_kinds import kind_of_error
from grader.suite.time_limit import NeverEndsError, TimeLimit

if TYPE_CHECKING:
    from grader.model.course import Chaff
    from grader.sandbox.remote import Exchange

_TOLERANCE: Final = {torch.float16: 4e-3, torch.bfloat16: 3e-2}
"""Two correct forms of one computation differ by about this much in half types; by far less in the others."""
_DEFAULT_TOLERANCE: Final = 2e-5
_SHARE_OF_DISTANCE: Final = 1e-3
"""A mistake may enlarge rounding: sines of wrong and large angles differ in the fourth digit between two forms."""
_COMPARABLE: Final = (torch.Tensor, list, tuple, dict, str, int, float, type(None))
_SOLUTION: Final = ""
"""The name that stands for the solution among the chaffs' ids."""
_ANSWER_S: Final = 5.0
"""Known code answers in milliseconds, and is read in as many."""
_NO_ANSWER: Final[Reply] = {"ok": False, "kind": "never_ends"}
"""What is said for known code that did not end: like no answer of a learner's code."""


@dataclass(frozen=True)
class Transcript:
    """What one check asked, what the learner's code answered, and the numbers that an explanation may name."""

    exchanges: Sequence[Exchange]
    numbers: dict[str, float]

    @property
    def calls(self) -> int:
        """How many calls of the learner's code there were."""
        return sum(exchange.request["op"] == "call" for exchange in self.exchanges)

    @property
    def is_whole(self) -> bool:
        """Whether there were calls and every one was answered; of a check that trains none are kept."""
        return self.calls > 0 and all(exchange.reply is not None for exchange in self.exchanges)


@dataclass
class Fingerprints:
    """
    The known mistakes of one exercise, loaded when first needed.

    Args:
        exercise_id: The exercise.
        chaffs: Reads its chaffs; called at the first failure.
        code: Reads the code of a chaff, when it is needed.
        solution: The reference, whose answers no mistake's may equal.
        stand_ins: What the exercise builds on.
        exercise_ids: All exercises of the course.
    """

    exercise_id: str
    chaffs: Callable[[], Sequence[Chaff]]
    code: Callable[[str], str]
    solution: str
    stand_ins: Sequence[StandIn]
    exercise_ids: Sequence[str]

    def __post_init__(self) -> None:
        self._executors: dict[str, Executor] = {}
        self._endless: set[str] = set()

    def diagnose(
        self,
        transcripts: Mapping[str, Transcript],
        criteria: Mapping[str, str],
        failed: Collection[str],
        earned: Collection[str],
    ) -> dict[str, Diagnosis]:
        """
        Name the mistakes behind the failed checks of one exercise.

        A known mistake explains a failed check of a criterion that it loses if it answers each of the check's calls as
        the learner's code did and the solution does not. A check contradicts a mistake that answers it neither as the
        learner's code did nor as the solution does. It is out if a failed check of the criteria that it loses
        contradicts it. Where several explain a check, no passed check of these criteria may contradict one either,
        those come first whose exceptions say what the learner's say, and the one that explains most of the failed
        checks is meant; where none does, nothing is claimed.

        A mistake that loses a criterion that was earned is asked only about criteria for which no other explains
        anything, since code may avoid a part of what a mistake usually costs. Two mistakes at once are not meant then.

        An exception says little about where it comes from. So one is explained only where all that were raised of its
        kind are: a slip that raises everywhere is not the mistake that raises in one place.

        Args:
            transcripts: What each check that ran asked and was answered, by check.
            criteria: The criterion of each check.
            failed: The checks to explain.
            earned: The criteria that were earned.

        Returns:
            A diagnosis for each failed check that has exactly one explanation.
        """
        whole = {check: transcript for check, transcript in transcripts.items() if transcript.is_whole}
        comparison = _Comparison(self, whole)
        # What takes few requests settles most.
        cheapest = sorted((check for check in failed if check in whole), key=lambda check: len(whole[check].exchanges))
        wrong = [check for check in cheapest if not comparison.agrees(_SOLUTION, check)]
        passed = [check for check in whole if check not in failed]
        found: dict[str, Diagnosis] = {}
        likely = [chaff for chaff in self._known if set(chaff.loses).isdisjoint(earned)]
        rest = [chaff for chaff in self._known if not chaff.parts and not set(chaff.loses).isdisjoint(earned)]
        for chaffs, must_stand in ((likely, False), (rest, True)):
            named = {criteria[check] for check in found}
            left = [check for check in wrong if criteria[check] not in named]
            if left:
                found |= self._explain_checks(chaffs, comparison, criteria, left, passed, must_stand=must_stand)
        return {check: found[check] for check in failed if check in found}

    def _explain_checks(
        self,
        chaffs: Sequence[Chaff],
        comparison: _Comparison,
        criteria: Mapping[str, str],
        wrong: Sequence[str],
        passed: Sequence[str],
        *,
        must_stand: bool,
    ) -> dict[str, Diagnosis]:
        """Name what one of these mistakes explains; ``must_stand`` asks passed checks even where only one does."""
        lost = {criteria[check] for check in wrong}
        explained: dict[str, set[str]] = {}
        possible = []
        for chaff in chaffs:
            checks = [check for check in wrong if criteria[check] in chaff.loses]
            if checks and not any(comparison.contradicts(chaff.id, check) for check in checks):
                explained[chaff.id] = {check for check in checks if comparison.agrees(chaff.id, check)}
                possible.append(chaff)

        def stands(chaff: Chaff) -> bool:
            return not any(
                criteria[check] in lost.intersection(chaff.loses) and comparison.contradicts(chaff.id, check)
                for check in passed
            )

        unexplained = set(wrong).difference(*explained.values())
        doubtful = {comparison.exception(check) for check in unexplained} - {""}
        found = {}
        for check in wrong:
            if comparison.exception(check) in doubtful:
                continue
            matching = [chaff for chaff in possible if check in explained[chaff.id]]
            if must_stand or _count_misconceptions(matching) > 1:
                matching = [chaff for chaff in matching if stands(chaff)]
            if _count_misconceptions(matching) > 1:
                to_the_word = [chaff for chaff in matching if comparison.agrees_to_the_word(chaff.id, check)]
                matching = to_the_word or matching
            chosen = _choose(matching, explained)
            if chosen is not None:
                found[check] = _describe(chosen, comparison.transcripts[check])
        return found

    @functools.cached_property
    def _known(self) -> Sequence[Chaff]:
        return self.chaffs()

    @property
    def reference(self) -> Executor:
        """The solution, ready to be asked."""
        return self.executor(_SOLUTION)

    def executor(self, name: str) -> Executor:
        """Return a chaff's code, or the solution's, ready to be asked."""
        if name not in self._executors:
            text = self.code(name) if name else self.solution
            self._executors[name] = load_known_code(text, self.exercise_id, self.stand_ins, self.exercise_ids)
        return self._executors[name]

    def answer(self, name: str, request: Request, theirs: Reply) -> Reply:
        """Answer a request with a chaff's code, or the solution's; see `_perform_like`. If it never ends, none does."""
        if name in self._endless:
            return _NO_ANSWER
        with contextlib.suppress(NeverEndsError), TimeLimit(_ANSWER_S) as limit:
            reply = _perform_like(self.executor(name), request, theirs)
        if limit.over:
            self._endless.add(name)
            return _NO_ANSWER
        return reply


def _count_misconceptions(chaffs: Sequence[Chaff]) -> int:
    return len({chaff.misconception for chaff in chaffs})


def _choose(matching: Sequence[Chaff], explained: Mapping[str, set[str]]) -> Chaff | None:
    """Return the chaff that explains more than every chaff with another misconception, if there is one."""
    for chaff in matching:
        rivals = [other for other in matching if other.misconception != chaff.misconception]
        if all(explained[other.id] < explained[chaff.id] for other in rivals):
            return chaff
    return None


@dataclass(frozen=True)
class _Likeness:
    """What known code's answers to one check are like."""

    theirs: bool
    """All are as the learner's."""
    to_the_word: bool
    """So are what their exceptions say."""
    right: bool
    """All are as the solution's."""


class _Comparison:
    """Compares known code with one submission's answers, each check at most once and no further than needed."""

    def __init__(self, fingerprints: Fingerprints, transcripts: Mapping[str, Transcript]) -> None:
        self._fingerprints = fingerprints
        self.transcripts = transcripts
        self._likeness: dict[tuple[str, str], _Likeness] = {}
        self._right: dict[str, list[Reply]] = {}

    def agrees(self, name: str, check: str) -> bool:
        """Whether known code answers a check's calls as the learner's code did."""
        return self._compare(name, check).theirs

    def agrees_to_the_word(self, name: str, check: str) -> bool:
        """Whether even the exceptions are those of the learner's code, and not only of their kind."""
        return self._compare(name, check).to_the_word

    def contradicts(self, name: str, check: str) -> bool:
        """Whether known code answers a check neither as the learner's code did nor as the solution does."""
        likeness = self._compare(name, check)
        return not likeness.theirs and not likeness.right

    def exception(self, check: str) -> str:
        """Return the kind of the exception that the learner's code ended a check with, where the solution does not."""
        for exchange, right in zip(self.transcripts[check].exchanges, self._solution(check), strict=True):
            theirs = exchange.reply or {}
            if right["ok"] and not theirs.get("ok"):
                return _exception_kind(theirs)
        return ""

    def _compare(self, name: str, check: str) -> _Likeness:
        key = (name, check)
        if key not in self._likeness:
            self._likeness[key] = self._replay(name, check)
        return self._likeness[key]

    def _replay(self, name: str, check: str) -> _Likeness:
        """Ask known code what the check asked, until it has differed from both the learner's code and the solution."""
        solution = self._solution(check)
        like_theirs = to_the_word = like_right = True
        for exchange, right in zip(self.transcripts[check].exchanges, solution, strict=True):
            theirs = exchange.reply or {}
            ours = right if name == _SOLUTION else self._fingerprints.answer(name, exchange.request, theirs)
            # Where the solution refuses too, refusing is what was asked for, in whatever words.
            refuses = not ours["ok"] and not right["ok"]
            refused = refuses and not theirs.get("ok")
            like_theirs = like_theirs and (refused or replies_alike(ours, theirs, right))
            to_the_word = to_the_word and (refused or ours["ok"] or _say_the_same(ours, theirs))
            like_right = like_right and (ours is right or refuses or replies_alike(ours, right, right))
            if not like_theirs and not like_right:
                break
        return _Likeness(like_theirs, like_theirs and to_the_word, like_right)

    def _solution(self, check: str) -> list[Reply]:
        if check not in self._right:
            self._right[check] = [
                self._fingerprints.answer(_SOLUTION, exchange.request, exchange.reply or {})
                for exchange in self.transcripts[check].exchanges
            ]
        return self._right[check]


def _perform_like(executor: Executor, request: Request, theirs: Reply) -> Reply:
    """
    Answer a request with known code whose modules start like the learner's.

    Whether a layer has a bias is the learner's choice, and the values that it starts with are chance; both would make
    every answer differ for no reason that matters. Replies that make or describe a module tell them.
    """
    reply = executor.perform(request)
    started = theirs.get("parameters")
    if "parameters" not in reply or type(started) is not dict:
        return reply
    handle = reply.get("value", request["target"])
    assert isinstance(handle, Handle)
    module = executor.objects[handle.number]
    start_like(module, {name: value for name, value in started.items() if isinstance(value, torch.Tensor)})
    return {**reply, **describe_module(module)}


def start_like(module: torch.nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """Give a module's layers biases just where the other module has them, and its parameters the other's values."""
    for prefix, layer in module.named_modules():
        if "bias" not in layer._parameters:
            continue
        theirs = values.get(f"{prefix}.bias")
        if theirs is not None and theirs.is_floating_point():  # a worker may claim a bias of any dtype
            if layer.bias is None:
                layer.bias = torch.nn.Parameter(torch.zeros_like(theirs))
        else:
            layer.bias = None
    for name, parameter in module.named_parameters():
        value = values.get(name)
        if value is not None and value.shape == parameter.shape and value.dtype is parameter.dtype:
            with torch.no_grad():
                parameter.copy_(value)


def load_known_code(text: str, exercise_id: str, stand_ins: Sequence[StandIn], exercise_ids: Sequence[str]) -> Executor:
    """Load trusted code of a course in this process, to be asked like a worker."""
    path = f"{exercise_id}.py"
    files = [LearnerFile(path, is_notebook=False, cells=(("", text),))]
    modules = LearnerModules(files, exercise_ids, stand_ins, [name for other in stand_ins for name in other.names])

    def load() -> types.ModuleType:
        with modules.installed():
            return modules.load(path)

    return Executor(load(), modules, load)


def replies_alike(ours: Reply, theirs: Reply, right: Reply | None = None) -> bool:
    """
    Whether two replies to one request say the same, up to small numerical differences.

    Args:
        ours: Known code's reply.
        theirs: The learner's.
        right: The solution's. What differs by a thousandth of the distance to it is a rounding of the same mistake.
    """
    if ours.get("ok") is not theirs.get("ok"):
        return False
    if not ours["ok"]:
        return _errors_alike(ours, theirs)
    keys = (ours.keys() | theirs.keys()) - {"ok", "notes"}
    if (ours.keys() ^ theirs.keys()) & keys:
        return False
    right = right or {}
    return all(values_alike(*(_comparable(key, reply.get(key)) for reply in (ours, theirs, right))) for key in keys)


def _comparable(key: str, value: Any) -> Any:
    """Return what of a part of a reply is no matter of taste."""
    if key != "picture" or value is None:
        return value
    picture = read_picture(value)
    return picture and picture.same_to_a_viewer()


def _errors_alike(ours: Reply, theirs: Reply) -> bool:
    return ours["kind"] == theirs.get("kind") and _exception_kind(ours) == _exception_kind(theirs)


def _say_the_same(ours: Reply, theirs: Reply) -> bool:
    return all(ours.get(key) == theirs.get(key) for key in ("type", "message"))


def _exception_kind(reply: Reply) -> str:
    """Return what an exception has in common with that of the same mistake in other words and operations."""
    if reply.get("kind") == "device":
        # What it says depends on the operation that meets it first. That it is one does not, nor that NumPy is in it.
        return "NumPy" if "numpy" in str(reply.get("message")) else "device"
    if reply.get("own"):
        return "own"  # both refuse the same call by a raise of their own, each in its own words
    # Every field is the worker's claim.
    return kind_of_error(str(reply.get("type")), str(reply.get("message")))


def values_alike(ours: Any, theirs: Any, right: Any = None) -> bool:
    """Whether two values are of one shape and kind and equal up to small numerical differences; see `replies_alike`."""
    if isinstance(ours, torch.Tensor):
        return isinstance(theirs, torch.Tensor) and _tensors_alike(ours.detach(), theirs, right)
    if isinstance(ours, (list, tuple)):
        if not isinstance(theirs, (list, tuple)) or len(ours) != len(theirs):
            return False
        rights = right if isinstance(right, (list, tuple)) and len(right) == len(ours) else [None] * len(ours)
        return all(values_alike(a, b, c) for a, b, c in zip(ours, theirs, rights, strict=True))
    if isinstance(ours, dict):
        if not isinstance(theirs, dict) or ours.keys() != theirs.keys():
            return False
        known = right if isinstance(right, dict) else {}
        return all(values_alike(value, theirs[key], known.get(key)) for key, value in ours.items())
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))
    if not isinstance(ours, _COMPARABLE):  # what does not cross: known code's is the thing itself, and theirs its name
        return isinstance(ours, Handle) == isinstance(theirs, Handle) and not isinstance(theirs, _COMPARABLE)
    return type(ours) is type(theirs) and bool(ours == theirs)


def _tensors_alike(ours: torch.Tensor, theirs: torch.Tensor, right: Any) -> bool:
    if ours.shape != theirs.shape or ours.dtype is not theirs.dtype:
        return False
    if torch.equal(ours, theirs):  # most are, and this is told in a tenth of the time
        return True
    if not (ours.is_floating_point() or ours.is_complex()):
        return False
    wide = torch.complex128 if ours.is_complex() else torch.float64
    a, b = ours.to(wide), theirs.to(wide)
    tolerance = _TOLERANCE.get(ours.dtype, _DEFAULT_TOLERANCE)
    slack = tolerance
    if isinstance(right, torch.Tensor) and right.shape == b.shape and right.dtype is theirs.dtype and b.numel():
        distance = (b - right.detach().to(wide)).abs()
        finite = distance[distance.isfinite()]
        if finite.numel():
            slack = max(slack, _SHARE_OF_DISTANCE * float(finite.max()))
    return bool(torch.allclose(a, b, rtol=tolerance, atol=slack, equal_nan=True))


def _describe(chaff: Chaff, transcript: Transcript) -> Diagnosis:
    parts = chaff.parts or (chaff,)
    explanation = " ".join(_explain(part, transcript.numbers) for part in parts)
    times = "the one call" if transcript.calls == 1 else f"all {transcript.calls} calls"
    mistakes = "these two mistakes do" if chaff.parts else "this mistake does"
    return Diagnosis(
        misconception=chaff.misconception,
        explanation=f"Two mistakes at once. {explanation}" if chaff.parts else explanation,
        look_at=" ".join(part.look_at for part in parts),
        fact=f"In {times} of this check your code answers exactly as code with {mistakes}.",
    )


def _explain(chaff: Chaff, numbers: Mapping[str, float]) -> str:
    known = {**numbers, **{f"sqrt_{name}": math.sqrt(value) for name, value in numbers.items() if value >= 0}}
    if chaff.numbers:
        try:
            return chaff.numbers.format_map(known)
        except (KeyError, ValueError):  # this check drew other sizes than the sentence names
            return chaff.explanation
    return chaff.explanation
