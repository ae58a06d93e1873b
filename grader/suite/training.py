"""Train a learner's module from the trusted side: its parameters live here, and only values cross."""

from collections.abc import Sequence
from typing import Any, Final

import torch

from grader.sandbox.remote import RemoteModule, Unroll, describe_value, forged
from grader.suite.expect import CheckFailed


class TrainableModule(torch.nn.Module):
    """
    A module of the learner that is trained like any other in the suite's own process.

    Its parameters are mirrored here, so that torch's optimisers, gradient clipping and `state_dict` work on them. A
    call sends the parameters that changed since the last one, then the arguments; the backward pass asks for gradients
    along the one that comes in. Losses and accuracies are computed on this side from what comes back, so that the
    worker's process has nothing to report but answers. May be called any number of times before one backward pass, as
    a decoder is that writes one token after another.

    The exchanges of a check that uses it are not kept, so it never explains a mistake
    (`Conversation.begin_training` says why).

    Args:
        module: What the learner's class returned.
    """

    def __init__(self, module: RemoteModule) -> None:
        super().__init__()
        values, learnt = module.parameters(), module.trainable()
        module.conversation.begin_training()
        self._module = module
        self._names: Final = tuple(values)
        # Names of parameters hold dots, which no attribute's may, so they stand in a list, in the module's own order.
        self.weights = torch.nn.ParameterList(
            torch.nn.Parameter(value.clone(), requires_grad=name in learnt and value.is_floating_point())
            for name, value in values.items()
        )
        self._sent: Final = dict(values)

    def train(self, mode: bool = True) -> "TrainableModule":  # noqa: FBT001, FBT002 - torch's own signature
        """Switch it here and in the worker."""
        if mode:
            self._module.train()
        else:
            self._module.eval()
        return super().train(mode)

    def forward(self, *args: Any) -> Any:
        """
        Call the learner's module.

        Args:
            args: Positional arguments; None and anything else that can be sent is passed on as it is.

        Returns:
            What it returned, a tensor or a tuple of tensors, as part of this process's graph.

        Raises:
            CheckFailed: If it returned anything else.
        """
        return self._ask(args, None)

    def unrolled(self, *args: Any, unroll: Unroll) -> Any:
        """
        Call the learner's module many times in turn, in one request: a round trip for each would take twice the time.

        Args:
            args: Positional arguments, with time as the first axis of those that `unroll` names.
            unroll: Which arguments change with time, and which outputs go into the next call.

        Returns:
            What one call returns, with time as a new first axis.
        """
        return self._ask(args, unroll)

    def _ask(self, args: Sequence[Any], unroll: Unroll | None) -> Any:
        self._send_changes()
        call = _Call(self._module, args, self._names, unroll)
        tensors = [args[place] for place in call.places]
        outputs = _RemoteCall.apply(call, *tensors, *self.weights)  # type: ignore[no-untyped-call]
        return outputs if call.is_tuple else outputs[0]

    def _send_changes(self) -> None:
        changed = {
            name: weight.detach().clone()
            for name, weight in zip(self._names, self.weights, strict=True)
            if not torch.equal(weight, self._sent[name])
        }
        if changed:
            self._module.load(changed)
            self._sent.update(changed)


def trainable(module: RemoteModule) -> TrainableModule:
    """Return a learner's module in a form that is trained in the suite's own process; see `TrainableModule`."""
    if not isinstance(module, RemoteModule):
        raise CheckFailed(f"This should be a module, but is {describe_value(module)}.")
    return TrainableModule(module)


class _Call:
    """One call of the learner's module, and how to ask for its gradients."""

    def __init__(self, module: RemoteModule, args: Sequence[Any], names: Sequence[str], unroll: Unroll | None) -> None:
        self.module, self.names, self.unroll = module, names, unroll
        self.args = [arg.detach() if isinstance(arg, torch.Tensor) else arg for arg in args]
        self.places = [place for place, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        self.is_tuple = False
        self.seed = 0

    def answer(self) -> tuple[torch.Tensor, ...]:
        """Ask for the values."""
        self.seed = self.module.conversation.next_seed
        with torch.enable_grad():  # off in here, and known code is asked in this very process
            value = self._call()
        self.is_tuple = isinstance(value, (tuple, list))
        outputs = tuple(value) if self.is_tuple else (value,)
        for output in outputs:
            if type(output) is not torch.Tensor:
                wanted, found = "a tensor or a tuple of tensors", describe_value(value)
                raise CheckFailed(f"`{self.module.name}` should return {wanted}, but returns {found}.")
        return outputs

    def _call(self) -> Any:
        return self.module(*self.args) if self.unroll is None else self.module.unrolled(*self.args, unroll=self.unroll)

    def gradients(
        self, of: int, along: torch.Tensor, wanted: Sequence[bool], weights: Sequence[torch.Tensor]
    ) -> list[torch.Tensor | None]:
        """Ask for the gradients of one output, first by the arguments that are tensors, then by the parameters."""
        by = [place for place, is_wanted in zip(self.places, wanted, strict=False) if is_wanted]
        # The same seed, so that what was dropped in the forward pass is dropped here.
        with torch.enable_grad():
            found = self.module.gradients(*self.args, along=along, of=of, wrt=by, seed=self.seed, unroll=self.unroll)
        learnt = [found.parameters.get(name) for name in self.names]
        for gradient, weight in zip(learnt, weights, strict=True):
            if gradient is not None and (gradient.shape, gradient.dtype) != (weight.shape, weight.dtype):
                raise forged()
        gradients = [*(found.arguments[place] for place in self.places), *learnt]
        return [gradient if is_wanted else None for gradient, is_wanted in zip(gradients, wanted, strict=True)]


class _RemoteCall(torch.autograd.Function):
    """A call of the learner's module as a node of this process's graph."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs = call.answer()
        ctx.call = call
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors)  # also to be told if a parameter is changed before the backward pass
        ctx.mark_non_differentiable(*(output for output in outputs if not output.is_floating_point()))
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *alongs: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        call, wanted = ctx.call, ctx.needs_input_grad[1:]
        weights = ctx.saved_tensors[len(call.places) :]
        total: list[torch.Tensor | None] = [None] * len(wanted)
        for of, along in enumerate(alongs):
            if along is not None:
                total = [_add(*pair) for pair in zip(total, call.gradients(of, along, wanted, weights), strict=True)]
        return None, *total


def _add(total: torch.Tensor | None, more: torch.Tensor | None) -> torch.Tensor | None:
    if total is None or more is None:
        return more if total is None else total
    return total + more
