"""Uses einsum, and multiplies query and key each by d_k to the power of -1/4."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    factor = q.shape[-1] ** -0.25
    logits = torch.einsum("...qd,...kd->...qk", q * factor, k * factor)
    if m is not None:
        logits = torch.where(m > 0, logits, torch.finfo(logits.dtype).min)
    p = torch.softmax(logits, dim=-1)
    if m is not None:
        p = p * (m > 0)
    return torch.einsum("...qk,...kd->...qd", p, v), p
