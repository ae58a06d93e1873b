"""Allocates the result and fills it head by head, in place."""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    result = x.new_empty(batch, num_heads, seq_len, d_k)
    for i in range(num_heads):
        result[:, i] = x[..., i * d_k : (i + 1) * d_k]
    return result


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    result = x.new_zeros((batch, seq_len, num_heads * d_k))
    for i in range(num_heads):
        result[..., i * d_k : (i + 1) * d_k] += x[:, i]
    return result
