"""Each claim fails with a sentence about the problem, whatever came back."""

import resource

import pytest
import torch

from grader.sandbox.remote import Observed
from grader.sandbox.wire import Opaque
from grader.suite import (
    CheckFailed,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_number,
    expect_pair,
    expect_slope,
    expect_tensor,
    expect_unchanged,
)
from grader.suite.draw import Draw

AXES = ("batch", "seq_q")
RIGHT = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def failure(call):
    """What a claim fails with."""
    with pytest.raises(CheckFailed) as caught:
        call()
    return caught.value


def test_a_difference_is_told_by_named_axes_and_both_values():
    """The first difference, how many there are, and the largest."""
    error = failure(lambda: expect_close(RIGHT + torch.tensor([[0.0, 0.5], [0.0, 1.0]]), RIGHT, "weights", AXES))

    assert "weights has wrong values." == error.rationale
    assert {"batch": 0, "seq_q": 1} == error.mismatch.index
    assert ("2", "2.5") == (error.mismatch.expected, error.mismatch.got)
    assert "2 of 4 entries differ, by up to 1" == error.mismatch.detail


def test_the_rationale_shows_no_value():
    """It is shown to learners who may not see hidden inputs."""
    error = failure(lambda: expect_close(RIGHT * 7.25, RIGHT, "weights", AXES))

    assert "7.25" not in error.rationale


@pytest.mark.parametrize(
    ("got", "kind", "sentence"),
    [
        (None, "type", "weights should be a tensor, but is None. Is there a `return` missing?"),
        ((1, 2), "type", "weights should be a tensor, but is a tuple of 2."),
        (Opaque("Layer"), "type", "weights should be a tensor, but is an object of type Layer."),
        (RIGHT[0], "shape", "weights should have 2 axes, (batch, seq_q), but has 1."),
        (RIGHT[:, :1], "shape", "weights has the wrong shape: the size of seq_q is wrong in (batch, seq_q)."),
        (RIGHT.double(), "dtype", "weights should be float32, but is float64."),
        (RIGHT * float("nan"), "nan", "weights holds NaN or infinity."),
        (RIGHT + 1, "value", "weights has wrong values."),
    ],
)
def test_the_first_thing_that_differs_is_what_is_told(got, kind, sentence):
    """Type, shape, dtype, NaN, then values: a NaN is not told as a leak."""
    error = failure(lambda: expect_close(got, RIGHT, "weights", AXES))

    assert (kind, sentence) == (error.mismatch.kind, error.rationale)


def test_a_shape_that_would_broadcast_is_wrong():
    """A row is not a matrix."""
    failure(lambda: expect_close(torch.ones(1, 2), torch.ones(2, 2), "weights"))


def test_nan_where_it_is_expected_is_right():
    """References may hold NaN on purpose."""
    expected = torch.tensor([float("nan"), 1.0])

    assert expect_close(expected.clone(), expected, "x") is not None


def test_exact_means_exact():
    """Masks are compared without tolerance."""
    failure(lambda: expect_equal(torch.tensor([True, False]), torch.tensor([True, True]), "mask"))


def test_a_pair_is_two_tensors():
    """A list is as good as a tuple; three things are not."""
    assert 2 == len(expect_pair([RIGHT, RIGHT]))
    assert "returns a tuple of 3" in failure(lambda: expect_pair((RIGHT, RIGHT, RIGHT))).rationale
    assert "returns a tensor" in failure(lambda: expect_pair(RIGHT)).rationale


@pytest.mark.parametrize(
    ("got", "kind", "rationale", "shown"),
    [
        (13, "value", "steps is wrong. Count again.", "13"),
        (12.25, "value", "steps is wrong. Count again.", "12.25"),
        (2**4000, "value", "steps is wrong. Count again.", "a whole number of 4001 bits"),
        (float("inf"), "nan", "steps is NaN or infinity.", "inf"),
        (float("nan"), "nan", "steps is NaN or infinity.", "nan"),
        (True, "type", "steps should be a number, but is a value of type bool.", "a value of type bool"),
        (torch.tensor(12), "type", "steps should be a number, but is a tensor.", "a tensor"),
        (None, "type", "steps should be a number, but is None. Is there a `return` missing?", "None"),
    ],
)
def test_a_number_is_told_with_both_values(got, kind, rationale, shown):
    """Garbage included; and the sentence shows neither of them."""
    error = failure(lambda: expect_number(got, 12, "steps", hint="Count again."))

    assert (kind, rationale, shown) == (error.mismatch.kind, error.rationale, error.mismatch.got)
    assert ("a number" if kind == "type" else "12") == error.mismatch.expected


def test_a_number_may_be_whole_in_either_form_and_as_near_as_is_said():
    """12.0 is 12, and large counts are exact."""
    assert 12.0 == expect_number(12.0, 12, "steps")
    assert 2**80 + 1 == expect_number(2**80 + 1, 2**80 + 1, "steps")
    assert "wrong" in failure(lambda: expect_number(2**80 + 1, 2**80, "steps")).rationale
    assert "wrong" in failure(lambda: expect_number(2**4000, 1.5, "share", atol=0.1)).rationale
    assert 0.34 == expect_number(0.34, 1 / 3, "share", atol=0.01)
    assert "wrong" in failure(lambda: expect_number(0.35, 1 / 3, "share", atol=0.01)).rationale


def test_a_gradient_that_does_not_exist_is_told_as_cut():
    """With the usual ways to cut it."""
    assert "detach" in failure(lambda: expect_gradient(None, "query")).rationale


