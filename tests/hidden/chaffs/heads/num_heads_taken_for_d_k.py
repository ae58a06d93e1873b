"""
misconception: num_heads_taken_for_d_k
explanation: >-
  You used num_heads as the size of a head: you made d_model / num_heads heads of num_heads features each.
numbers: >-
  You made {d_k} heads of {num_heads} features; {num_heads} heads of {d_k} features were asked for.
look_at: >-
  The sizes in the reshape of split_heads: which of them counts heads, and which counts features?
loses: [split]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, -1, num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
