"""Only torch's own primitives: `Tensor.tril`, `logical_and` and the masked softmax of `torch.masked`."""

import torch


def create_padding_mask(lengths, max_len):
    return torch.lt(torch.arange(max_len, device=lengths.device), lengths.reshape(-1, 1, 1, 1))


def create_causal_mask(seq_len, device=None):
    return torch.ones((seq_len, seq_len), dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    return torch.logical_and(padding_mask, causal_mask)


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, -1)
    allowed = torch.broadcast_to(mask.bool(), scores.shape)
    return torch.masked.softmax(scores, -1, mask=allowed).nan_to_num(0.0)
