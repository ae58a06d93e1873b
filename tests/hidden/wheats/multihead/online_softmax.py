"""Reads the keys in small tiles with a running maximum, as fused kernels do; the weights are made without gradient."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    TILE = 2

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        batch, seq_q, d_model = query.shape
        seq_k = key.shape[1]
        split = lambda x: torch.stack(x.split(self.d_k, dim=-1), dim=1)
        q, k, v = split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value))
        allowed = torch.ones((), dtype=torch.bool, device=query.device) if mask is None else mask.bool()
        allowed = allowed.expand(batch, self.num_heads, seq_q, seq_k)
        lowest = torch.finfo(q.dtype).min
        top = torch.full_like(q[..., :1], lowest)
        total = torch.zeros_like(q[..., :1])
        context = torch.zeros_like(q)
        pieces = []
        for start in range(0, seq_k, self.TILE):
            tile = slice(start, start + self.TILE)
            scores = q @ k[:, :, tile].mT / math.sqrt(self.d_k)
            scores = scores.masked_fill(~allowed[..., tile], lowest)
            new_top = torch.maximum(top, scores.amax(-1, keepdim=True)).detach()
            shrink = torch.exp(top - new_top)
            share = torch.exp(scores - new_top) * allowed[..., tile]
            total = total * shrink + share.sum(-1, keepdim=True)
            context = context * shrink + share @ v[:, :, tile]
            pieces.append(scores.detach())
            top = new_top
        nothing = total == 0
        safe = total.masked_fill(nothing, 1.0)
        context = context / safe
        weights = torch.exp(torch.cat(pieces, -1) - top) * allowed / safe.detach()
        return self.W_o(torch.cat(list(context.unbind(1)), -1)), weights
