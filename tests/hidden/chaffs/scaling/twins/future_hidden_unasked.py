"""The same mistake as future_hidden_unasked, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, torch.finfo(s.dtype).min)
    else:
        i = torch.arange(s.shape[-2], device=s.device)
        j = torch.arange(s.shape[-1], device=s.device)
        see = i[:, None] >= j
        s = s.masked_fill(~see, -torch.inf)
    a = s.softmax(dim=-1)
    a = torch.where(see, a, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
