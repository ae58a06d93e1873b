"""
misconception: heads_folded_into_batch
explanation: >-
  You folded the heads into the batch axis and returned (batch * num_heads, seq_len, d_k); the heads are
  promised an axis of their own.
look_at: >-
  The last line of split_heads: the reshape that joins batch and heads.
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    x = x.view(batch, seq_len, num_heads, d_k).transpose(1, 2)
    return x.reshape(batch * num_heads, seq_len, d_k)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
