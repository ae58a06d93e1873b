"""Each head is a small module that cuts its own rows out of the four layers, and forward is assembled from lists."""

import math

import torch
from torch import nn


class Head:
    """One head: which rows of the layers are its own."""

    def __init__(self, owner, start, stop):
        self.owner, self.rows = owner, slice(start, stop)

    def project(self, layer, x):
        return nn.functional.linear(x, layer.weight[self.rows], layer.bias[self.rows])

    def attend(self, query, key, value, allowed):
        q = self.project(self.owner.W_q, query)
        k = self.project(self.owner.W_k, key)
        v = self.project(self.owner.W_v, value)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -math.inf)
            # double where: an empty row is computed on zeros, so no NaN exists at any time
            scores = torch.where(allowed.any(-1, keepdim=True), scores, torch.zeros_like(scores))
            return (weights := torch.where(allowed, scores.softmax(-1), 0.0)) @ v, weights
        return (weights := scores.softmax(-1)) @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("no even split")
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        d_k = d_model // num_heads
        self.heads = [Head(self, i * d_k, (i + 1) * d_k) for i in range(num_heads)]

    def forward(self, query, key, value, mask=None):
        allowed = None
        if mask is not None:
            allowed = (mask > 0.5).reshape(-1, *mask.shape[-2:])
        outputs, weights = zip(*[head.attend(query, key, value, allowed) for head in self.heads])
        return self.W_o(torch.cat(outputs, -1)), torch.stack(weights, 1)
