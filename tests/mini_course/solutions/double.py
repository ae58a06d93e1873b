"""
Exercise: double

Twice everything.
"""

from torch import Tensor


def double(x: Tensor, times: int) -> Tensor:
    """Return x doubled ``times`` times; raises if ``times`` is negative."""
    if times < 0:
        raise ValueError("times must not be negative")
    # Doubling twice is one multiplication by four.
    return x * 2**times
