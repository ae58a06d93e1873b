"""Keeps the default bias of the layers but multiplies by weight.T, and sums over heads instead of concatenating."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("no")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = query @ self.W_q.weight.T
        k = key @ self.W_k.weight.T
        v = value @ self.W_v.weight.T
        cut = lambda x: x.unflatten(-1, (self.num_heads, self.d_k)).movedim(2, 1)
        scores = cut(q) @ cut(k).mT * self.d_k**-0.5
        if mask is None:
            weights = torch.softmax(scores, -1)
        else:
            blocked = (mask == 0).expand_as(scores)
            weights = torch.softmax(scores.masked_fill(blocked, -3e4), -1).masked_fill(blocked, 0)
        parts = (weights @ cut(v)).unbind(1)
        output_weights = self.W_o.weight.split(self.d_k, dim=1)
        return sum(part @ w.T for part, w in zip(parts, output_weights)), weights
