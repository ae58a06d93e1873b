"""Answers without work: the right shape and dtype, or axes with such an image, and nothing in it.

No check may be satisfied by one.
"""

import ast
from collections.abc import Iterator

_FILLINGS = {  # for a tensor, and for a number
    "zeros": ("torch.zeros_like(tensor)", "0"),
    "ones": ("torch.ones_like(tensor)", "1"),
    "uniform": ("torch.full_like(tensor, 1.0 / max(1, tensor.shape[-1]) if tensor.dim() else 1.0)", "2"),
    "random": (
        "torch.rand_like(tensor) if tensor.is_floating_point() else torch.rand(tensor.shape) > 0.5",
        "int(torch.randint(1, 1000, ()))",
    ),
    "input": ("_like_input(tensor, args)", "([a for a in args if isinstance(a, (int, float))] or [value])[0]"),
}

_WRAPPER = """
import torch as _torch


def _like_input(tensor, args):
    same = [a for a in args if isinstance(a, _torch.Tensor) and a.shape == tensor.shape]
    first = [a for a in args if isinstance(a, _torch.Tensor)]
    return (same or first or [tensor * 0])[0]


def _fill(value, args):
    import torch
    if isinstance(value, torch.Tensor):
        tensor = value.detach()
        return {filling}
    if isinstance(value, (tuple, list)):
        return type(value)(_fill(item, args) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {number}
    if hasattr(value, "images") and hasattr(value, "collections"):
        return _redraw(value, args)
    return value


def _redraw(axes, args):
    import matplotlib.pyplot as plt
    plt.close(axes.figure)
    _, empty = plt.subplots()
    for drawn in (*axes.images, *axes.collections):
        filled = _fill(_torch.as_tensor(drawn.get_array().tolist()), args)
        if filled.dim() == 2:
            empty.imshow(filled.float().numpy())
    return empty


def _hollow(function):
    def answer(*args, **kwargs):
        try:
            value = function(*args, **kwargs)
        except Exception:
            return args[-1]   # refuses nothing
        return _fill(value, args)
    return answer
"""


def hollow_answers(solution: str, promises: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """
    Yield (name, source) of submissions that have the shapes of the solution's answers and none of their content.

    Args:
        solution: Source of the solution.
        promises: Names that the exercise promises.
    """
    tree = ast.parse(solution)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, (filling, number) in _FILLINGS.items():
        parts = [solution, _WRAPPER.format(filling=filling, number=number)]
        for promised in promises:
            if promised in classes:
                parts.append(f"class {promised}({promised}):\n    forward = _hollow({promised}.forward)\n")
            else:
                parts.append(f"{promised} = _hollow({promised})\n")
        yield name, "\n".join(parts)
