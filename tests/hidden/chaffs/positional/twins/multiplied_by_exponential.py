"""Frequencies of the pairs alone, without the minus in exp, stacked and flattened."""

import math

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    places = torch.arange(max_len, dtype=torch.float32)
    speeds = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float32) * (math.log(10000.0) / d_model))
    angles = torch.outer(places, speeds)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model)[None])

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            raise IndexError("no row for that many tokens")
        return self.drop(x + self.pe[:, : x.size(1)])
