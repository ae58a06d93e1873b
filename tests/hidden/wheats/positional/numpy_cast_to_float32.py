"""NumPy in double precision, cast to float32 at the end."""

import numpy as np
import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    angles = np.arange(max_len)[:, np.newaxis] / np.power(10000, 2 * (np.arange(d_model) // 2) / np.float64(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles.astype(np.float32))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(dropout)
        pe = sinusoidal_encoding(max_len, d_model)
        pe = pe.unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return self.dropout(x)
