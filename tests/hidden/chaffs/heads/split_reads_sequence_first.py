"""
misconception: split_reads_sequence_first
explanation: >-
  You read x as (seq_len, batch, d_model); here the batch comes first, so sentences and positions have changed
  places.
look_at: >-
  The line that takes the sizes from x.shape, and the order of the axes after it.
loses: [split]
"""


def split_heads(x, num_heads):
    seq_len, batch, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(seq_len, batch, num_heads, d_model // num_heads).permute(1, 2, 0, 3)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
