"""
misconception: heads_averaged
explanation: >-
  You averaged the heads; they are concatenated, so that nothing a head found is lost.
numbers: >-
  Your rows have d_k = {d_k} features; {num_heads} heads side by side have {d_model}.
look_at: >-
  merge_heads: concatenate over the features instead of a mean over the heads.
loses: [merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.mean(dim=1)
