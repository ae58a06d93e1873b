"""Hidden suite: double"""

import pytest

from grader.suite import expect_close, expect_gradient, expect_raises


def test_doubles(learner, draw, observe):
    """double(x, 1) is twice x.

    It is the whole point.
    """
    size = draw.sizes("batch", "length")
    x = draw.normal(size.batch, size.length)
    got = learner.double(x, 1)
    observe("Twice is twice.", mean_in=float(x.mean()), twice=2.0)
    expect_close(got, x * 2, "double(x, 1)", ("batch", "length"), atol=1e-6)


@pytest.mark.depends_on("doubles")
def test_doubles_again(learner, draw):
    """double(x, 3) is eight times x."""
    x = draw.normal(3)
    expect_close(learner.double(x, 3), x * 8, "double(x, 3)", atol=1e-5)


def test_passes_gradients(learner, draw):
    """The gradient of double(x, 1) is 2."""
    x, along = draw.normal(4), draw.normal(4)
    got = learner.double.gradients(x, 1, along=along)
    expect_close(got.value, x * 2, "double(x, 1)", atol=1e-6)
    expect_close(expect_gradient(got.arguments[0], "x"), along * 2, "the gradient of x", atol=1e-6)


@pytest.mark.depends_on("doubles")
def test_refuses_negative_times(learner, draw):
    """double(x, -1) raises."""
    expect_raises(lambda: learner.double(draw.normal(2), -1), "Negative times should be refused.")
