"""
misconception: dropout_not_rescaled
explanation: You did not divide the numbers that stay by (1 - dropout), so that the sum becomes smaller in training than in evaluation.
numbers: The numbers that stay are divided by 1 - {dropout:.2g}; yours are as they were.
look_at: What you multiply the mask with; nn.Dropout does both.
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
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.p = dropout

    def forward(self, x):
        seq_len, max_len = x.shape[1], self.pe.shape[1]
        if seq_len > max_len:
            raise ValueError(f"a sequence of {seq_len} tokens is longer than max_len = {max_len}")
        total = x + self.pe[:, :seq_len]
        if self.training:
            total = total * (torch.rand_like(total) >= self.p)
        return total
