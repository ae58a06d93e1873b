"""The decoder block inherits from the encoder block."""

from multihead import MultiHeadAttention
from torch import nn
from torch.nn.functional import relu


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        batch, seq_len, d_model = x.shape
        return self.linear_2(relu(self.linear_1(x.reshape(-1, d_model)))).reshape(batch, seq_len, d_model)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)

    def begin(self, x, mask):
        output, _weights = self.self_attention(x, x, x, mask)
        return self.norm_1(x + self.drop(output))

    def end(self, x, norm):
        return norm(x + self.drop(self.feed_forward(x)))

    def forward(self, x, mask=None):
        return self.end(self.begin(x, mask), self.norm_2)


class DecoderBlock(EncoderBlock):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__(d_model, num_heads, d_ff, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.norm_3 = nn.LayerNorm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.begin(x, mask)
        output, _weights = self.cross_attention(x, memory, memory, memory_mask)
        return self.end(self.norm_2(x + self.drop(output)), self.norm_3)
