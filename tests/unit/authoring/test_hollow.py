"""Answers without work have the form of the right ones and none of their content."""

import torch

from grader.authoring.hollow import hollow_answers

SOLUTION = """
import torch


def double(x, times):
    return x * 2**times


def count(n, d):
    return 3 * n * d


def describe(n):
    return n + 0.5, "text", n > 1
"""


def answers(name, *arguments):
    """What each of the hollow answers gives, by its name."""
    given = {}
    for kind, source in hollow_answers(SOLUTION, ("double", "count", "describe")):
        scope = {}
        exec(source, scope)  # as a worker does
        given[kind] = scope[name](*arguments)
    return given


def test_a_tensor_keeps_its_shape_and_nothing_else():
    """Zeros, ones, shares, chance, and the input itself."""
    x = torch.tensor([[1.0, 2.0, 4.0]])

    given = answers("double", x, 2)

    assert {x.shape} == {each.shape for each in given.values()}
    assert not any(torch.equal(4 * x, each) for each in given.values())
    assert torch.equal(x, given["input"])


def test_a_number_is_some_other_number():
    """A formula is an answer that has to be worked for, too."""
    given = answers("count", 7, 5)

    assert {"zeros": 0, "ones": 1, "uniform": 2, "input": 7} == {
        kind: given[kind] for kind in given if kind != "random"
    }
    assert 1 <= given["random"] < 1000


def test_parts_of_an_answer_are_filled_one_by_one():
    """What is no number and no tensor says nothing, and stays."""
    assert (0, "text", True) == answers("describe", 4)["zeros"]
    assert (4, "text", True) == answers("describe", 4)["input"]
