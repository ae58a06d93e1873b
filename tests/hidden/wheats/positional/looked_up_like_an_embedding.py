"""The rows are looked up by index, as an embedding does, with indices made on the device of x."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    i = torch.arange(0, d_model, 2)
    frequency = torch.tensor(1e-4).pow(i / d_model)
    angle = torch.einsum("p,f->pf", torch.arange(max_len, dtype=torch.float32), frequency)
    interleaved = torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).reshape(max_len, -1)
    return interleaved[:, :d_model].clone()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, seq_len, d_model = x.size()
        if seq_len > self.pe.size(1):
            raise RuntimeError("sequence longer than max_len")
        positions = torch.arange(seq_len, device=x.device).expand(batch, seq_len)
        return self.dropout(x + nn.functional.embedding(positions, self.pe.squeeze(0)))
