"""
misconception: split_by_view_alone
explanation: >-
  You reshaped straight to (batch, num_heads, seq_len, d_k). A reshape only renames places in memory, so a
  head holds pieces of a few tokens instead of one piece of every token.
look_at: >-
  The line that makes the head axis in split_heads: cut the last axis first, then move an axis with transpose.
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.reshape(batch, num_heads, seq_len, d_model // num_heads)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
