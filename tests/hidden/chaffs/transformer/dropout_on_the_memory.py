"""
misconception: dropout_on_the_memory
explanation: >-
  Dropout is applied to the memory, and not to what the cross-attention finds in it.
look_at: >-
  The lines of the cross-attention: the memory goes in as it is, and dropout comes after.
loses: [dropout]
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
        attended = self.self_attention(x, x, x, mask)[0]
        x = self.norm_1(x + self.dropout(attended))
        changed = self.feed_forward(x)
        x = self.norm_2(x + self.dropout(changed))
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
        attended = self.self_attention(x, x, x, mask)[0]
        x = self.norm_1(x + self.dropout(attended))
        memory = self.dropout(memory)
        found = self.cross_attention(x, memory, memory, memory_mask)[0]
        x = self.norm_2(x + found)
        changed = self.feed_forward(x)
        x = self.norm_3(x + self.dropout(changed))
        return x
