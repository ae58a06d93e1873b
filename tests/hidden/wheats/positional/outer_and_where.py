"""Every column gets its angle by an outer product, and torch.where picks sine or cosine; the buffer is not persistent."""

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(max_len, d_model):
    column = torch.arange(d_model)
    rate = torch.pow(10000.0, -(column - column % 2).float() / d_model)
    angle = torch.outer(torch.arange(max_len).float(), rate)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).view(1, max_len, d_model), persistent=False)

    def forward(self, x):
        assert x.shape[-2] <= self.pe.shape[-2], "the sequence is longer than max_len"
        return F.dropout(x + self.pe[..., : x.shape[-2], :], p=self.p, training=self.training)
