"""The same mistake as renormalised_after_softmax, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    a = s.softmax(dim=-1)
    if m is not None:
        a = a * m.to(a.dtype)
        t = a.sum(-1).unsqueeze(-1)
        a = a / torch.where(t == 0, torch.ones_like(t), t)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
