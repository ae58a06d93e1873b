"""
misconception: merge_without_transpose
explanation: >-
  You reshaped (batch, num_heads, seq_len, d_k) straight to (batch, seq_len, d_model), without bringing the
  tokens back before the heads: each row now mixes several tokens of one head.
look_at: >-
  merge_heads before its reshape: which axis must stand next to d_k for the features of one token to lie side
  by side?
loses: [merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.reshape(batch, seq_len, num_heads * d_k)
