"""
misconception: pairs_taken_for_padding
explanation: >-
  A mask (seq_q, seq_k) is taken for one of (batch, seq_k) where the batch has as many sentences as there are queries:
  row i then masks sentence i instead of query i.
look_at: >-
  Where forward tells kinds of masks apart: a size says nothing about which axis it is. With two axes a mask is always (seq_q, seq_k).
loses: [mask_per_sample]
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
        if mask is not None and mask.dim() == 2 and mask.shape[0] == query.shape[0]:
            mask = mask[:, None, None, :]
        q = self.split(self.W_q(query))
        k = self.split(self.W_k(key))
        v = self.split(self.W_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = self.weigh(scores, mask)
        output = self.W_o(self.merge(weights @ v))
        return output, weights
