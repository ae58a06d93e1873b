"""Name a mistake by its answers: replay a failed check's calls on known mistakes and see which one answers alike."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch

from grader.model.report import Diagnosis
from grader.sandbox.executor import Executor, Reply, Request, describe_module
from grader.sandbox.namespace import LearnerFile, LearnerModules, StandIn
from grader.sandbox.wire import Handle

if TYPE_CHECKING:
    from grader.model.course import Chaff
    from grader.sandbox.remote import Exchange

_TOLERANCE: Final = {torch.float16: 4e-3, torch.bfloat16: 3e-2}
"""Two correct forms of one computation differ by about this much in half types; by far less in the others."""
_DEFAULT_TOLERANCE: Final = 2e-5
_SHARE_OF_DISTANCE: Final = 1e-3
"""A mistake may enlarge rounding: sines of wrong and large angles differ in the fourth digit between two forms."""
_SOLUTION: Final = ""
"""The name that stands for the solution among the chaffs' ids."""


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
        """Whether there were calls and every one was answered."""
        return self.calls > 0 and all(exchange.reply is not None for exchange in self.exchanges)


@dataclass
class Fingerprints:
    """
    The known mistakes of one exercise, loaded when first needed.

    Args:
        exercise_id: The exercise.
        chaffs: Reads its chaffs, each with its code; called at the first failure.
        solution: The reference, whose answers no mistake's may equal.
        stand_ins: What the exercise builds on.
        exercise_ids: All exercises of the course.
    """

    exercise_id: str
    chaffs: Callable[[], Sequence[tuple[Chaff, str]]]
    solution: str
    stand_ins: Sequence[StandIn]
    exercise_ids: Sequence[str]

    def __post_init__(self) -> None:
        self._executors: dict[str, Executor] = {}

    def diagnose(
        self,
        transcripts: Mapping[str, Transcript],
        criteria: Mapping[str, str],
        failed: Collection[str],
        lost: Collection[str],
    ) -> dict[str, Diagnosis]:
        """
        Name the mistakes behind the failed checks of one exercise.

        A known mistake explains a failed check of a criterion that it loses if it answers each of the check's calls as
        the learner's code did and the solution does not. A check contradicts a mistake that answers it neither as the
        learner's code did nor as the solution does. No failed check of the criteria that a mistake loses may contradict
        it. Where several explain a check, no passed check of these criteria may either, none may lose more criteria
        than were lost, and the one that explains most of the failed checks is meant; where none does, nothing is
        claimed.

        Args:
            transcripts: What each check that ran asked and was answered, by check.
            criteria: The criterion of each check.
            failed: The checks to explain.
            lost: Every criterion that was not earned.

        Returns:
            A diagnosis for each failed check that has exactly one explanation.
        """
        whole = {check: transcript for check, transcript in transcripts.items() if transcript.is_whole}
        comparison = _Comparison(self, whole)
        wrong = [check for check in failed if check in whole and not comparison.agrees(_SOLUTION, check)]
        passed = [check for check in whole if check not in failed]

        def contradicted(chaff: Chaff, checks: Sequence[str]) -> bool:
            return any(criteria[check] in chaff.loses and comparison.contradicts(chaff.id, check) for check in checks)

        explained = {
            chaff.id: {
                check for check in wrong if criteria[check] in chaff.loses and comparison.agrees(chaff.id, check)
            }
            for chaff, _ in self._known
        }
        possible = [chaff for chaff, _ in self._known if explained[chaff.id] and not contradicted(chaff, wrong)]
        found = {}
        for check in wrong:
            matching = [chaff for chaff in possible if check in explained[chaff.id]]
            if _count_misconceptions(matching) > 1:
                matching = [chaff for chaff in matching if set(chaff.loses) <= set(lost)]
            if _count_misconceptions(matching) > 1:
                matching = [chaff for chaff in matching if not contradicted(chaff, passed)]
            chaff = _choose(matching, explained)
            if chaff is not None:
                found[check] = _describe(chaff, transcripts[check])
        return found

    @functools.cached_property
    def _known(self) -> Sequence[tuple[Chaff, str]]:
        return self.chaffs()

    def executor(self, name: str) -> Executor:
        """Return a chaff's code, or the solution's, ready to be asked."""
        if name not in self._executors:
            texts = {_SOLUTION: self.solution, **{chaff.id: text for chaff, text in self._known}}
            self._executors[name] = load_known_code(texts[name], self.exercise_id, self.stand_ins, self.exercise_ids)
        return self._executors[name]


