"""One dropout for each sub-layer, and sub-layers in a loop."""

import torch
from multihead import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)
        self.activation = nn.ReLU()

    def forward(self, x):
        return self.linear_2(self.activation(self.linear_1(x)))


class Block(nn.Module):
    def build(self, d_model, num_heads, d_ff, dropout, attentions):
        for name in attentions:
            setattr(self, name, MultiHeadAttention(d_model, num_heads))
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norms = [f"norm_{i + 1}" for i in range(len(attentions) + 1)]
        self.drops = nn.ModuleList(nn.Dropout(p=dropout) for _ in self.norms)
        for name in self.norms:
            setattr(self, name, nn.LayerNorm(d_model))

    def go(self, x, sub_layers):
        for name, drop, sub_layer in zip(self.norms, self.drops, sub_layers):
            x = getattr(self, name)(drop(sub_layer(x)) + x)
        return x


class EncoderBlock(Block):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.build(d_model, num_heads, d_ff, dropout, ["self_attention"])

    def forward(self, x, mask=None):
        return self.go(x, [lambda t: self.self_attention(t, t, t, mask)[0], self.feed_forward])


class DecoderBlock(Block):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.build(d_model, num_heads, d_ff, dropout, ["self_attention", "cross_attention"])

    def forward(self, x, memory, mask=None, memory_mask=None):
        def look_around(t):
            return self.self_attention(t, t, t, mask)[0]

        def look_back(t):
            output, _ = self.cross_attention(t, memory, memory, memory_mask)
            return output

        return self.go(x, [look_around, look_back, self.feed_forward])
