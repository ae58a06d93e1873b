"""Adds the logarithm of the mask, which is 0 or minus infinity, and takes exp(score - logsumexp) with a guarded sum."""

import torch


def create_padding_mask(lengths, max_len):
    marks = torch.zeros(lengths.shape[0], max_len + 1, dtype=torch.int32, device=lengths.device)
    ends = marks.scatter(1, lengths.long()[:, None], 1)
    return (ends.cumsum(1)[:, :max_len] == 0)[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.eye(seq_len, device=device).flip(0).cumsum(0).flip(0).flip(1).cumsum(0).bool().tril()


def combine_masks(padding_mask, causal_mask):
    return torch.minimum(padding_mask.to(torch.uint8), causal_mask.to(torch.uint8)) > 0


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones((), device=scores.device)
    keep = (mask != 0).broadcast_to(scores.shape)
    alive = keep.any(-1, keepdim=True)
    shifted = torch.where(alive, scores + keep.to(scores.dtype).log(), torch.zeros_like(scores))
    log_total = torch.logsumexp(shifted, dim=-1, keepdim=True)
    return (shifted - log_total).exp() * alive
