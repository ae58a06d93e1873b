import math

import torch
from heads import merge_heads, split_heads
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.d_model = d_model
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_v(value), self.num_heads)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_model)
        if mask is not None:
            blocked = mask == 0
            scores = scores.masked_fill(blocked, float("-inf"))
            weights = torch.softmax(scores, dim=-1).masked_fill(blocked, 0)
        else:
            weights = torch.softmax(scores, dim=-1)
        return self.W_o(merge_heads(torch.matmul(weights, v))), weights
