"""Folds batch and heads into one axis and uses baddbmm with an additive mask of its own."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def fold(self, x):
        # sequence first, as in torch's own implementation
        x = x.transpose(0, 1).contiguous()
        seq_len, batch, _ = x.shape
        return x.view(seq_len, batch * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(self, query, key, value, mask=None):
        batch, seq_q, d_model = query.shape
        seq_k = key.shape[1]
        q, k, v = self.fold(self.W_q(query)), self.fold(self.W_k(key)), self.fold(self.W_v(value))
        bias = q.new_zeros(batch * self.num_heads, seq_q, seq_k)
        keep = None
        if mask is not None:
            keep = (mask != 0).expand(batch, 1, seq_q, seq_k).repeat_interleave(self.num_heads, dim=0).squeeze(1)
            bias.masked_fill_(~keep, torch.finfo(bias.dtype).min)
        weights = torch.baddbmm(bias, q * math.sqrt(1.0 / self.head_dim), k.transpose(1, 2)).softmax(dim=-1)
        if keep is not None:
            weights = weights * keep
        context = torch.bmm(weights, v).transpose(0, 1).contiguous().view(seq_q, batch, d_model)
        return self.W_o(context).transpose(0, 1), weights.view(batch, self.num_heads, seq_q, seq_k)
