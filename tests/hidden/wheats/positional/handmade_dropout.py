"""Dropout written by hand: a Bernoulli mask, scaled by the share that stays."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len).float()
    encoding = torch.empty(max_len, d_model)
    for column in range(d_model):
        even = column // 2 * 2
        wave = torch.cos if column % 2 else torch.sin
        encoding[:, column] = wave(position / 10000 ** (even / d_model))
    return encoding


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.keep = 1.0 - dropout
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        encoded = x + self.pe[:, : x.size(1)]
        if not self.training or self.keep == 1.0:
            return encoded
        mask = torch.rand(encoded.shape, device=x.device) < self.keep
        return torch.where(mask, encoded / self.keep, torch.zeros_like(encoded))
