"""Weights are dropped while training."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key, value, mask=None):
        (batch, seq_q, d_model), seq_k = query.shape, key.shape[1]
        d_k = d_model // self.heads
        cut = lambda layer, x: layer(x).unflatten(2, (self.heads, d_k)).movedim(2, 1)
        q, k, v = cut(self.W_q, query), cut(self.W_k, key), cut(self.W_v, value)
        scores = torch.matmul(q, k.mT) * d_k**-0.5
        if mask is not None:
            hidden = torch.eq(mask, 0)
            scores = torch.masked_fill(scores, hidden, -torch.inf)
            scores = torch.masked_fill(scores, hidden.all(-1, keepdim=True), 0)
        weights = torch.softmax(scores, -1)
        if mask is not None:
            weights = torch.masked_fill(weights, hidden, 0)
        joined = torch.matmul(nn.functional.dropout(weights, 0.1, self.training), v).movedim(1, 2).flatten(2)
        return self.W_o(joined), weights
