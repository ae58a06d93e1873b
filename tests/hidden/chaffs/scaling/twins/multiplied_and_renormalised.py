"""The same mistake as multiplied_and_renormalised, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.mul(a, m.to(a.dtype))
        a = torch.div(a, torch.einsum("...ij->...i", a)[..., None])
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
