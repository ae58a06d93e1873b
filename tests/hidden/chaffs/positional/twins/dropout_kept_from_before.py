"""Masks in a dict, by shape."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    pos = torch.arange(max_len).float()[:, None]
    col = torch.arange(d_model)
    rate = torch.exp(-(col // 2 * 2) * (math.log(10000.0) / d_model))
    arg = pos * rate
    return torch.where(col % 2 == 0, torch.sin(arg), torch.cos(arg))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super(PositionalEncoding, self).__init__()
        self.p = dropout
        self.masks = {}
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("pe", table[None], persistent=False)

    def forward(self, x):
        b, t, d = x.shape
        assert t <= self.pe.size(1), "sequence too long"
        out = x + self.pe[:, :t, :]
        if self.training:
            if (b, t) not in self.masks:
                self.masks[b, t] = F.dropout(torch.ones(b, t, d, dtype=x.dtype, device=x.device), self.p)
            out = out * self.masks[b, t]
        return out