def _count_misconceptions(chaffs: Sequence[Chaff]) -> int:
    return len({chaff.misconception for chaff in chaffs})


def _choose(matching: Sequence[Chaff], explained: Mapping[str, set[str]]) -> Chaff | None:
    """Return the chaff that explains more than every chaff with another misconception, if there is one."""
    for chaff in matching:
        rivals = [other for other in matching if other.misconception != chaff.misconception]
        if all(explained[other.id] < explained[chaff.id] for other in rivals):
            return chaff
    return None


class _Comparison:
    """Compares known code with one submission's answers, each check at most once and no further than needed."""

    def __init__(self, fingerprints: Fingerprints, transcripts: Mapping[str, Transcript]) -> None:
        self._fingerprints = fingerprints
        self._transcripts = transcripts
        self._agreement: dict[tuple[str, str], bool] = {}
        self._right: dict[str, list[Reply]] = {}

    def agrees(self, name: str, check: str) -> bool:
        """Whether known code answers a check's calls as the learner's code did."""
        key = (name, check)
        if key not in self._agreement:
            theirs = [exchange.reply or {} for exchange in self._transcripts[check].exchanges]
            self._agreement[key] = self._answers_like(theirs, name, check)
        return self._agreement[key]

    def contradicts(self, name: str, check: str) -> bool:
        """Whether known code answers a check neither as the learner's code did nor as the solution does."""
        return not self.agrees(name, check) and not self._answers_like(self._solution(check), name, check)

    def _answers_like(self, wanted: Sequence[Reply], name: str, check: str) -> bool:
        executor = self._fingerprints.executor(name)
        exchanges = self._transcripts[check].exchanges
        for exchange, answer, right in zip(exchanges, wanted, self._solution(check), strict=True):
            ours = _perform_like(executor, exchange.request, exchange.reply or {})
            # Where the solution refuses too, refusing is what was asked for, in whatever words.
            refused = not ours["ok"] and not answer.get("ok") and not right["ok"]
            if not refused and not replies_alike(ours, answer, right):
                return False
        return True

    def _solution(self, check: str) -> list[Reply]:
        if check not in self._right:
            executor = self._fingerprints.executor(_SOLUTION)
            self._right[check] = [
                _perform_like(executor, exchange.request, exchange.reply or {})
                for exchange in self._transcripts[check].exchanges
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
    modules = LearnerModules([LearnerFile(path, is_notebook=False, cells=(("", text),))], exercise_ids, stand_ins)
    with modules.installed():
        return Executor(modules.load(path), modules)


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
    right = right or {}
    return all(key in ours and key in theirs and values_alike(ours[key], theirs[key], right.get(key)) for key in keys)


def _errors_alike(ours: Reply, theirs: Reply) -> bool:
    if ours["kind"] != theirs.get("kind"):
        return False
    if ours["kind"] == "device":
        return True  # what it says depends on the operation that meets it first; that it is one does not
    if ours["own"] and theirs.get("own"):
        return True  # both refuse the same call by a raise of their own, each in its own words
    return all(ours[key] == theirs.get(key) for key in ("type", "message"))


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
    if type(ours).__name__ in ("Handle", "Opaque"):
        return type(ours) is type(theirs)
    return type(ours) is type(theirs) and bool(ours == theirs)


def _tensors_alike(ours: torch.Tensor, theirs: torch.Tensor, right: Any) -> bool:
    if ours.shape != theirs.shape or ours.dtype is not theirs.dtype:
        return False
    if not (ours.is_floating_point() or ours.is_complex()):
        return bool(torch.equal(ours, theirs))
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
    numbers = transcript.numbers
    known = {**numbers, **{f"sqrt_{name}": math.sqrt(value) for name, value in numbers.items() if value >= 0}}
    explanation = chaff.explanation
    if chaff.numbers:
        try:
            explanation = chaff.numbers.format_map(known)
        except (KeyError, ValueError):  # this check drew other sizes than the sentence names
            explanation = chaff.explanation
    times = "the one call" if transcript.calls == 1 else f"all {transcript.calls} calls"
    return Diagnosis(
        misconception=chaff.misconception,
        explanation=explanation,
        look_at=chaff.look_at,
        fact=f"In {times} of this check your code answers exactly as code with this mistake does.",
    )