START, ALONG = torch.tensor([1.0, -2.0], dtype=torch.float64), torch.tensor([3.0, 1.0], dtype=torch.float64)


class Directions(Draw):
    """Gives these directions, one after the other."""

    def __init__(self, *directions):
        super().__init__(0)
        self.directions = list(directions)

    def normal(self, *shape, dtype=torch.float32):
        """Return the next one."""
        return torch.tensor(self.directions.pop(0), dtype=dtype).reshape(shape)


def test_a_gradient_is_held_against_what_the_answer_does():
    """Here d (3 x² + y²) = 6 x dx + 2 y dy, which is 3 - 4 along the first direction and 6 + 4 along the second."""
    directions = [0.5, 1.0], [1.0, -1.0]
    slope = expect_slope(torch.square, START, 2 * START * ALONG, ALONG, "x", Directions(*directions))
    assert slope == pytest.approx(10.0)

    error = failure(
        lambda: expect_slope(torch.square, START, START * ALONG, ALONG, "x", Directions(*directions), "square")
    )
    assert error.rationale == "The gradient of x is not that of the square."


def test_a_gradient_that_does_not_exist_is_right_where_nothing_moves():
    """A constant has none."""
    assert expect_slope(torch.ones_like, START, None, ALONG, "x", Draw(0)) == 0

    error = failure(lambda: expect_slope(torch.square, START, None, ALONG, "x", Draw(0)))
    assert error.rationale == "The gradient of x is not that of the output. None reaches it."


def test_a_gradient_is_wrong_also_where_the_first_direction_does_not_tell():
    """Along (1, -1) the sum stays what it was, as if no gradient were right."""
    one = torch.ones(1, dtype=torch.float64)

    def total(x):
        return x.sum()[None]

    error = failure(lambda: expect_slope(total, START, None, one, "x", Directions([1.0, -1.0], [1.0, 0.0])))
    assert "None reaches it" in error.rationale


@pytest.mark.parametrize("place", [-1e-4, -1e-9, 0.0, 1e-9, 1e-4])
def test_either_slope_beside_a_kink_is_right_and_no_other(place):
    """Autograd takes one side; half the sum of both is nobody's gradient."""
    start, one = torch.full((1,), place, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    right = (0.0,) if place == -1e-4 else (1.0,) if place == 1e-4 else (0.0, 1.0)

    def slope_if(gradient):
        return expect_slope(torch.relu, start, gradient * one, one, "x", Directions([1.0], [-1.0]))

    for gradient in right:
        assert slope_if(gradient) == pytest.approx(gradient, abs=1e-3)
    for gradient in {0.0, 1.0, 0.25, -1.0} - {*right}:
        failure(lambda gradient=gradient: slope_if(gradient))


def test_a_kink_on_either_side_is_no_mistake():
    """One of the hundreds of a feed-forward layer may be a hundred thousandth away, and another on the other side."""
    start, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)

    def answer(x):
        return torch.relu(x + 1e-5) + 3 * torch.relu(x - 1e-5)

    slope = expect_slope(answer, start, one, one, "x", Directions([1.0], [-1.0]))
    assert slope == pytest.approx(1.0, abs=1e-3)
    failure(lambda: expect_slope(answer, start, 5 * one, one, "x", Directions([1.0], [-1.0])))


def test_a_small_gradient_that_is_cut_is_found():
    """Where attention hardly matters, a hundredth is all that is missing."""
    start, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)

    failure(lambda: expect_slope(lambda x: x / 100, start, None, one, "x", Directions([1.0], [1.0])))


@pytest.mark.parametrize("place", [0.0, 5e-4])
def test_an_answer_that_is_computed_in_float32_has_its_gradient(place):
    """Also beside a kink: rounding drowns what the smallest steps tell, and not the others."""
    start = torch.tensor([0.5, place], dtype=torch.float64)
    along = torch.tensor([2.0, -3.0], dtype=torch.float64)

    def answer(x):
        return torch.relu(x.float()).exp().double()

    asked = start.clone().requires_grad_()
    (answer(asked) * along).sum().backward()
    assert expect_slope(answer, start, asked.grad, along, "x", Draw(1)) > 0.1


def test_an_argument_that_was_changed_is_named():
    """By the name that the suite gives its position."""
    observed = Observed(None, frozenset({1}), ())

    assert "changes mask in place" in failure(lambda: expect_unchanged(observed, ("query", "mask"))).rationale


def test_other_claims():
    """Finite, a tensor at all, and any sentence."""
    failure(lambda: expect_finite(torch.tensor([float("inf")]), "x"))
    failure(lambda: expect_tensor(torch.zeros(2), "x", dtype=torch.bool))
    failure(lambda: expect(False, "No."))
    expect(True, "Yes.")


def test_the_first_difference_of_a_huge_answer_is_found_in_little_memory():
    """A list of all places would take 8 bytes for each axis and entry; a forged answer may have millions."""
    got = torch.zeros([1] * 10 + [1 << 22], dtype=torch.float16)
    got.view(-1)[7:] = float("nan")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    error = failure(lambda: expect_finite(got, "weights"))

    assert 7 == error.mismatch.index["axis 10"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_the_place_of_a_single_number_has_no_axes():
    """A scalar differs as a whole."""
    assert {} == failure(lambda: expect_close(torch.tensor(1.0), torch.tensor(2.0), "loss")).mismatch.index
