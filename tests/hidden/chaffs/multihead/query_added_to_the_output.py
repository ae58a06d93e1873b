"""
misconception: query_added_to_the_output
explanation: >-
  The query is added to the output of W_o. Such a residual connection belongs to the block around the attention, not into it.
look_at: >-
  The last lines of forward: the output is what W_o gives, and nothing is added to it.
loses: [returned_weights, merge, value_projection, output_projection, together, fully_masked]
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
        k = self.split(self.W_k(key))
        v = self.split(self.W_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = self.weigh(scores, mask)
        output = query + self.W_o(self.merge(weights @ v))
        return output, weights
