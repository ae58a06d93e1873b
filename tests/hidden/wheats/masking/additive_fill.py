"""BERT's way: adds -10000 times the inverted mask, cast to the scores' dtype, and multiplies by the mask at the end."""

import torch


def create_padding_mask(lengths, max_len):
    row = torch.arange(max_len).to(lengths)
    return row.expand(lengths.size(0), -1).lt(lengths.unsqueeze(-1)).unsqueeze(1).unsqueeze(2)


def create_causal_mask(seq_len, device=None):
    return torch.triu(torch.ones(seq_len, seq_len, device=device), diagonal=1) == 0


def combine_masks(padding_mask, causal_mask):
    return (padding_mask * causal_mask).bool()


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.nn.functional.softmax(scores, dim=-1)
    keep = mask.to(scores.dtype)
    biased = scores + (1.0 - keep) * -10000.0
    return torch.nn.functional.softmax(biased, dim=-1) * keep
