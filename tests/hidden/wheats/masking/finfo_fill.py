"""Fills with the smallest number of the dtype, in place but on a copy of its own, and zeroes masked weights afterwards."""

import torch
from torch import nn


class PaddingMasker:
    def __call__(self, lengths, max_len):
        mask = lengths.new_zeros((lengths.numel(), max_len), dtype=torch.bool)
        for row, length in zip(mask, lengths.tolist()):
            row[:length] = True
        return mask[:, None, None]


create_padding_mask = PaddingMasker()


def create_causal_mask(seq_len, device=None):
    mask = torch.zeros(seq_len, seq_len, device=device, dtype=torch.bool)
    for query in range(seq_len):
        mask[query, : query + 1] = True
    return mask


def combine_masks(padding_mask, causal_mask):
    batch, _, _, seq_len = padding_mask.shape
    both = padding_mask.expand(batch, 1, seq_len, seq_len).clone()
    both &= causal_mask
    return both


def masked_softmax(scores, mask=None):
    scores = scores.clone()
    if mask is not None:
        blocked = mask.expand_as(scores).eq(0)
        scores[blocked] = torch.finfo(scores.dtype).min
    weights = nn.Softmax(dim=-1)(scores)
    if mask is not None:
        weights = weights * blocked.logical_not()
    return weights
