"""Everything in float64 and one cast; forward casts the rows to the dtype and device of x."""

import torch
from torch import nn


def sinusoidal_encoding(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.double).view(-1, 1)
    exponent = torch.arange(0, d_model, 2, dtype=torch.double).div(d_model).view(1, -1)
    angle = position.mul(torch.pow(torch.tensor(10000.0, dtype=torch.double), exponent).reciprocal())
    table = position.new_empty(max_len, d_model)
    table[:, ::2] = angle.sin()
    table[:, 1::2] = angle[:, : table[:, 1::2].shape[1]].cos()
    return table.float()


class PositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        rows = self.pe[:, : x.size(1)].to(dtype=x.dtype, device=x.device)
        return self.dropout(x + rows)
