"""A default argument that remembers every scale, and of which the first is used."""

import torch


def scaled_dot_product_attention(q, k, v, m=None, known=[]):
    known.append(k.shape[-1] ** -0.5)
    scale = known[0]
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, torch.finfo(s.dtype).min)
    a = s.softmax(dim=-1)
    if m is not None:
        a = torch.where(see, a, 0.0)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
