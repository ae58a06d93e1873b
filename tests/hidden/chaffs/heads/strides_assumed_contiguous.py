"""
misconception: strides_assumed_contiguous
explanation: >-
  You read the memory of x with strides of your own, as if x were contiguous; for a transposed x these are
  other numbers.
look_at: >-
  The as_strided call in split_heads.
loses: [split_any_layout]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    return x.as_strided((batch, num_heads, seq_len, d_k), (seq_len * d_model, d_k, d_model, 1))


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
