"""The same mistake as empty_row_gives_average, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
