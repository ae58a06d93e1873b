"""The layers are made in an nn.ModuleDict and then also named W_q, W_k, W_v and W_o, so each parameter has two names."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model / num_heads is not whole")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.projections = nn.ModuleDict({role: nn.Linear(d_model, d_model) for role in ("q", "k", "v")})
        self.W_q = self.projections["q"]
        self.W_k = self.projections["k"]
        self.W_v = self.projections["v"]
        self.mixers = nn.ModuleList([nn.Linear(d_model, d_model)])
        self.W_o = self.mixers[0]

    def forward(self, query, key, value, mask=None):
        inputs = {"q": query, "k": key, "v": value}
        q, k, v = (
            layer(inputs[role]).unflatten(-1, (self.num_heads, self.d_k)).transpose(1, 2)
            for role, layer in self.projections.items()
        )
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(self.d_k)
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            allowed = mask.bool()
            # A row that allows nothing is uniform for a moment, and zero at last.
            weights = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(dim=-1)
            weights = weights.masked_fill(~allowed, 0.0)
        context = torch.einsum("bhqk,bhkd->bhqd", weights, v).transpose(1, 2).flatten(-2)
        for mixer in self.mixers:
            context = mixer(context)
        return context, weights
