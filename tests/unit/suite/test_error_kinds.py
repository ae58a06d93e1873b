"""One mistake is one kind of error, whatever operation meets it."""

from collections.abc import Callable

import pytest
import torch

from grader.suite.error_kinds import kind_of_error


def kind_of(action: Callable[[], object]) -> str:
    """The kind of what an action raises."""
    with pytest.raises(Exception) as raised:
        action()
    return kind_of_error(type(raised.value).__name__, str(raised.value))


A, B = torch.ones(2, 3, 4), torch.ones(2, 5, 6)
HALF, MASK = torch.ones(2, 2).half(), torch.ones(2, 2)


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        (
            "sizes",
            [
                lambda: A @ B,
                lambda: torch.bmm(A, B),
                lambda: A[0] @ B[0],
                lambda: torch.einsum("bid,bjd->bij", A, B),
                lambda: A + B,
                lambda: A.reshape(2, 5, 4),
                lambda: A.expand(2, 3, 7),
                lambda: torch.cat([A, B], 1),
                lambda: torch.stack([A, B]),
                lambda: A.masked_fill(torch.ones(7, dtype=torch.bool), 0.0),
                lambda: A[torch.ones(7, dtype=torch.bool)],
                lambda: A.unflatten(-1, (3, 3)),
                lambda: A.numpy() + B.numpy(),
            ],
        ),
        (
            "axes",
            [
                lambda: A[0, 0].transpose(0, 1),
                lambda: A.permute(0, 1),
                lambda: [0 for _a, _b in [A.shape]],
                lambda: A[:, :, :, 0],
                lambda: torch.einsum("bhid->bhdi", A),
                lambda: A.shape[3],
                lambda: torch.bmm(A[0], B),
            ],
        ),
        ("layout", [lambda: A.transpose(1, 2).view(-1), lambda: B.permute(2, 0, 1).view(-1)]),
        ("mask dtype", [lambda: A[0].masked_fill(torch.ones(3, 4), 0.0), lambda: ~MASK, lambda: MASK & MASK]),
        ("overflow", [lambda: HALF.masked_fill(HALF > 0, -1e9), lambda: HALF.masked_fill_(HALF > 0, 1e20)]),
        ("mixed dtypes", [lambda: HALF @ MASK, lambda: torch.bmm(A, A.double().mT)]),
        ("bool arithmetic", [lambda: 1 - (MASK > 0), lambda: -(MASK > 0)]),
    ],
)
def test_one_kind_in_many_operations(kind: str, actions: list[Callable[[], object]]) -> None:
    """torch, NumPy and Python tell it in their own words."""
    assert [kind] * len(actions) == [kind_of(action) for action in actions]


def test_an_unknown_error_is_known_by_its_class_and_its_text_without_names_and_numbers() -> None:
    """What changes between two runs of one mistake is left out, and nothing else."""
    first = kind_of_error("ValueError", "head 3 of (2, 5) has no 'bias'\nmore")

    assert first == kind_of_error("ValueError", "head 12 of (7, 1) has no 'weight'")
    assert first != kind_of_error("ValueError", "head 3 of (2, 5) has a 'bias'")
    assert first != kind_of_error("KeyError", "head 3 of (2, 5) has no 'bias'")
