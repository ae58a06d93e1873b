"""Plain Python: takes one row at a time, selects its allowed scores and puts their softmax back in place."""

import torch


def create_padding_mask(lengths, max_len):
    table = [[[[position < int(length) for position in range(max_len)]]] for length in lengths]
    return torch.tensor(table, dtype=torch.bool, device=lengths.device)


def create_causal_mask(seq_len, device=None):
    return torch.tensor([[key <= query for key in range(seq_len)] for query in range(seq_len)], device=device)


def combine_masks(padding_mask, causal_mask):
    return torch.stack([causal_mask & padding[0, 0] for padding in padding_mask]).unsqueeze(1)


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones(1, device=scores.device)
    rows = scores.reshape(-1, scores.size(-1))
    masks = (mask != 0).expand(scores.size()).reshape(-1, scores.size(-1))
    weights = []
    for row, allowed in zip(rows, masks):
        where = allowed.nonzero().squeeze(-1)
        empty = torch.zeros_like(row)
        weights.append(empty.index_put((where,), row[where].softmax(0)) if len(where) else row * 0)
    return torch.stack(weights).reshape(scores.size())
