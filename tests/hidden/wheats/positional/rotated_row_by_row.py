"""Each row is the one before it, turned by the frequencies: no sine of any position but 1 is ever computed."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    pairs = d_model // 2 + d_model % 2
    omega = 1.0 / 10000.0 ** (torch.arange(pairs, dtype=torch.float64) * 2.0 / d_model)
    step = torch.polar(torch.ones_like(omega), omega)
    steps = step.expand(max_len, pairs).clone()
    steps[0] = 1
    hands = steps.cumprod(dim=0)
    return torch.stack([hands.imag, hands.real], dim=2).view(max_len, -1)[:, :d_model].float()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, x):
        out = x.clone()
        out += self.pe[:, : x.shape[1]]
        return self.dropout(out)
