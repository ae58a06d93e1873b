"""
misconception: mask_given_another_axis
explanation: >-
  You give the mask one more axis for the heads, but the masks of this course have it already or broadcast without it,
  so weights and output come out with the wrong axes.
look_at: >-
  unsqueeze on the mask: (seq_q, seq_k), (batch, 1, 1, seq_k) and (batch, 1, seq_q, seq_k) all broadcast to (batch,
  num_heads, seq_q, seq_k) as they are.
loses: [returned_weights, mask, mask_per_sample, mask_of_numbers, together, repeatable, gradients, fully_masked, inputs_untouched, dtypes, device]
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
        return x.transpose(1, 2).contiguous().view(len(x), -1, self.d_model)

    def weigh(self, scores, mask):
        if mask is None:
            return scores.softmax(dim=-1)
        mask = mask.unsqueeze(1)
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
        output = self.W_o(self.merge(weights @ v))
        return output, weights
