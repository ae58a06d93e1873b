"""The same mistake as mask_too_weak, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, -10.0)
    a = s.softmax(dim=-1)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
