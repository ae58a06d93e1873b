"""The halves are filled with two slices."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    half = (d_model + 1) // 2
    rate = torch.exp(torch.arange(half) * (-2 * math.log(10000.0) / d_model))
    arg = torch.arange(max_len)[:, None] * rate
    pe = torch.zeros(max_len, d_model)
    pe[:, :half] = torch.sin(arg)
    pe[:, half:] = torch.cos(arg[:, : d_model - half])
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
