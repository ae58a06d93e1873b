"""A `torch.autograd.Function` with the backward pass written by hand."""

import torch


def create_padding_mask(lengths, max_len):
    return torch.nn.functional.pad(
        (torch.arange(1, max_len + 1, device=lengths.device) <= lengths[..., None])[:, None], (0, 0), value=False
    )[:, None]


def create_causal_mask(seq_len, device=None):
    return torch.full((seq_len, seq_len), float("-inf"), device=device).triu(diagonal=1).isfinite()


def combine_masks(padding_mask, causal_mask):
    return (
        torch.einsum("bhqk,qk->bhqk", padding_mask.float().expand(-1, -1, len(causal_mask), -1), causal_mask.float())
        > 0.5
    )


class _MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, blocked):
        weights = scores.masked_fill(blocked, float("-inf")).softmax(dim=-1).masked_fill(blocked, 0)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return weights * (grad - (weights * grad).sum(dim=-1, keepdim=True)), None


def masked_softmax(scores, mask=None):
    blocked = torch.zeros_like(scores, dtype=torch.bool) if mask is None else mask.logical_not()
    return _MaskedSoftmax.apply(scores, blocked)
