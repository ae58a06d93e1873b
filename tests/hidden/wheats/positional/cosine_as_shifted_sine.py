"""The cosine as a sine that is a quarter turn ahead: one call of sin for the whole table."""

import math

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    columns = torch.arange(d_model)
    rate = torch.exp((columns // 2 * 2) / d_model * -math.log(10000))
    phase = (columns % 2) * (math.pi / 2)
    return torch.sin(torch.arange(max_len)[:, None] * rate + phase)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).reshape(1, max_len, d_model))

    def forward(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{x.shape[1]} > {self.max_len}")
        return self.dropout(x + self.pe[0, : x.shape[1]])
