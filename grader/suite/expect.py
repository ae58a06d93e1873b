"""Claims about what a learner's code returned, which fail with a sentence about the problem."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch

from grader.model.report import Diagnosis, Mismatch
from grader.model.verdict import Verdict
from grader.sandbox.picture import Picture
from grader.sandbox.problems import LearnerProblem
from grader.sandbox.remote import Observed, describe_value
from grader.suite.draw import Draw

# Bound now, before any learner's code exists anywhere.
_isclose, _isfinite, _equal = torch.isclose, torch.isfinite, torch.equal

# Central differences with this step are right to 1e-5 in float64; where an answer is computed in float32 on the way, to
# 1e-3.
_STEP = 1e-3
# Beside a kink one-sided differences are right, with steps so small that no other kink is that near. In float32 only
# the first ones tell anything.
_SMALLER_STEPS = (3e-4, 3e-5, 1e-6)
# A gradient that is cut off differs by 0.1 and more along nearly all directions, but by 0.02 where attention hardly
# matters.
_SLOPE_TOLERANCE = 4e-3
# Along one direction in some fifty hardly anything changes, and there a gradient that is cut off looks right.
_DIRECTIONS = 2


class CheckFailed(AssertionError):  # noqa: N818 - pytest's word for it is "failed"
    """
    A claim that does not hold.

    Args:
        rationale: What is wrong, in words that show no hidden value.
        mismatch: The facts, values included.
    """

    def __init__(self, rationale: str, mismatch: Mismatch | None = None, diagnosis: Diagnosis | None = None) -> None:
        super().__init__(rationale)
        self.rationale = rationale
        self.mismatch = mismatch
        self.diagnosis = diagnosis


def expect(condition: object, sentence: str) -> None:
    """Fail with the sentence unless the condition holds; the sentence says what is wrong, without hidden values."""
    if not condition:
        raise CheckFailed(sentence)


def expect_tensor(
    got: Any,
    what: str,
    shape: Sequence[int] | None = None,
    axes: Sequence[str] = (),
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """
    Expect a tensor of this shape and dtype, and return it.

    Args:
        got: Whatever came back.
        what: What it is called in the exercise, such as ``attention_weights``.
        shape: Expected shape; any shape if None.
        axes: Names of the axes, for the message.
        dtype: Expected dtype; any if None.
    """
    if type(got) is not torch.Tensor:
        found = describe_value(got)
        _fail("type", what, f"{what} should be a tensor, but is {found}.{_no_return(got)}", "a tensor", found)
    if shape is not None and tuple(got.shape) != tuple(shape):
        _fail_shape(got, what, tuple(shape), axes)
    if dtype is not None and got.dtype is not dtype:
        wanted, found = _dtype_name(dtype), _dtype_name(got.dtype)
        _fail("dtype", what, f"{what} should be {wanted}, but is {found}.", wanted, found)
    return got


def expect_pair(
    got: Any, names: tuple[str, str] = ("output", "attention_weights")
) -> tuple[torch.Tensor, torch.Tensor]:
    """Expect a tuple (or list) of two tensors with these names, and return them."""
    wanted = f"({names[0]}, {names[1]})"
    if type(got) not in (tuple, list) or len(got) != 2:
        found = describe_value(got)
        sentence = f"The function should return {wanted}, but returns {found}.{_no_return(got)}"
        _fail("type", wanted, sentence, "a tuple of 2", found)
    return expect_tensor(got[0], names[0]), expect_tensor(got[1], names[1])


def expect_picture(got: Any, what: str, shape: Sequence[int] | None = None) -> tuple[Picture, torch.Tensor]:
    """
    Expect a picture that shows an image, and return both.

    Args:
        got: What ``learner.f.picture(…)`` returned.
        what: What should have been drawn, such as ``the heatmap``.
        shape: Expected (rows, columns) of the image; any if None.
    """
    if not isinstance(got, Picture) or got.image is None:
        raise CheckFailed(f"{what} is not there: nothing was drawn that has one value in each cell.")
    return got, expect_tensor(got.image, what, shape, ("rows", "columns"))


def expect_finite(got: Any, what: str, axes: Sequence[str] = ()) -> torch.Tensor:
    """Expect a tensor without NaN and infinity, and return it."""
    tensor = expect_tensor(got, what)
    bad = ~_isfinite(tensor)
    if bool(bad.any()):
        _fail_first(bad, "nan", tensor, None, what, axes, f"{what} holds NaN or infinity.")
    return tensor


def expect_close(
    got: Any,
    expected: torch.Tensor,
    what: str,
    axes: Sequence[str] = (),
    *,
    atol: float = 1e-5,
    rtol: float = 0.0,
    hint: str = "",
) -> torch.Tensor:
    """
    Expect a tensor of equal shape and dtype whose values lie within ``atol + rtol * |expected|``; return it.

    Args:
        got: Whatever came back.
        expected: The right answer, in the dtype that the learner's should have.
        what: What it is called in the exercise.
        axes: Names of the axes, for the message.
        atol: Absolute tolerance; say beside it where it comes from.
        rtol: Relative tolerance.
        hint: A further sentence for the learner.
    """
    tensor = expect_tensor(got, what, expected.shape, axes, expected.dtype)
    _expect_no_new_nan(tensor, expected, what, axes)
    wide, reference = _widen(tensor), _widen(expected)
    wrong = ~_isclose(wide, reference, rtol=rtol, atol=atol, equal_nan=True)
    if bool(wrong.any()):
        _fail_first(wrong, "value", tensor, expected, what, axes, _with_hint(f"{what} has wrong values.", hint))
    return tensor


def expect_equal(
    got: Any, expected: torch.Tensor, what: str, axes: Sequence[str] = (), *, hint: str = ""
) -> torch.Tensor:
    """Expect exactly this tensor, and return it."""
    tensor = expect_tensor(got, what, expected.shape, axes, expected.dtype)
    _expect_no_new_nan(tensor, expected, what, axes)
    if not _equal(tensor, expected):
        wrong = tensor != expected
        _fail_first(wrong, "value", tensor, expected, what, axes, _with_hint(f"{what} has wrong values.", hint))
    return tensor


def expect_number(got: Any, expected: float, what: str, *, atol: float = 0.0, hint: str = "") -> float:
    """
    Expect a number, and return it; whether as an int or as a float makes no difference.

    Args:
        got: Whatever came back.
        expected: The right number.
        what: What it is called in the exercise, such as ``the number of steps``; without hidden values.
        atol: Absolute tolerance; say beside it where it comes from. Zero asks for this very number.
        hint: A further sentence for the learner.
    """
    if type(got) not in (int, float):
        found = describe_value(got)
        _fail("type", what, f"{what} should be a number, but is {found}.{_no_return(got)}", "a number", found)
    number: float = got
    wanted, found = _show_number(expected), _show_number(number)
    if isinstance(number, float) and not math.isfinite(number) and math.isfinite(expected):
        _fail("nan", what, f"{what} is NaN or infinity.", wanted, found)
    # Compared, not subtracted: a float cannot be taken from an int of a thousand digits, and rounds large ones.
    if not (expected - atol <= number <= expected + atol if atol else number == expected):
        _fail("value", what, _with_hint(f"{what} is wrong.", hint), wanted, found)
    return number


def expect_gradient(got: torch.Tensor | None, what: str) -> torch.Tensor:
    """Expect that a gradient reached an input or parameter, and return it."""
    if got is None:
        raise CheckFailed(
            f"No gradient reaches {what}: somewhere the computation is cut from it "
            "(detach, .data, .item(), NumPy or no_grad), or does not use it."
        )
    return expect_tensor(got, f"the gradient of {what}")


def expect_slope(
    answer: Callable[[torch.Tensor], Any],
    start: torch.Tensor,
    gradient: torch.Tensor | None,
    along: torch.Tensor,
    what: str,
    draw: Draw,
    of: str = "output",
) -> float:
    """
    Expect ``(answer * along).sum()`` to change as a gradient says along random directions; return how fast it does.

    A detach, ``.data`` or NumPy on the way leaves answers right and gradients wrong, so a gradient is held against what
    the learner's own code does when its argument moves a little.

    Args:
        answer: The learner's answer to what it is given in place of ``start``.
        start: An input or a parameter, float64.
        gradient: What autograd found for ``start``; None if nothing reaches it, which is right where nothing changes.
        along: What the answer is multiplied with; it has the answer's shape.
        what: What ``start`` is called in the exercise.
        draw: Draws the directions.
        of: What the answer is called there.

    Returns:
        The size of the largest slope that was measured, for standard normal directions.
    """
    directions = [draw.normal(*start.shape, dtype=torch.float64) for _ in range(_DIRECTIONS)]
    return max(_slope(answer, start, direction, gradient, along, what, of) for direction in directions)


def expect_unchanged(observed: Observed, names: Sequence[str]) -> None:
    """Expect that a call changed none of its arguments, whose names are given by position."""
    changed = [names[position] for position in sorted(observed.changed) if position < len(names)]
    if changed or observed.changed:
        which = ", ".join(changed) or "an argument"
        raise CheckFailed(f"The call changes {which} in place; the caller still needs it as it was.")


def expect_raises(call: Callable[[], Any], sentence: str) -> None:
    """
    Expect the learner's code to refuse bad arguments, with an exception of any type.

    Args:
        call: Calls the learner's code.
        sentence: What should have been refused, without hidden values.
    """
    try:
        call()
    except LearnerProblem as problem:
        if problem.verdict is not Verdict.RAISED:
            raise
    else:
        raise CheckFailed(sentence)


def _slope(
    answer: Callable[[torch.Tensor], Any],
    start: torch.Tensor,
    direction: torch.Tensor,
    gradient: torch.Tensor | None,
    along: torch.Tensor,
    what: str,
    of: str,
) -> float:
    claimed = 0.0 if gradient is None else float((gradient.to(torch.float64) * direction).sum())

    def at(step: float) -> float:
        moved = expect_tensor(answer(start + step * direction), of, along.shape)
        return float((moved.to(torch.float64) * along).sum())

    def fits(slope: float) -> bool:
        return abs(slope - claimed) < _SLOPE_TOLERANCE * (1 + abs(slope))

    slope = (at(_STEP) - at(-_STEP)) / (2 * _STEP)
    if fits(slope):
        return abs(slope)
    # relu and max have kinks, and some of hundreds may lie within a step. Beside them the answer is smooth.
    here = at(0.0)
    for step in _SMALLER_STEPS:
        for slope in ((at(step) - here) / step, (here - at(-step)) / step):
            if fits(slope):
                return abs(slope)
    cut = " None reaches it." if gradient is None else ""
    raise CheckFailed(f"The gradient of {what} is not that of the {of}.{cut}")


def _no_return(got: Any) -> str:
    return " Is there a `return` missing?" if got is None else ""


def _expect_no_new_nan(got: torch.Tensor, expected: torch.Tensor, what: str, axes: Sequence[str]) -> None:
    # NaN first: compared as values, it would be reported as whatever else the check is about.
    bad = ~_isfinite(got) & _isfinite(expected)
    if bool(bad.any()):
        _fail_first(bad, "nan", got, expected, what, axes, f"{what} holds NaN or infinity.")


def _widen(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def _fail(kind: str, what: str, rationale: str, expected: str, got: str) -> NoReturn:
    raise CheckFailed(rationale, Mismatch(kind=kind, what=what, expected=expected, got=got))


def _fail_shape(got: torch.Tensor, what: str, shape: tuple[int, ...], axes: Sequence[str]) -> NoReturn:
    named = f"({', '.join(axes)})" if len(axes) == len(shape) else f"{len(shape)} axes"
    if got.dim() != len(shape):
        rationale = f"{what} should have {len(shape)} axes, {named}, but has {got.dim()}."
    else:
        differing = [index for index, (a, b) in enumerate(zip(got.shape, shape, strict=True)) if a != b]
        names = [axes[index] if len(axes) == len(shape) else f"axis {index}" for index in differing]
        rationale = f"{what} has the wrong shape: the size of {' and '.join(names)} is wrong in {named}."
    _fail("shape", what, rationale, str(shape), str(tuple(got.shape)))


def _fail_first(
    wrong: torch.Tensor,
    kind: str,
    got: torch.Tensor,
    expected: torch.Tensor | None,
    what: str,
    axes: Sequence[str],
    rationale: str,
) -> NoReturn:
    """Fail at the first place where ``wrong`` is True."""
    # Not by way of nonzero(), which needs 8 bytes per axis and entry: an answer may be as large as a frame.
    first = int(wrong.flatten().to(torch.uint8).argmax())
    place = tuple(int(index) for index in torch.unravel_index(torch.tensor(first), wrong.shape))
    names = list(axes) if len(axes) == wrong.dim() else [f"axis {index}" for index in range(wrong.dim())]
    detail = f"{int(wrong.sum())} of {wrong.numel()} entries differ"
    if expected is not None and kind == "value" and got.dtype is not torch.bool:
        gap = (_widen(got) - _widen(expected)).abs()
        detail += f", by up to {float(gap[wrong].max()):.3g}"
    raise CheckFailed(
        rationale,
        Mismatch(
            kind=kind,
            what=what,
            index=dict(zip(names, place, strict=True)),
            expected="a finite number" if expected is None else _show(expected[place]),
            got=_show(got[place]),
            detail=detail,
        ),
    )


def _show(element: torch.Tensor) -> str:
    value = element.item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _show_number(number: float) -> str:
    """Return all digits of a whole number, if they can be taken in, and six of any other."""
    if isinstance(number, int) and not -(10**18) < number < 10**18:
        return f"a whole number of {number.bit_length()} bits"
    whole = isinstance(number, int) or (math.isfinite(number) and number == int(number) and abs(number) < 1e15)
    return str(int(number)) if whole else f"{number:.6g}"


def _with_hint(rationale: str, hint: str) -> str:
    return f"{rationale} {hint}".strip()


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
