"""The same mistake as exp_overflows, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        nothing = ~see.any(-1, keepdim=True)
        s = torch.where(see | nothing, s, torch.finfo(s.dtype).min)
    a = s.exp()
    a = a / torch.einsum("...ij->...i", a).unsqueeze(-1)
    if m is not None:
        a = torch.where(see, a, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
