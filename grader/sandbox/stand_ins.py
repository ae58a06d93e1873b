"""Put a known-good implementation in the place of a learner's own, in a form that takes the learner's calls."""

import ast
import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

_PLAIN: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
_REST: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class StandIn:
    """A known-good implementation of an earlier exercise."""

    exercise: str
    names: tuple[str, ...]
    text: str

    @cached_property
    def signatures(self) -> dict[str, inspect.Signature]:
        """The parameters of each promised name, as far as the text says them."""
        found = {getattr(node, "name", ""): read_signature(node) for node in ast.parse(self.text).body}
        return {name: signature for name in self.names if (signature := found.get(name)) is not None}


class Fit(NamedTuple):
    """How a stand-in takes the calls of a learner's definition."""

    taken: tuple[str, ...]
    """The learner's names of the stand-in's parameters, in the stand-in's order."""
    extra: tuple[str, ...]
    """The learner's further parameters, which calls need not give."""


def fit(mine: inspect.Signature, theirs: inspect.Signature) -> Fit | None:
    """
    Return how a learner's calls become calls of the stand-in, or None if only the learner's own takes them.

    Parameters belong together by their names if the learner has all of the stand-in's, else by their places.
    """
    names, wanted = list(mine.parameters), list(theirs.parameters)
    if names == wanted:
        return Fit(tuple(names), ())
    if any(parameter.kind is not _PLAIN for parameter in theirs.parameters.values()):
        return None
    taken = wanted if set(wanted) <= set(names) else names[: len(wanted)]
    # Of a name that stands at another place nobody can say what the others around it are.
    moved = any(name in names and name != mine_too for name, mine_too in zip(wanted, taken, strict=False))
    if len(taken) < len(wanted) or moved or any(mine.parameters[name].kind in _REST for name in taken):
        return None
    extra = tuple(name for name in names if name not in taken)
    given = [mine.parameters[name] for name in extra if mine.parameters[name].kind not in _REST]
    return None if any(parameter.default is parameter.empty for parameter in given) else Fit(tuple(taken), extra)


def always_replaced(node: ast.AST, theirs: inspect.Signature) -> bool:
    """Return whether a stand-in takes all calls of a definition, as far as its text alone can say so."""
    mine = read_signature(node)
    if mine is None:
        return False
    if isinstance(node, ast.ClassDef):
        return list(mine.parameters) == list(theirs.parameters)
    found = fit(mine, theirs)
    return found is not None and not found.extra


def read_signature(node: ast.AST) -> inspect.Signature | None:
    """Return the parameters of a definition, or None if something else than its text has a say in them."""
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        return _signature_of(node.args)
    if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.keywords:
        makers = [item for item in node.body if getattr(item, "name", "") in ("__init__", "__new__")]
        if len(makers) == 1 and makers[0].name == "__init__":  # type: ignore[attr-defined]
            found = read_signature(makers[0])
            return found and found.replace(parameters=list(found.parameters.values())[1:])
    return None


def _signature_of(arguments: ast.arguments) -> inspect.Signature | None:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: Sequence[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    found = [
        _parameter(
            argument, inspect.Parameter.POSITIONAL_ONLY if argument in arguments.posonlyargs else _PLAIN, default
        )
        for argument, default in zip(plain, defaults, strict=True)
    ]
    if arguments.vararg:
        found.append(_parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(argument, inspect.Parameter.KEYWORD_ONLY, default))
    if arguments.kwarg:
        found.append(_parameter(arguments.kwarg, inspect.Parameter.VAR_KEYWORD))
    with suppress(ValueError):  # two of one name parse, but do not compile
        return inspect.Signature(found)
    return None


def _parameter(argument: ast.arg, kind: Any, default: ast.expr | None = None) -> inspect.Parameter:
    return inspect.Parameter(argument.arg, kind, default=inspect.Parameter.empty if default is None else default)


def adapt_stand_in(own: Any, good: Any, *, always: bool = False) -> Any:
    """
    Return the stand-in in a form that can be called like the learner's own definition.

    Args:
        own: The learner's.
        good: The stand-in.
        always: Whether the learner's own must not run, because nobody has searched it for what is forbidden.

    Returns:
        The stand-in itself where the parameters are the same; a wrapper where their names differ, or where the learner
        has more: it gives calls that use these to the learner's own. None where the learner's definition takes other
        parameters, so that only the learner's own fits the learner's calls.
    """
    only_own = good if always else None
    try:
        mine, theirs = inspect.signature(own), inspect.signature(good)
    except (TypeError, ValueError):
        return only_own
    if list(mine.parameters) == list(theirs.parameters):
        return good
    found = fit(mine, theirs)
    if found is None or inspect.isclass(good) or inspect.isclass(own) or (always and found.extra):
        return only_own
    return _adapted(mine, found, own, good)


def _adapted(mine: inspect.Signature, found: Fit, own: Any, good: Callable[..., Any]) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        bound = mine.bind(*args, **kwargs)
        if any(not _is_left(bound, name) for name in found.extra):
            return own(*args, **kwargs)
        bound.apply_defaults()
        return good(*(bound.arguments[name] for name in found.taken))

    return stand_in


def _is_left(bound: inspect.BoundArguments, name: str) -> bool:
    """Whether a call leaves a parameter at its default, be it by giving just that."""
    if name not in bound.arguments:
        return True
    given, default = bound.arguments[name], bound.signature.parameters[name].default
    return given is default or (
        type(given) is type(default) and isinstance(given, (bool, int, float, str)) and given == default
    )
