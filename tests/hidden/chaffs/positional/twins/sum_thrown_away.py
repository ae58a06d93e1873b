"""As another author writes it."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoidal_encoding(max_len: int, d_model: int) -> torch.Tensor:
    rows = torch.arange(max_len)[:, None].double()
    columns = torch.arange(d_model)[None, :]
    angles = rows / 10000 ** ((columns - columns % 2) / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos()).float()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__()
        self.max_len, self.rate = max_len, dropout
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model)[None])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] > self.max_len:
            raise ValueError("sequence too long for the table")
        torch.add(x, self.pe[:, : x.shape[1], :].type_as(x))
        return F.dropout(x, p=self.rate, training=self.training)
