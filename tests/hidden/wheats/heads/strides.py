"""Computes the strides by hand, on a contiguous copy."""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("no even split")
    d_k = d_model // num_heads
    x = x.contiguous()
    return x.as_strided((batch, num_heads, seq_len, d_k), (seq_len * d_model, d_k, d_model, 1), x.storage_offset())


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    tokens_first = x.permute(0, 2, 1, 3).contiguous()
    return tokens_first.view(batch, seq_len, -1)
