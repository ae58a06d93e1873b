"""The same mistake as mask_must_be_bool, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m
        s = s.masked_fill(~see, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    if m is not None:
        a = a.masked_fill(~see, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
