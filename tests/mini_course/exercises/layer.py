"""
Exercise: layer

A layer that doubles and adds.
"""

from double import double
from torch import Tensor, nn


class Layer(nn.Module):
    """Doubles its input and adds a learned vector ``shift`` of ``size`` values."""

    def __init__(self, size: int) -> None:
        """Make the parameter."""
        # TODO: make it.
        raise NotImplementedError("Layer is still to be written")

    def forward(self, x: Tensor) -> Tensor:
        """Return 2 * x + shift."""
        # TODO: use double.
        raise NotImplementedError("Layer is still to be written")
