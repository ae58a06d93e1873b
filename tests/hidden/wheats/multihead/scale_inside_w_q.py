"""Fills its own scores in place, multiplies W_q by the scale, and adds the bias of W_v after the weighted sum."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ArithmeticError("d_model / num_heads is no whole number")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        heads, features = self.num_heads, query.shape[-1]
        d_k = features // heads
        scaled_weight, scaled_bias = self.W_q.weight / d_k**0.5, self.W_q.bias / d_k**0.5
        q = torch.addmm(scaled_bias, query.reshape(-1, features), scaled_weight.T)
        q = q.view(len(query), -1, heads, d_k).permute(2, 0, 1, 3)
        k = self.W_k(key).view(len(key), -1, heads, d_k).permute(2, 0, 3, 1)
        v = (value @ self.W_v.weight.T).view(len(value), -1, heads, d_k).permute(2, 0, 1, 3)
        scores = q @ k  # (num_heads, batch, seq_q, seq_k)
        if mask is not None:
            closed = mask.logical_not()
            closed = closed.transpose(0, 1) if closed.dim() == 4 else closed
            scores.masked_fill_(closed, float("-inf"))
            scores.masked_fill_(closed.all(-1, keepdim=True), 0)
            weights = scores.softmax(-1).masked_fill(closed, 0)
        else:
            weights = scores.softmax(-1)
        # The weights of a row sum to one, or to zero where nothing is allowed: so the bias of W_v may be added last.
        context = weights @ v + weights.sum(-1, keepdim=True) * self.W_v.bias.view(heads, 1, 1, d_k)
        return self.W_o(context.permute(1, 2, 0, 3).reshape(query.shape)), weights.transpose(0, 1)
