"""The same mistake as mask_must_be_bool, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        s = torch.where(m, s, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.where(m, a, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
