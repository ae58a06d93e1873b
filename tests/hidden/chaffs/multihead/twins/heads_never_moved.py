"""The heads stay behind the tokens, in einsum."""

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
        q, k, v = (x.unflatten(2, (self.heads, d_k)) for x in (self.W_q(query), self.W_k(key), self.W_v(value)))
        scores = torch.einsum("bqhd,bqgd->bqhg", q, k) * d_k**-0.5
        allowed = None if mask is None else torch.ne(mask, 0)
        if allowed is not None:
            scores = torch.where(allowed, scores, -torch.inf)
            scores = torch.where(allowed.any(-1, keepdim=True), scores, 0.0)
        weights = torch.softmax(scores, 3)
        if allowed is not None:
            weights = torch.where(allowed, weights, 0.0)
        return self.W_o(torch.einsum("bqhg,bqgd->bqhd", weights, v).flatten(2)), weights
