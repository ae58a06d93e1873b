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
        super().__init__()
        # The layer starts without a shift.
        self.shift = nn.Parameter(nn.Linear(1, size).bias.detach() * 0)

    def forward(self, x: Tensor) -> Tensor:
        """Return 2 * x + shift."""
        return double(x, 1) + self.shift
