"""
misconception: only_w_q_used
explanation: Query, key and value all go through W_q; W_k and W_v are never used.
look_at: >-
  The three lines that project: query with W_q, key with W_k, value with W_v.
loses: [query_key_projection, value_projection, together, gradients]
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        for layer in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.zeros_(layer.bias)

    def split(self, x):
        batch, seq_len, _ = x.shape
        return x.reshape(batch, seq_len, self.num_heads, self.d_k).transpose(1, 2)

    def merge(self, x):
        batch, _, seq_len, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq_len, self.d_model)

    def weigh(self, scores, mask):
        if mask is None:
            return scores.softmax(dim=-1)
        blocked = mask == 0
        scores = scores.masked_fill(blocked, float("-inf"))
        scores = scores.masked_fill(blocked.all(dim=-1, keepdim=True), 0.0)
        return scores.softmax(dim=-1).masked_fill(blocked, 0.0)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.W_q(query))
        k = self.split(self.W_q(key))
        v = self.split(self.W_q(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = self.weigh(scores, mask)
        output = self.W_o(self.merge(weights @ v))
        return output, weights
