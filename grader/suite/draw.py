"""Draw a check's inputs afresh from the run's seed."""

import hashlib
import math
from types import SimpleNamespace
from typing import Any, overload

import torch


def seed_for(seed: int, *parts: str) -> int:
    """Return a seed that depends on the run's seed and on names, and on nothing else."""
    text = "\0".join([str(seed), *parts])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little") >> 1


class Draw:
    """
    Random inputs for one check.

    Args:
        seed: Decides everything that is drawn.
    """

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.remembered: dict[str, float] = {}
        """Numbers that a diagnosis may name."""

    def sizes(self, *names: str, low: int = 2, high: int = 9, **fixed: int) -> Any:
        """
        Draw pairwise different sizes, so that swapped axes cannot pass.

        Args:
            names: The sizes to draw, each from ``low`` to ``high`` inclusive.
            low: Smallest size.
            high: Largest size; more than ``len(names)`` values must fit in the range.
            fixed: Sizes that are given; the drawn ones differ from them too.

        Returns:
            An object with one attribute for each name.
        """
        free = [size for size in range(low, high + 1) if size not in fixed.values()]
        if len(free) < len(names):
            raise ValueError(f"{len(names)} different sizes do not fit between {low} and {high}")
        order = torch.randperm(len(free), generator=self.generator).tolist()
        sizes = {**{name: free[index] for name, index in zip(names, order, strict=False)}, **fixed}
        self.remember(**sizes)
        return SimpleNamespace(**sizes)

    def remember(self, **numbers: float) -> None:
        """Make numbers known to diagnoses."""
        self.remembered.update(numbers)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Return standard normal values of this shape."""
        return torch.randn(shape, generator=self.generator, dtype=torch.float64).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Return values of this shape, uniform in [low, high)."""
        unit = torch.rand(shape, generator=self.generator, dtype=torch.float64)
        return (low + (high - low) * unit).to(dtype)

    def zeros(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Return zeros of this shape."""
        return torch.zeros(shape, dtype=dtype)

    @overload
    def integers(self, low: int, high: int) -> int: ...
    @overload
    def integers(self, low: int, high: int, *shape: int) -> torch.Tensor: ...
    def integers(self, low: int, high: int, *shape: int) -> torch.Tensor | int:
        """Return integers in [low, high): an int64 tensor of this shape, or one int without a shape."""
        drawn = torch.randint(low, high, shape, generator=self.generator)
        return drawn if shape else int(drawn)

    def permutation(self, length: int) -> torch.Tensor:
        """Return a permutation of ``0 … length - 1`` that moves something, int64 ``(length,)``."""
        if length < 2:
            return torch.arange(length)
        while True:
            drawn = torch.randperm(length, generator=self.generator)
            if not torch.equal(drawn, torch.arange(length)):
                return drawn

    def lengths(self, batch: int, max_len: int, low: int = 1) -> torch.Tensor:
        """Return sequence lengths from ``low`` to ``max_len``, int64 ``(batch,)``: different ones as far as they
        go, one of them ``max_len``."""
        span = max_len - low + 1
        repeats = math.ceil(batch / span)
        others = torch.cat([torch.randperm(span, generator=self.generator) for _ in range(repeats)])[:batch] + low
        if batch and not (others == max_len).any():
            others[int(torch.randint(0, batch, (), generator=self.generator))] = max_len
        return others
