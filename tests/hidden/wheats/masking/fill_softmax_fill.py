"""The usual fill, softmax, `nan_to_num`, written with methods that change a copy in place."""

import torch as t


def create_padding_mask(lengths, max_len):
    ranks = t.arange(max_len, dtype=lengths.dtype, device=lengths.device).unsqueeze(0).repeat(lengths.shape[0], 1)
    return t.gt(lengths.unsqueeze(1), ranks).reshape(lengths.shape[0], 1, 1, max_len)


def create_causal_mask(seq_len, device=None):
    return t.ones([seq_len] * 2, device=device).tril_().to(t.bool)


def combine_masks(padding_mask, causal_mask):
    return t.bitwise_and(causal_mask.unsqueeze(0).unsqueeze(0), padding_mask)


def masked_softmax(scores, mask=None):
    out = scores.clone()
    if mask is not None:
        out.masked_fill_(mask.bool().logical_not(), -t.inf)
    return t.softmax(out, dim=out.dim() - 1).nan_to_num(nan=0.0)
