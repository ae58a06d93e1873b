import torch


def create_padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)
    mask = positions.unsqueeze(0) < lengths.unsqueeze(1)
    return mask.unsqueeze(1).unsqueeze(2)


def create_causal_mask(seq_len, device=None):
    # everything up to the current position
    return torch.tril(torch.ones(seq_len, seq_len, device=device), diagonal=1).bool()


def combine_masks(padding_mask, causal_mask):
    return torch.logical_and(padding_mask, causal_mask)


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    blocked = mask == 0
    scores = scores.masked_fill(blocked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    # rows without any key
    return weights.masked_fill(blocked, 0)
