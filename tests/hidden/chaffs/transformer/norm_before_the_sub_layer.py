"""
misconception: norm_before_the_sub_layer
explanation: >-
  The norm stands before each sub-layer (pre-norm); this exercise follows the paper, where the sum is normalised
  (post-norm), so what a block returns is not of the promised size.
look_at: >-
  What is inside each norm: the sum of input and sub-layer.
loses: [norm, together, learning]
"""

from multihead import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = nn.functional.relu(self.linear_1(x))
        return self.linear_2(hidden)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended = self.self_attention(*[self.norm_1(x)] * 3, mask)[0]
        x = x + self.dropout(attended)
        changed = self.feed_forward(self.norm_2(x))
        x = x + self.dropout(changed)
        return x


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.norm_3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, mask=None, memory_mask=None):
        attended = self.self_attention(*[self.norm_1(x)] * 3, mask)[0]
        x = x + self.dropout(attended)
        found = self.cross_attention(self.norm_2(x), memory, memory, memory_mask)[0]
        x = x + self.dropout(found)
        changed = self.feed_forward(self.norm_3(x))
        x = x + self.dropout(changed)
        return x
