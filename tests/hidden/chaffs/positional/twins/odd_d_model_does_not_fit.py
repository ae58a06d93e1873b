"""Index tensors instead of slices, of the same length for sine and cosine."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(0.0, max_len).unsqueeze(1)
    div_term = torch.exp(torch.arange(0.0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe = torch.zeros(max_len, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
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
