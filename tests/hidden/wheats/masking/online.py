"""The online softmax of fused kernels: goes over the keys in blocks of two and rescales a running sum."""

import torch


def create_padding_mask(lengths, max_len):
    return (lengths.view(-1, 1, 1, 1) - torch.arange(max_len, device=lengths.device)) > 0


def create_causal_mask(seq_len, device=None):
    offsets = torch.arange(seq_len, device=device)
    return torch.sub(offsets[:, None], offsets) >= 0


def combine_masks(padding_mask, causal_mask):
    return padding_mask.mul(causal_mask)


def masked_softmax(scores, mask=None):
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.ne(0).expand_as(scores)
    largest = scores.new_full(scores.shape[:-1] + (1,), torch.finfo(scores.dtype).min)
    total = torch.zeros_like(largest)
    for block, allowed in zip(scores.split(2, dim=-1), keep.split(2, dim=-1)):
        candidate = block.masked_fill(~allowed, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        new_largest = torch.maximum(largest, candidate).detach()
        block = (block - new_largest).masked_fill(~allowed, float("-inf"))
        total = total * torch.exp(largest - new_largest) + block.exp().sum(-1, keepdim=True)
        largest = new_largest
    weights = (scores - largest).masked_fill(~keep, float("-inf")).exp()
    return weights / total.masked_fill(total == 0, 1)
