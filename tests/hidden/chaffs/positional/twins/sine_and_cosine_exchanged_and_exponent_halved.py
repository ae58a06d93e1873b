"""A loop in steps of two, with half of the exponent and the cosine first."""

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    pe = torch.zeros(max_len, d_model)
    pos = torch.arange(max_len, dtype=torch.float)
    for i in range(0, d_model, 2):
        rate = 1 / 10000 ** (i / (2 * d_model))
        pe[:, i] = torch.cos(pos * rate)
        if i + 1 < d_model:
            pe[:, i + 1] = torch.sin(pos * rate)
    return pe


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
