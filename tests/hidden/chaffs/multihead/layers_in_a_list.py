"""
misconception: layers_in_a_list
explanation: >-
  The layers lie in a plain Python list, where PyTorch does not see them: they are not trained, not saved, not moved
  to a GPU, and cannot be reached as W_q, W_k, W_v and W_o.
look_at: >-
  __init__: make the layers attributes of self with the promised names (or use nn.ModuleList where names are free).
loses: [layers, returned_weights, cross_attention, softmax, scale, mask, heads, merge, query_key_projection, value_projection, output_projection, together, gradients, fully_masked, dtypes, stability, device, cost]
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
        self.layers = [nn.Linear(d_model, d_model) for _ in range(4)]

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
        q = self.split(self.layers[0](query))
        k = self.split(self.layers[1](key))
        v = self.split(self.layers[2](value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = self.weigh(scores, mask)
        output = self.layers[3](self.merge(weights @ v))
        return output, weights
