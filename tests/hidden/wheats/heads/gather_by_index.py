"""Looks every entry up by its index, with broadcast index tensors."""

import torch


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    d_k, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{d_model} features for {num_heads} heads leave {rest} over")
    b = torch.arange(batch, device=x.device)[:, None, None, None]
    h = torch.arange(num_heads, device=x.device)[None, :, None, None]
    t = torch.arange(seq_len, device=x.device)[None, None, :, None]
    j = torch.arange(d_k, device=x.device)
    return x[b, t, h * d_k + j]


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    feature = torch.arange(num_heads * d_k, device=x.device)
    t = torch.arange(seq_len, device=x.device)[:, None]
    return x[:, feature // d_k, t, feature % d_k]
