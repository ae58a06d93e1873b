"""
misconception: combined_on_cpu
explanation: You collect the combined mask in a tensor on the CPU, wherever the masks are.
look_at: "The tensor that you make in combine_masks: it needs device=padding_mask.device."
loses: [device]
"""

import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths.unsqueeze(1))[:, None, None, :]


def create_causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def combine_masks(padding_mask, causal_mask):
    batch, seq_len = padding_mask.size(0), causal_mask.size(0)
    combined = torch.zeros(batch, 1, seq_len, seq_len, dtype=torch.bool)
    for sentence in range(batch):
        combined[sentence, 0] = padding_mask[sentence, 0] & causal_mask
    return combined


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(mask == 0, 0.0)
