"""Computes in float32 and casts back, with `where` before and after the softmax (the double-where trick)."""

import torch


def create_padding_mask(lengths, max_len):
    rows = [torch.arange(max_len, device=lengths.device) < length for length in lengths]
    return torch.stack(rows).view(len(rows), 1, 1, max_len)


def create_causal_mask(seq_len, device=None):
    rows, columns = torch.tril_indices(seq_len, seq_len, device=device)
    mask = torch.zeros(seq_len, seq_len, dtype=torch.bool, device=device)
    mask[rows, columns] = True
    return mask


def combine_masks(padding_mask, causal_mask):
    return padding_mask.logical_and(causal_mask[None, None])


def masked_softmax(scores, mask=None):
    if mask is None:
        return scores.float().softmax(-1).type_as(scores)
    mask = mask.bool()
    wide = torch.where(mask, scores.float(), torch.full_like(scores, -1e9, dtype=torch.float32))
    weights = wide.softmax(-1)
    return torch.where(mask, weights, torch.zeros_like(weights)).to(scores.dtype)
