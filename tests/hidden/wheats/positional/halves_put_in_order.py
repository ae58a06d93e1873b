"""Sines in one half and cosines in the other, as many libraries lay them out, then put in the promised order."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    pairs = (d_model + 1) // 2
    angle = torch.arange(max_len)[:, None] * 10000.0 ** (-2.0 * torch.arange(pairs) / d_model)
    halves = torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)
    order = [column // 2 + column % 2 * pairs for column in range(d_model)]
    return halves[:, order]


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).reshape(1, max_len, d_model))

    def forward(self, x):
        length = x.size(-2)
        assert length <= self.max_len
        return self.dropout(x + self.pe.narrow(1, 0, length))
