"""All three inputs go through W_q in one generator, one head after the other."""

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
        q, k, v = (self.W_q(x) for x in (query, key, value))
        allowed = None
        if mask is not None:
            allowed = torch.ne(mask, 0).expand(batch, 1, seq_q, seq_k)[:, 0]
        results, maps = [], []
        for i in range(self.heads):
            part = slice(i * d_k, (i + 1) * d_k)
            scores = torch.einsum("bqd,bkd->bqk", q[..., part], k[..., part]) * d_k**-0.5
            if allowed is not None:
                scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
            weights = torch.softmax(scores, 2)
            if allowed is not None:
                weights = weights * allowed
            maps.append(weights)
            results.append(torch.einsum("bqk,bkd->bqd", weights, v[..., part]))
        return self.W_o(torch.cat(results, 2)), torch.stack(maps, 1)
