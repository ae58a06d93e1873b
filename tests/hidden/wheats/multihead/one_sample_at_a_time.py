"""Answers the samples of a batch one after the other, each head with outer loops over queries."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def row(self, query, keys, values, allowed):
        """One query (d_k,) against keys (seq_k, d_k): the context (d_k,) and the weights (seq_k,)."""
        scores = keys @ query / math.sqrt(len(query))
        if allowed is not None:
            scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=0)
        if allowed is not None:
            weights = weights * allowed
        return weights @ values, weights

    def forward(self, query, key, value, mask=None):
        batch, seq_q, d_model = query.shape
        d_k = d_model // self.num_heads
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        if mask is not None:
            mask = (mask != 0).expand(batch, 1, seq_q, key.shape[1])
        contexts, maps = [], []
        for b in range(batch):
            for h in range(self.num_heads):
                own = slice(h * d_k, h * d_k + d_k)
                for t in range(seq_q):
                    allowed = None if mask is None else mask[b, 0, t]
                    context, weights = self.row(q[b, t, own], k[b, :, own], v[b, :, own], allowed)
                    contexts.append(context)
                    maps.append(weights)
        context = torch.stack(contexts).reshape(batch, self.num_heads, seq_q, d_k)
        attention_weights = torch.stack(maps).reshape(batch, self.num_heads, seq_q, -1)
        return self.W_o(torch.cat([context[:, h] for h in range(self.num_heads)], dim=2)), attention_weights
