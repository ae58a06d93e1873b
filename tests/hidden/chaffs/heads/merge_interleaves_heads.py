"""
misconception: merge_interleaves_heads
explanation: >-
  You wove the heads into each other: a merged row takes feature 0 of every head, then feature 1 of every
  head; each head's d_k features belong together.
look_at: >-
  The order of the last two axes before the reshape in merge_heads.
loses: [merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, seq_len, num_heads * d_k)
