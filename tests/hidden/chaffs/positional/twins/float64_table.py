"""NumPy's double table, not cast."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    col = np.arange(d_model)
    arg = np.arange(max_len)[:, None] / 10000 ** ((col // 2 * 2) / d_model)
    return torch.from_numpy(np.where(col % 2 == 0, np.sin(arg), np.cos(arg)))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super(PositionalEncoding, self).__init__()
        self.p = dropout
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("pe", table[None], persistent=False)

    def forward(self, x):
        b, t, d = x.shape
        assert t <= self.pe.size(1), "sequence too long"
        out = x + self.pe[:, :t, :]
        return F.dropout(out, self.p, self.training)
