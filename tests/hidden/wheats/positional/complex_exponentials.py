"""Complex exponentials, read as pairs of real numbers with the parts exchanged."""

import math

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    pairs = (d_model + 1) // 2
    omega = 10000.0 ** (-2 * torch.arange(pairs, dtype=torch.float64) / d_model)
    turns = torch.exp(1j * torch.arange(max_len, dtype=torch.float64)[:, None] * omega)
    real_and_imaginary = torch.view_as_real(turns)  # cosine, sine
    return real_and_imaginary.flip(-1).reshape(max_len, 2 * pairs)[:, :d_model].to(torch.float32).contiguous()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        _, seq_len, _ = x.shape
        # narrow raises by itself when there are not that many rows
        return self.drop(torch.add(x, self.pe.narrow(1, 0, seq_len)))
