"""Goes through the heads one by one with slices of the features, and joins them with cat."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.d_k = d_model // num_heads
        self.heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def one_head(self, query, key, value, allowed):
        scores = torch.bmm(query, key.transpose(1, 2)) / self.d_k**0.5
        if allowed is None:
            weights = scores.softmax(-1)
        else:
            weights = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1) * allowed.to(scores.dtype)
        return torch.bmm(weights, value), weights

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        allowed = None
        if mask is not None:
            allowed = mask.to(torch.bool)
            allowed = allowed[:, 0] if allowed.dim() == 4 else allowed
        found = []
        for start in range(0, q.shape[-1], self.d_k):
            own = slice(start, start + self.d_k)
            found.append(self.one_head(q[..., own], k[..., own], v[..., own], allowed))
        contexts, weights = zip(*found)
        return self.W_o(torch.cat(contexts, dim=-1)), torch.stack(weights, dim=1)
