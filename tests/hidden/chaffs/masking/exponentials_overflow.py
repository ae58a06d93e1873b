"""
misconception: exponentials_overflow
explanation: "You take the exponential of the scores as they are: exp(300) is infinity and exp(-300) is 0 in float32. Subtract each row's largest score first."
look_at: The exponential in your softmax.
loses: [large_scores]
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
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    exponentials = torch.exp(scores)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)
