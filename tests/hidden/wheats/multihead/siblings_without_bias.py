"""Builds on the earlier exercises, with layers that have no bias."""

import heads
import scaling
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        parts = (
            heads.split_heads(layer(x), self.num_heads)
            for layer, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        context, attention_weights = scaling.scaled_dot_product_attention(*parts, mask)
        return self.W_o(heads.merge_heads(context)), attention_weights
