"""
misconception: other_default_dropout
explanation: Your default for dropout is not 0.1.
look_at: The line def __init__.
loses: [dropout_on]
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
    def __init__(self, d_model, max_len=5000, dropout=0.5):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        seq_len, max_len = x.shape[1], self.pe.shape[1]
        if seq_len > max_len:
            raise ValueError(f"a sequence of {seq_len} tokens is longer than max_len = {max_len}")
        return self.dropout(x + self.pe[:, :seq_len])
