"""The same mistake as mask_made_on_cpu, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        low = torch.ones(s.shape).to(s.dtype) * torch.finfo(s.dtype).min
        s = torch.where(see, s, low)
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.where(see, a, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
