"""
misconception: exponent_doubled
explanation: "You doubled the exponent: arange(0, d_model, 2) is 2i already, and you multiplied it by 2 once more, so the upper half of the columns hardly moves."
numbers: Your exponents reach up to almost 2; with d_model = {d_model} they go from 0 to 1 - 2 / {d_model}, as arange(0, d_model, 2) is 2i already.
look_at: The factor 2 in the exponent; either the index counts pairs and gets a factor 2, or it goes up in steps of 2.
loses: [frequencies]
"""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    even_column = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = position / 10000.0 ** (2 * even_column / d_model)
    encoding = torch.empty(max_len, d_model, dtype=torch.float32)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        seq_len, max_len = x.shape[1], self.pe.shape[1]
        if seq_len > max_len:
            raise ValueError(f"a sequence of {seq_len} tokens is longer than max_len = {max_len}")
        return self.dropout(x + self.pe[:, :seq_len])
