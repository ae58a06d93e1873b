"""The same mistake as nan_hidden_after_softmax, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = s + torch.where(see, 0.0, float("-inf")).to(s.dtype)
    a = s.softmax(dim=-1)
    a = torch.where(a.isnan(), 0.0, a)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
