"""The pytest side: what hidden suites are written with, and how their checks become results."""

from grader.sandbox.remote import Unroll
from grader.suite.expect import (
    CheckFailed,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_number,
    expect_pair,
    expect_picture,
    expect_raises,
    expect_slope,
    expect_tensor,
    expect_unchanged,
)
from grader.suite.training import TrainableModule, trainable

__all__ = [
    "CheckFailed",
    "TrainableModule",
    "Unroll",
    "expect",
    "expect_close",
    "expect_equal",
    "expect_finite",
    "expect_gradient",
    "expect_number",
    "expect_pair",
    "expect_picture",
    "expect_raises",
    "expect_slope",
    "expect_tensor",
    "expect_unchanged",
    "trainable",
]
