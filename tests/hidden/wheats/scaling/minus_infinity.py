"""Fills with -inf and replaces the NaN of empty rows afterwards; masked_fill stops their gradients."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.matmul(p_attn, value), p_attn
