"""The class is itself a ModuleDict, so its layers are entries called W_q, W_k, W_v and W_o."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.ModuleDict):
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("uneven")
        super().__init__({f"W_{role}": nn.Linear(d_model, d_model) for role in "qkvo"})
        self.num_heads = num_heads

    def project(self, role, x):
        return self[f"W_{role}"](x).unflatten(-1, (self.num_heads, -1)).transpose(-2, -3)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.project(role, x) for role, x in zip("qkv", (query, key, value)))
        scores = torch.matmul(q, k.transpose(-2, -1)).div_(math.sqrt(q.shape[-1]))
        if mask is not None:
            scores.masked_fill_(mask == 0, float("-inf"))
        # The usual softmax, written out, with an empty row dividing by one instead of zero.
        top = scores.amax(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
        shares = torch.exp(scores - top)
        weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
        return self["W_o"](torch.matmul(weights, v).transpose(1, 2).flatten(-2)), weights
