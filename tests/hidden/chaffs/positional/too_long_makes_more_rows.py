"""
misconception: too_long_makes_more_rows
explanation: You computed more rows when the sequence is longer than max_len; here it has to raise, so that nobody goes beyond what was planned by accident.
look_at: The branch of forward that calls sinusoidal_encoding again.
loses: [too_long]
"""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    even_column = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = position / 10000.0 ** (even_column / d_model)
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
        seq_len, rows = x.shape[1], self.pe
        if seq_len > rows.shape[1]:
            rows = sinusoidal_encoding(seq_len, x.shape[2]).unsqueeze(0).to(x)
        return self.dropout(x + rows[:, :seq_len])
