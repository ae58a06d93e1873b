"""Plain Python loops with math.sin, and the module adds row by row into a new tensor."""

import math

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    rows = []
    for position in range(max_len):
        row = []
        for column in range(d_model):
            angle = position / 10000 ** ((column - column % 2) / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        rows.append(row)
    return torch.tensor(rows)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model)[None, :, :])

    def forward(self, x):
        rows = [x[:, t] + self.pe[:, t] for t in range(x.shape[1])]
        return self.dropout(torch.stack(rows, dim=1))
