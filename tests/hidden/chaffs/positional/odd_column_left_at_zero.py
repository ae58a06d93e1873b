"""
misconception: odd_column_left_at_zero
explanation: With an odd d_model you left the last column at zero; it is the sine of one more pair.
look_at: "The number of pairs: d_model / 2 rounded up, not down."
loses: [odd_d_model]
"""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    even_column = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = position / 10000.0 ** (even_column / d_model)
    encoding = torch.zeros(max_len, d_model, dtype=torch.float32)
    pairs = d_model // 2
    encoding[:, 0 : 2 * pairs : 2] = angle[:, :pairs].sin()
    encoding[:, 1 : 2 * pairs : 2] = angle[:, :pairs].cos()
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
