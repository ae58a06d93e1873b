"""Scores and softmax in float32 at least, an additive float mask, cast back at the end."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).transpose(-2, -1) * (1 / math.sqrt(query.size(-1)))
    if mask is not None:
        mask = mask.to(wide)
        scores = scores + (1.0 - mask) * -1e9
    weights = torch.softmax(scores, -1)
    if mask is not None:
        weights = weights * mask
    output = weights @ value.to(wide)
    return output.to(dtype), weights.to(dtype)
