"""
misconception: softmax_scaled
explanation: You scale the scores inside the softmax; scaling by the square root of d_k belongs where the scores are made, and seq_k is not d_k.
numbers: You divide the scores by √seq_k = {sqrt_seq_k:.3g} inside the softmax; scaling belongs where the scores are made, and takes d_k.
look_at: A division before the softmax.
loses: [softmax_values, masked_weights]
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
    scores = scores / scores.size(-1) ** 0.5
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
