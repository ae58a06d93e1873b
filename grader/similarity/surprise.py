"""Say how unlikely it is that two students chose the same forms of statements by chance."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_TILTS: Final = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)


class Surprise:
    """
    Compares each two students by the statements that both wrote.

    If a share p of the class wrote a statement, sharing it with somebody weighs log2(1/p) bits. By chance a student
    shares each statement with another with probability p, so what is shared weighs at least S bits with probability at
    most min over t of exp(-t S) * prod(1 - p + p * exp(t * weight)): Chernoff's bound (1952, Annals of Mathematical
    Statistics 23, 493-507). Each of two has a bound of their own, and the weaker one counts.

    Args:
        chosen: Each student's statements, as numbers from 0, each once.
    """

    def __init__(self, chosen: Sequence[Sequence[int]]) -> None:
        self._chosen = [np.array(each, dtype=np.int64) for each in chosen]
        students = len(chosen)
        owners = np.repeat(np.arange(students), [len(each) for each in chosen])
        said = np.concatenate(self._chosen) if students else np.empty(0, dtype=np.int64)
        order = np.argsort(said, kind="stable")
        self._owners = owners[order]
        counts = np.bincount(said)
        self._ends = np.concatenate([[0], np.cumsum(counts)])
        # Of the others: two who share what nobody else has are one of many, and not two of two.
        share = np.clip((counts - 1) / max(1, students - 1), 1e-9, 1.0)
        self._weights = -np.log2(share)
        self._students = students
        # For each student and tilt, the logarithm (base 2) of the product in the bound.
        self._products = np.zeros((len(_TILTS), students))
        for place, tilt in enumerate(_TILTS):
            factor = np.log2(1 - share + share * np.exp2(tilt * self._weights))
            factor[counts < 2] = 0.0  # nobody can share it
            self._products[place] = [factor[each].sum() for each in self._chosen]

    def pairs(self, min_bits: float, min_share: float) -> Iterator[tuple[float, int, int]]:
        """
        Yield how surprising two are together, in bits, and their places, if chance would hardly give one such pair.

        Args:
            min_bits: What a pair in a small class needs; in a larger one it is the logarithm of the number of pairs.
            min_share: Which share of the statements of the longer one they have to have in common.
        """
        if self._students < 2:
            return
        least = max(min_bits, np.log2(self._students * (self._students - 1) / 2))
        for place in range(self._students):
            shared = self._shared_bits(place)
            for other in np.flatnonzero(shared >= least):
                if other > place and self._share(place, int(other)) >= min_share:
                    bits = min(self._bits(place, shared[other]), self._bits(int(other), shared[other]))
                    if bits >= least:
                        yield round(bits, 6), place, int(other)

    def _share(self, place: int, other: int) -> float:
        left, right = self._chosen[place], self._chosen[other]
        return len(np.intersect1d(left, right, assume_unique=True)) / max(len(left), len(right))

    def _shared_bits(self, place: int) -> NDArray[np.float64]:
        mine = self._chosen[place]
        parts = [self._owners[self._ends[each] : self._ends[each + 1]] for each in mine]
        if not parts:
            return np.zeros(self._students)
        weights = np.repeat(self._weights[mine], [len(part) for part in parts])
        return np.bincount(np.concatenate(parts), weights, minlength=self._students).astype(np.float64)

    def _bits(self, place: int, shared: float) -> float:
        return float(
            max(tilt * shared - product for tilt, product in zip(_TILTS, self._products[:, place], strict=True))
        )
