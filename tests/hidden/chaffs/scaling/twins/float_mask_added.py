"""The same mistake as float_mask_added, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    see = None
    if m is not None:
        if m.dtype.is_floating_point:
            s = s + m
        else:
            see = m.bool()
            s = torch.where(see, s, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    if see is not None:
        a = a * see
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
