"""A learner's module is trained from the trusted side: the gradients are those of torch, and nothing is kept."""

import pytest
import torch

from grader.model.verdict import Verdict
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.remote import Conversation, RemoteLearner, Unroll
from grader.suite.draw import Draw
from grader.suite.expect import CheckFailed
from grader.suite.fingerprint import Transcript, load_known_code
from grader.suite.plugin import CheckRun
from grader.suite.training import trainable

CODE = """
import torch
from torch import nn

class Step(nn.Module):
    def __init__(self, features, dropout=0.0):
        super().__init__()
        self.layer = nn.Linear(2 * features, features)
        self.unused = nn.Linear(1, 1)
        self.fixed = nn.Parameter(torch.ones(1), requires_grad=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, state, scale=None):
        new = torch.tanh(self.layer(torch.cat([x, state], dim=-1)))
        new = self.dropout(new) if scale is None else self.dropout(new) * scale
        return new, 2 * new

class Plain(Step):
    def forward(self, x, state):
        return super().forward(x, state)[0]

class Text(Step):
    def forward(self, x, state):
        return "a word"

class Short(Step):
    def forward(self, x, state):
        return super().forward(x, state)[0], state[:0] if x.sum() > 0 else state

class NoPair(Step):
    def forward(self, x, state):
        return super().forward(x, state)[:1]
"""


def local_class(name: str) -> type:
    """The same code in this process."""
    namespace: dict = {}
    exec(CODE, namespace)
    return namespace[name]


def conversation(**settings) -> Conversation:
    """What is asked of the code, answered in this process."""
    executor = load_known_code(CODE, "step", [], ["step"])
    return Conversation(lambda request, _: executor.perform(request), seed=5, **settings)


def both(name: str = "Step", *args) -> tuple:
    """The code as a suite trains it, and the same module in this process."""
    remote = trainable(getattr(RemoteLearner(conversation()), name)(3, *args))
    local = local_class(name)(3, *args)
    local.load_state_dict(dict(zip(remote._names, remote.weights, strict=True)))
    return remote, local


