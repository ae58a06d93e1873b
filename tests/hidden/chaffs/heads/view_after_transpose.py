"""
misconception: view_after_transpose
explanation: >-
  You called view on a transposed tensor. It works as long as the heads still lie in memory as split_heads
  left them, and raises as soon as they were computed afresh.
look_at: >-
  The view in merge_heads: use reshape, or contiguous() before it.
loses: [merge_any_layout]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).view(batch, seq_len, num_heads * d_k)
