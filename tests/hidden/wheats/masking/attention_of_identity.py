"""Lets `scaled_dot_product_attention` do it: keys and values are identity matrices, so that its output is its weights."""

import torch
import torch.nn.functional as F


def create_padding_mask(lengths, max_len):
    return torch.stack([torch.arange(max_len, device=lengths.device)] * len(lengths)).less(lengths[:, None])[
        :, None, None
    ]


def create_causal_mask(seq_len, device=None):
    ranks = torch.linspace(0, 1, seq_len, device=device)
    return torch.cdist(ranks[:, None], ranks[:, None]).mul(0).add(ranks[:, None] - ranks[None, :]).ge(0)


def combine_masks(padding_mask, causal_mask):
    return (padding_mask.int() + causal_mask.int()) == 2


def masked_softmax(scores, mask=None):
    seq_k = scores.shape[-1]
    identity = torch.eye(seq_k, dtype=scores.dtype, device=scores.device).expand(*scores.shape[:-2], seq_k, seq_k)
    if mask is None:
        return F.scaled_dot_product_attention(scores, identity, identity, scale=1.0)
    mask = (mask != 0).expand(scores.shape)
    alive = mask.any(-1, keepdim=True)
    return F.scaled_dot_product_attention(scores, identity, identity, attn_mask=mask | ~alive, scale=1.0) * alive
