"""
misconception: gradient_of_sum_cut
explanation: You cut the sum of the exponentials from the gradient; it depends on every score of the row. Only the largest score may be cut.
look_at: detach on the denominator of your softmax.
loses: [gradients]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    return padding_mask & causal_mask


def masked_softmax(scores, mask=None):
    allowed = torch.ones_like(scores) if mask is None else (mask != 0).to(scores.dtype).expand(scores.shape)
    lowest = torch.finfo(scores.dtype).min
    largest = scores.masked_fill(allowed == 0, lowest).amax(dim=-1, keepdim=True).detach()
    exponentials = torch.exp(scores.masked_fill(allowed == 0, lowest) - largest) * allowed
    total = exponentials.sum(dim=-1, keepdim=True).detach()
    return exponentials / total.masked_fill(total == 0, 1.0)
