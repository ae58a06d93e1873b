"""
misconception: heads_before_the_batch
explanation: >-
  You put the heads before the batch: (num_heads, batch, seq_len, d_k). The batch stays first, here and in all of
  torch.
look_at: >-
  The order in which you permute the axes of the split: (batch, num_heads, seq_len, d_k).
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    return x.view(batch, seq_len, num_heads, d_k).permute(2, 0, 1, 3)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
