"""
misconception: input_transposed_in_place
explanation: >-
  You used transpose_, which turns the caller's own tensor: a second use of it sees other axes.
look_at: >-
  Every method with a trailing underscore in merge_heads.
loses: [input_untouched]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    x.transpose_(1, 2)
    return x.reshape(batch, seq_len, num_heads * d_k)
