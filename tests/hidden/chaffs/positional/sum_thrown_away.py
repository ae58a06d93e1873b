"""
misconception: sum_thrown_away
explanation: >-
  You add the rows of the table to x and then return x without them: `x + rows` makes a new tensor and leaves x as
  it was.
look_at: >-
  The line with the sum: its result needs a name, and that is what goes into the dropout.
loses: [odd_d_model, addition, time_axis, any_batch, gradients, too_long, no_traces, dropout_off, float32, moves, buffer]
"""

import math

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float32) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(max_len, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        seq_len = x.size(1)
        if seq_len > self.pe.size(1):
            raise ValueError(f"the sequence has {seq_len} tokens, the table {self.pe.size(1)} rows")
        x + self.pe[:, :seq_len].to(x.dtype)
        return self.dropout(x)
