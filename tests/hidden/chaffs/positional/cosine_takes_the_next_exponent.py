"""
misconception: cosine_takes_the_next_exponent
explanation: "Your cosines use another exponent than their sines (the number of the column itself): both columns of a pair belong to the same angle."
look_at: The exponent of the odd columns; for column c it is c // 2 * 2 / d_model.
loses: [frequencies, pairs, concepts]
"""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    even_column = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = position / 10000.0 ** (even_column / d_model)
    encoding = torch.empty(max_len, d_model, dtype=torch.float32)
    encoding[:, 0::2] = angle.sin()
    odd_angle = position / 10000.0 ** ((even_column + 1) / d_model)
    encoding[:, 1::2] = odd_angle[:, : d_model // 2].cos()
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
