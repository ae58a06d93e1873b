"""Projects self-attention in one matrix product over the stacked weights of W_q, W_k and W_v."""

import math

import torch
from torch import nn
from torch.nn import functional


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("the heads do not share the features out evenly")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def projected(self, query, key, value):
        layers = (self.W_q, self.W_k, self.W_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        if query is key and key is value:
            return functional.linear(query, weight, bias).chunk(3, dim=-1)
        inputs = (query, key, value)
        return [functional.linear(x, w, b) for x, w, b in zip(inputs, weight.chunk(3), bias.chunk(3))]

    def forward(self, query, key, value, mask=None):
        q, k, v = self.projected(query, key, value)
        batch, _, d_model = query.shape
        d_k = d_model // self.num_heads
        q, k, v = (x.reshape(batch, -1, self.num_heads, d_k).transpose(1, 2) for x in (q, k, v))
        # Softmax in float32, cast back: what large models do in half precision.
        scores = (q / math.sqrt(d_k)).matmul(k.transpose(2, 3)).float()
        if mask is not None:
            mask = mask.to(torch.bool)
            scores = scores.masked_fill(~mask, float("-inf"))
            scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        weights = functional.softmax(scores, dim=-1).to(q.dtype)
        if mask is not None:
            weights = weights * mask.any(dim=-1, keepdim=True)
        context = weights.matmul(v).transpose(1, 2).reshape(batch, -1, d_model)
        return self.W_o(context), weights