def inputs(seed: int = 0, *, time: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Two leaves, the first with time before the batch."""
    draw = Draw(seed)
    x = draw.normal(*((time,) if time else ()), 4, 3)
    return x.requires_grad_(), draw.normal(4, 3).requires_grad_()


def gradients(module, weights, loss_of) -> list:
    """Gradients of a loss with respect to fresh inputs and the parameters."""
    x, state = inputs(time=6)
    loss_of(module, x, state).backward()
    return [x.grad, state.grad, *(weight.grad for weight in weights)]


def one_by_one(module, x, state):
    """A loss over calls that each get what the one before returned."""
    total = torch.zeros(())
    for now in x:
        state, doubled = module(now, state)
        total = total + (state**2).sum() + doubled.sum()
    return total


def at_once(module, x, state):
    """The same loss, all calls in one request."""
    states, doubled = module.unrolled(x, state, unroll=Unroll(over=(0,), carry={1: 0}))
    return (states**2).sum() + doubled.sum()


@pytest.mark.parametrize("loss_of", [one_by_one, at_once])
def test_gradients_are_those_of_the_same_module_here(loss_of) -> None:
    """For inputs, carried states and parameters; None where torch gives none."""
    remote, local = both()

    expected = gradients(local, local.parameters(), one_by_one)
    found = gradients(remote, remote.weights, loss_of)

    assert [gradient is None for gradient in expected] == [gradient is None for gradient in found]
    for right, got in zip(expected, found, strict=True):
        assert right is None or torch.allclose(right, got, atol=1e-6)


def test_a_module_is_trained_as_it_would_be_here() -> None:
    """Ten steps of Adam end with the same parameters, which are those in the worker."""
    remote, local = both()
    for module in (remote, local):
        optimizer = torch.optim.Adam(module.parameters(), 0.05)
        for step in range(10):
            optimizer.zero_grad()
            one_by_one(module, *inputs(step, time=2)).backward()
            optimizer.step()
    remote(*inputs())  # sends the last step's parameters

    for right, mirrored, sent in zip(
        local.parameters(), remote.weights, remote._module.parameters().values(), strict=True
    ):
        assert torch.allclose(right, mirrored, atol=1e-5)
        assert torch.equal(mirrored, sent)


def test_what_is_dropped_on_the_way_there_is_dropped_on_the_way_back() -> None:
    """Both ask with the same seed, so an output that was dropped gives no gradient."""
    remote, _ = both("Step", 0.5)
    x, state = inputs()

    new, _ = remote.train()(x, state)
    new.sum().backward()

    fed = new.detach() != 0
    assert bool(fed.any())
    assert not bool(fed.all())
    assert torch.equal(fed.float().sum(dim=0) > 0, remote.weights[remote._names.index("layer.bias")].grad != 0)


def test_evaluation_is_switched_on_in_the_worker_too() -> None:
    """Then nothing is dropped."""
    remote, _ = both("Step", 0.5)

    new, _ = remote.eval()(*inputs())

    assert bool((new != 0).all())


def test_one_tensor_and_arguments_that_are_none_are_fine() -> None:
    """Not every module returns a tuple, and masks are often None."""
    plain, local = both("Plain")
    step, _ = both()

    assert torch.allclose(local(*inputs()), plain(*inputs()))
    assert 2 == len(step(*inputs(), None))


def test_a_parameter_that_is_not_trained_has_no_gradient_here_either() -> None:
    """An optimiser leaves it as it is."""
    remote, _ = both()

    assert not remote.weights[remote._names.index("fixed")].requires_grad


@pytest.mark.parametrize(("name", "found"), [("Text", "a value of type str"), ("Short", "a tuple of 2")])
def test_what_cannot_be_trained_on_is_the_check_s_failure(name: str, found: str) -> None:
    """A sentence for the learner, not an error of the suite's."""
    remote, _ = both(name)

    if name == "Text":
        with pytest.raises(
            CheckFailed, match=f"`Text` should return a tensor or a tuple of tensors, but returns {found}"
        ):
            remote(*inputs())
    else:
        with pytest.raises(LearnerProblem) as problem:
            remote.unrolled(*inputs(time=6), unroll=Unroll(over=(0,), carry={1: 0}))
        assert (Verdict.FAILED, "What `Short` returns cannot be passed on to its next call.") == (
            problem.value.verdict,
            problem.value.rationale,
        )


def test_an_output_that_is_to_be_carried_must_be_there() -> None:
    """The suite's plan is for what was promised; code may return less."""
    remote, _ = both("NoPair")

    with pytest.raises(LearnerProblem, match="cannot be passed on"):
        remote.unrolled(*inputs(time=2), unroll=Unroll(over=(0,), carry={1: 1}))


def test_what_is_no_module_cannot_be_trained() -> None:
    """A class that the learner left a function comes back as a value."""
    with pytest.raises(CheckFailed, match="should be a module, but is None"):
        trainable(None)


def test_a_check_that_trains_is_no_evidence() -> None:
    """Thousands of exchanges would be replayed on every known mistake, and asked again of the learner's code."""
    talk = conversation()
    module = RemoteLearner(talk).Step(3)
    module(*inputs())
    assert 2 == len(talk.exchanges)

    step = trainable(module)
    step(*inputs())

    assert not Transcript(talk.exchanges, {}).is_whole
    assert talk.answered


def test_seeds_do_not_depend_on_what_is_kept() -> None:
    """No two calls of a training get the same random numbers."""
    talk = conversation()
    step = trainable(RemoteLearner(talk).Step(3, 0.5)).train()

    first, _ = step(*inputs())
    second, _ = step(*inputs())

    assert not torch.equal(first, second)


def test_a_training_has_a_limit_of_its_own() -> None:
    """Calls that each stay just below their limit would take the time of everything that comes after."""
    talk = conversation(training_s=0.0)
    step = trainable(RemoteLearner(talk).Step(3))
    step(*inputs())

    with pytest.raises(LearnerProblem, match="Training with your code did not finish within 0 s") as problem:
        step(*inputs())
    assert Verdict.TIMED_OUT is problem.value.verdict


def test_a_gradient_of_another_shape_is_a_forgery() -> None:
    """Only the worker's own code can have made it."""
    executor = load_known_code(CODE, "step", [], ["step"])

    def ask(request, _):
        reply = executor.perform(request)
        if "gradients" in reply:
            reply["gradients"]["parameters"]["layer.bias"] = torch.zeros(7)
        return reply

    step = trainable(RemoteLearner(Conversation(ask, seed=5)).Step(3))

    with pytest.raises(LearnerProblem) as problem:
        step(*inputs())[0].sum().backward()
    assert (Verdict.CRASHED, "ProtocolError") == (problem.value.verdict, problem.value.type_name)


def test_a_check_run_knows_that_code_answered_before_the_training() -> None:
    """Whether an odd answer may be the code's fault is decided by it."""
    run = CheckRun(conversation(), Draw(1))

    assert not run.conversation.answered
    trainable(RemoteLearner(run.conversation).Step(3))
    assert run.conversation.answered
