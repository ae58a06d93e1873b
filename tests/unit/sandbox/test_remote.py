"""A worker's report of an error becomes a problem in words that do not repeat its message."""

import itertools

import pytest
import torch

from grader.model.verdict import Verdict
from grader.sandbox.problems import CannotJudgeError, LearnerProblem
from grader.sandbox.remote import Conversation, RemoteCallable, problem_from_reply, seed_of_call

SECRET = "0.25"
CALL = {"op": "call", "target": "double", "args": [], "device": "cpu"}


def problem(kind, message=SECRET, request=CALL, name="double"):
    """The problem that a report of this kind is."""
    reply = {"ok": False, "kind": kind, "type": "ValueError", "message": message, "frames": []}
    return problem_from_reply(reply, name, request)


@pytest.mark.parametrize("kind", ["raised", "todo", "missing", "gradient", "device", "refused", "nonsense"])
def test_no_sentence_repeats_the_message(kind: str) -> None:
    """It is the learner's text, or worse."""
    assert SECRET not in problem(kind).rationale


def test_a_missing_parameter_is_named_as_it_was_asked_for() -> None:
    """By the longest of the names that were asked for."""
    request = {"op": "set_state", "values": {"weight": None, "W_q.weight": None}}

    rationale = problem("missing", "Attention.W_q.weight", request, "MultiHeadAttention").rationale

    assert "`MultiHeadAttention.W_q.weight` is not there." == rationale


def test_a_forward_that_is_missing_is_the_promised_one_unless_their_code_calls_it() -> None:
    """An `nn.ModuleList` that is called has none either, and that is another mistake."""
    message = 'Module [ModuleList] is missing the required "forward" function'
    reply = {"ok": False, "kind": "raised", "type": "NotImplementedError", "message": message, "frames": []}
    frame = ["multihead.py", 7, "forward", "self.layers(x)"]

    outside, inside = (problem_from_reply(reply | {"frames": each}, "Attention", CALL) for each in ([], [frame]))

    assert (Verdict.MISSING, "`Attention.forward` is not there.") == (outside.verdict, outside.rationale)
    assert Verdict.RAISED is inside.verdict
    assert "Your code raised NotImplementedError at multihead.py, line 7." == inside.rationale


@pytest.mark.parametrize("request_", [CALL, CALL | {"device": "accelerator"}, {"op": "state"}])
def test_only_a_call_on_the_pretend_accelerator_can_be_beyond_judgement(request_: dict) -> None:
    """Such a check passes with a remark, so claiming it anywhere else is a forgery."""
    found = problem("unjudged", request=request_)

    assert (Verdict.CRASHED, "ProtocolError") == (found.verdict, found.type_name)


def test_a_call_on_the_pretend_accelerator_can_be_beyond_judgement() -> None:
    """What fails there need not fail on a real one."""
    with pytest.raises(CannotJudgeError, match="raised ValueError"):
        problem("unjudged", request=CALL | {"device": "pretend"})


def test_a_refusal_on_the_pretend_accelerator_is_a_mistake() -> None:
    """A raise of the learner's own is no limit of the pretence, and nowhere else says more than any other."""
    there, here = (problem("refused", request=CALL | {"device": device}) for device in ("pretend", "cpu"))

    assert (Verdict.FAILED, Verdict.RAISED) == (there.verdict, here.verdict)
    assert "On an accelerator `double` would fail: your own code refuses tensors there." == there.rationale


@pytest.mark.parametrize("field", ["kind", "type", "message"])
def test_what_is_no_text_is_none(field: str) -> None:
    """Making text of a tensor that a worker sent would take the time that it chooses."""

    class Trap:
        def __str__(self) -> str:
            raise AssertionError("made into text")

    reply = {"ok": False, "kind": "raised", "type": "ValueError", "message": "no", "frames": []} | {field: Trap()}

    assert Verdict.RAISED == problem_from_reply(reply, "double", CALL).verdict


def test_large_replies_are_not_kept_for_a_diagnosis() -> None:
    """Else a worker could fill the grader's memory, one large tensor for each call."""
    tensor = torch.zeros(1 << 20)  # 4 MiB
    conversation = Conversation(lambda *_: {"ok": True, "value": [tensor], "changed": [], "devices": []}, 1)

    for _ in range(4):
        conversation.call("double", "double", [], "cpu")

    assert [True, True, False, False] == [exchange.reply is not None for exchange in conversation.exchanges]


def test_the_seeds_of_calls_tell_neither_the_check_s_nor_their_number() -> None:
    """Two of them would give a sum away: the difference of two neighbours is another one for every pair."""
    seeds = [seed_of_call(7, number) for number in range(200)]

    assert all(0 <= seed < 1 << 31 for seed in seeds)
    assert 199 == len({(after - before) % (1 << 31) for before, after in itertools.pairwise(seeds)})
    assert seeds == [seed_of_call(7, number) for number in range(200)]
    assert seeds != [seed_of_call(8, number) for number in range(200)]


X = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("field", "claim"),
    [
        ("changed", [2]),
        ("changed", [-1]),
        ("changed", 0),
        ("changed", [True]),
        ("devices", ["here"]),
        ("devices", ["\x1b[2J"]),
        ("devices", "cpu"),
    ],
)
def test_what_a_call_cannot_have_done_is_a_forgery(field: str, claim: object) -> None:
    """Suites read it without looking."""
    reply = {"ok": True, "value": X, "changed": [0], "devices": ["cpu"]} | {field: claim}
    double = RemoteCallable(Conversation(lambda *_: reply, 1), "double", "double")

    with pytest.raises(LearnerProblem) as caught:
        double.observe(X, 1)

    assert (Verdict.CRASHED, "ProtocolError") == (caught.value.verdict, caught.value.type_name)


@pytest.mark.parametrize(
    "found",
    [
        None,
        {"arguments": [X]},
        {"arguments": X, "parameters": {}},
        {"arguments": [X, None, None], "parameters": {}},
        {"arguments": [X.double()], "parameters": {}},
        {"arguments": [X.t()], "parameters": {}},
        {"arguments": [None, X], "parameters": {}},
        {"arguments": [X], "parameters": {"weight": 1}},
    ],
)
def test_gradients_that_no_code_can_have_are_a_forgery(found: object) -> None:
    """Each has the shape and dtype of its argument, or is none."""
    reply = {"ok": True, "value": X, "changed": [], "devices": ["cpu"], "gradients": found}
    double = RemoteCallable(Conversation(lambda *_: reply, 1), "double", "double")

    with pytest.raises(LearnerProblem) as caught:
        double.gradients(X, 1, along=X)

    assert (Verdict.CRASHED, "ProtocolError") == (caught.value.verdict, caught.value.type_name)


def test_gradients_that_code_can_have_are_taken() -> None:
    """A missing one is told as none."""
    found = {"arguments": [X], "parameters": {"weight": X, "bias": None}}
    reply = {"ok": True, "value": X, "changed": [], "devices": ["cpu"], "gradients": found}

    got = RemoteCallable(Conversation(lambda *_: reply, 1), "double", "double").gradients(X, 1, along=X)

    assert (X, None) == got.arguments
