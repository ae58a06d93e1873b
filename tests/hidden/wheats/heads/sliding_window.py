"""Reads the heads as windows of step d_k with unfold; merges with hstack."""

import torch


def split_heads(x, num_heads):
    if x.shape[2] % num_heads > 0:
        raise ValueError("choose a number of heads that divides the features")
    d_k = x.shape[2] // num_heads
    return x.unfold(2, d_k, d_k).permute(0, 2, 1, 3)


def merge_heads(x):
    return torch.dstack(x.unbind(dim=1))
