"""Exponentials and their sum by hand, after subtracting the largest allowed score of each row."""

import torch


def create_padding_mask(lengths, max_len):
    j = torch.arange(max_len, device=lengths.device)[None, None, None, :]
    return ~(j >= lengths[:, None, None, None])


def create_causal_mask(seq_len, device=None):
    return ~torch.ones(seq_len, seq_len, device=device).triu(1).bool()


def combine_masks(padding_mask, causal_mask):
    return ~(~padding_mask | ~causal_mask)


def masked_softmax(scores, mask=None):
    keep = torch.ones_like(scores) if mask is None else mask.to(scores.dtype).expand(scores.shape)
    largest = scores.masked_fill(keep == 0, torch.finfo(scores.dtype).min).amax(-1, keepdim=True).detach()
    exponentials = torch.exp((scores - largest).masked_fill(keep == 0, 0.0)) * keep
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / torch.where(total == 0, torch.ones_like(total), total)
