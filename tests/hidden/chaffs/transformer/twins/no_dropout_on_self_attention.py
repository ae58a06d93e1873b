"""The same mistake as no_dropout_on_self_attention, written by somebody else."""

import torch
from torch import nn
from torch.nn import functional


class OwnAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(t).unflatten(-1, (self.num_heads, -1))
            for layer, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = torch.where(mask != 0, scores, torch.full_like(scores, -1e4))
        weights = scores.softmax(-1)
        return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        inner = torch.clamp(self.linear_1(x), min=0)
        return self.linear_2(inner)


class SubLayers(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, rate, norms):
        super().__init__()
        self.rate = rate
        self.self_attention = OwnAttention(d_model, num_heads)
        if norms == 3:
            self.cross_attention = OwnAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        for number in range(1, norms + 1):
            setattr(self, f"norm_{number}", nn.LayerNorm(d_model))

    def drop(self, t):
        return functional.dropout(t, self.rate, training=self.training)

    def close(self, number, before, added, is_dropped=True):
        norm = getattr(self, f"norm_{number}")
        return norm(before + (self.drop(added) if is_dropped else added))


class EncoderBlock(SubLayers):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__(d_model, num_heads, d_ff, dropout, 2)

    def forward(self, x, mask=None):
        seen = self.close(1, x, self.self_attention(x, x, x, mask), is_dropped=False)
        return self.close(2, seen, self.feed_forward(seen))


class DecoderBlock(SubLayers):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__(d_model, num_heads, d_ff, dropout, 3)

    def forward(self, x, memory, mask=None, memory_mask=None):
        seen = self.close(1, x, self.self_attention(x, x, x, mask), is_dropped=False)
        asked = self.close(2, seen, self.cross_attention(seen, memory, memory, memory_mask))
        return self.close(3, asked, self.feed_forward(asked))
