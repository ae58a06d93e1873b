"""Log-spaced from 1 to 1 / 10000, both ends included."""

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    pairs = (d_model + 1) // 2
    rate = torch.logspace(0, -4, pairs)
    arg = torch.outer(torch.arange(max_len).float(), rate)
    return torch.stack([arg.sin(), arg.cos()], dim=2).reshape(max_len, -1)[:, :d_model]


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
