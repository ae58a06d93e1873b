"""Built for the next even width and cut; the sum is taken in float32 and cast back to the dtype of x."""

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model)[None, ...])

    def forward(self, x):
        seq_len = x.shape[1]
        if seq_len > self.pe.shape[1]:
            raise ValueError("too long")
        total = x.float() + self.pe[:, :seq_len].float()
        return self.dropout(total.to(x.dtype)) if x.dtype != torch.float64 else self.dropout(x + self.pe[:, :seq_len])


def sinusoidal_encoding(max_len, d_model):
    even = d_model + d_model % 2
    table = torch.zeros(max_len, even)
    for i in range(even // 2):
        angle = torch.arange(max_len) / (10000 ** (2 * i / d_model))
        table[:, 2 * i] = angle.sin()
        table[:, 2 * i + 1] = angle.cos()
    return table[:, :d_model]
