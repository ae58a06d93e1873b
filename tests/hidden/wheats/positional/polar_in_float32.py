"""torch.polar in single precision, and a module that inherits from nn.Dropout."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    pairs = -(-d_model // 2)
    angle = torch.outer(torch.arange(max_len, dtype=torch.float32), 1e4 ** -(torch.arange(pairs) * 2 / d_model))
    hands = torch.polar(torch.ones_like(angle), angle)
    return torch.stack((hands.imag, hands.real), -1).flatten(-2)[:, :d_model]


class PositionalEncoding(nn.Dropout):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze_(0))

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            raise IndexError("too long")
        return super().forward(self.pe[:, : x.size(1)] + x)
