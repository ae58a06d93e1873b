"""
misconception: only_the_first_sample
explanation: >-
  You split the first sentence of the batch and left the others out: right only for a batch of one.
look_at: >-
  Where split_heads drops or indexes the batch axis.
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x[0].view(seq_len, num_heads, d_model // num_heads).transpose(0, 1).unsqueeze(0)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
