"""The same mistake as masked_scores_set_to_zero, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    scale = q.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", q, k) * scale
    if m is not None:
        see = m.bool()
        s = torch.where(see, s, 1e-9)
    a = s.softmax(dim=-1)
    o = torch.einsum("...ij,...jd->...id", a, v)
    return (o, a)
