"""The same mistake as mask_added_as_number, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        s = s + torch.where(m.bool(), 1.0, 0.0).to(s.dtype)
    a = s.softmax(dim=-1)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
