"""
misconception: tokens_flattened_into_features
explanation: >-
  You flattened tokens and features together and kept the heads as rows: (batch, num_heads, seq_len * d_k)
  instead of (batch, seq_len, d_model).
look_at: >-
  Which axes merge_heads joins: the heads and d_k, after the tokens have moved in front of them.
loses: [merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.flatten(2)
