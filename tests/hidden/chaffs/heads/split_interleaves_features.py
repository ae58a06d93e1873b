"""
misconception: split_interleaves_features
explanation: >-
  You dealt the features out in turn, so head i got every num_heads-th feature starting at i; a head owns d_k
  neighbours.
numbers: >-
  Head 0 got the features 0, {num_heads}, …; it owns the features 0 to d_k - 1 with d_k = {d_k}.
look_at: >-
  The order of the two sizes that the last axis is cut into: the heads come first, then d_k.
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, d_model // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
