"""
misconception: round_trip_interleaved
explanation: >-
  Both functions deal the features out in turn. They undo each other, but head i owns the contiguous features
  i * d_k up to (i + 1) * d_k, and learned weights rely on it.
look_at: >-
  The order of the two sizes that the last axis is cut into, in both functions.
loses: [split, merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, d_model // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, seq_len, num_heads * d_k)
