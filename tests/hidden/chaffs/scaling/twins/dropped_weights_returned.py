"""The weights go through a dropout layer that is in training."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.where(see, a, 0.0)
    a = torch.nn.Dropout(0.1)(a)
    o = a @ v
    return (o, a)
