"""Scales query and key each by d_k ** -0.25, and masks by adding log(mask)."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is not divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        batch, seq_q, d_model = query.shape
        scale = (d_model // self.num_heads) ** -0.25
        q = self.W_q(query).view(batch, seq_q, self.num_heads, -1).permute(0, 2, 1, 3) * scale
        k = self.W_k(key).view(batch, key.shape[1], self.num_heads, -1).permute(0, 2, 3, 1) * scale
        v = self.W_v(value).view(batch, value.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        scores = q @ k
        if mask is not None:
            mask = mask.to(scores.dtype)
            nothing = (mask == 0).all(dim=-1, keepdim=True)
            # log(1) = 0 and log(0) = -inf; a row of -inf alone is opened here and emptied below
            scores = scores + torch.log(mask).masked_fill(nothing, 0.0)
        w = scores.log_softmax(dim=-1).exp()
        if mask is not None:
            w = w.masked_fill(nothing, 0.0)
        return self.W_o((w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)), w.detach()
