"""
misconception: split_without_transpose
explanation: >-
  You cut the features but left the heads behind the tokens: the result is (batch, seq_len, num_heads, d_k),
  so attention would run between heads instead of between tokens.
look_at: >-
  The order of the axes that split_heads returns.
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
