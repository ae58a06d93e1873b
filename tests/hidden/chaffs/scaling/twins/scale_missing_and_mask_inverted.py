"""No scale, and where with its branches exchanged."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = 1.0
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, torch.finfo(s.dtype).min, s)
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.where(see, 0.0, a)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
