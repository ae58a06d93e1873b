"""
Exercise: positional

Self-attention compares every token with every other, and does not see which stands where: shuffle the tokens and the
outputs are shuffled alike. So each token is told its position: a vector that depends on the position alone is added
to its embedding.

The vector consists of pairs of numbers. Each pair is a clock hand, its sine and its cosine, that turns a little with
every position; the first pair turns fast (once in 2π, about 6.3 positions), each later one more slowly, and the last
nearly not at all. Going k positions further turns each hand by the same angle wherever it stands, so the encoding of
position + k is a rotation of the encoding of position: a relative distance is easy to learn. And the formula has no
end: it also gives positions beyond any sequence seen in training.

Conventions of this exercise:

- Positions count from 0. Row 0 of the table is 0, 1, 0, 1, …
- Columns are interleaved: column 2i is the sine and column 2i + 1 the cosine of the same angle,
  position / 10000^(2i / d_model). With an odd d_model the last column is a sine, whose cosine is left out.
- The table is float32. It is computed once, and kept in the module as a buffer named ``pe`` of shape
  (1, max_len, d_model): a buffer is not trained, but goes along when the module is moved to another device or dtype.
  Whether it is persistent is up to you.
- Batch comes first: x is (batch, seq_len, d_model), and every sequence of the batch gets the same positions.
- The embedding is added to as it is; it is not multiplied by √d_model here.
- Dropout comes last, over the sum, and only in training mode: each number becomes 0 with the given probability, and
  those that stay are divided by (1 - dropout).
- A sequence that is longer than max_len is refused: the module raises. It is neither cut nor continued.

Worked example: sinusoidal_encoding(3, 4). The two angles are position / 1 and position / 10000^(2/4) = position / 100::

                 column 0   column 1   column 2   column 3
    position 0     sin 0      cos 0      sin 0      cos 0      =  [0.00000,  1.00000, 0.00000, 1.00000]
    position 1     sin 1      cos 1    sin 0.01   cos 0.01     =  [0.84147,  0.54030, 0.01000, 0.99995]
    position 2     sin 2      cos 2    sin 0.02   cos 0.02     =  [0.90930, -0.41615, 0.02000, 0.99980]

Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.5.
"""

import torch
from torch import nn


def sinusoidal_encoding(max_len: int, d_model: int) -> torch.Tensor:
    """
    Return the encodings of the positions 0 … max_len - 1, one row each.

    Args:
        max_len: Number of positions.
        d_model: Number of columns, even or odd.

    Returns:
        float32 tensor (max_len, d_model): column 2i is sin(position / 10000^(2i / d_model)), column 2i + 1 the cosine
        of the same angle.

    Source: Vaswani et al. (2017), section 3.5.
    """
    # TODO: one angle for each position and each pair of columns, then sines into the even and cosines into the odd
    # columns.
    raise NotImplementedError("sinusoidal_encoding is still to be written")


class PositionalEncoding(nn.Module):
    """
    Add to each token the encoding of its position, then drop out.

    Args:
        d_model: Number of features of each token.
        max_len: Length of the longest sequence.
        dropout: Probability with which a number of the sum becomes 0 in training mode.

    The buffer ``pe`` (1, max_len, d_model) holds the table of sinusoidal_encoding. Nothing here is trained.
    """

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__()
        # TODO: keep the table as the buffer pe, and prepare the dropout.
        raise NotImplementedError("PositionalEncoding is still to be written")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Add row t of the table to token t of every sequence, then drop out.

        Args:
            x: Tensor (batch, seq_len, d_model); it is left unchanged.

        Returns:
            Tensor (batch, seq_len, d_model), of the dtype and on the device of x. The module itself is moved with
            ``.to(...)`` first.

        Raises:
            Any exception if seq_len is larger than max_len.
        """
        # TODO: add the rows that belong to this sequence, then drop out.
        raise NotImplementedError("PositionalEncoding.forward is still to be written")
