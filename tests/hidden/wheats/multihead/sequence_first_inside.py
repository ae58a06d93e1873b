"""Works sequence first inside, with einsum over (i, j, batch, head) and a softmax over axis 1."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be divisible by num_heads")
        self.heads = num_heads
        self.scale = 1 / (d_model // num_heads) ** 0.5
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def prepare(self, layer, x):
        x = layer(x).transpose(0, 1)
        return x.reshape(*x.shape[:2], self.heads, -1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.prepare(self.W_q, query), self.prepare(self.W_k, key), self.prepare(self.W_v, value)
        scores = torch.einsum("ibhd,jbhd->ijbh", q, k) * self.scale
        if mask is not None:
            allowed = mask.bool()
            allowed = allowed[:, :, None, None] if allowed.dim() == 2 else allowed.permute(2, 3, 0, 1)
            scores = torch.where(allowed, scores, torch.full_like(scores, -1e4))
        weights = scores.softmax(dim=1)
        if mask is not None:
            weights = torch.where(allowed, weights, torch.zeros_like(weights))
        context = torch.einsum("ijbh,jbhd->ibhd", weights, v).flatten(2)
        return self.W_o(context).transpose(0, 1), weights.permute(2, 3, 0, 1)
