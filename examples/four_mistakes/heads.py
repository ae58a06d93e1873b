def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{d_model} features cannot be split into {num_heads} heads")
    return x.reshape(batch, seq_len, num_heads, d_model // num_heads).permute(0, 2, 1, 3)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.reshape(batch, seq_len, num_heads * d_k)
