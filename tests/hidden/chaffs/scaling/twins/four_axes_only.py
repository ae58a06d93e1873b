"""The same mistake as four_axes_only, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    s = torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5
    if m is not None:
        s = torch.where(m != 0, s, torch.finfo(s.dtype).min)
    a = s.softmax(-1)
    if m is not None:
        a = a * (m != 0)
    return torch.einsum("bhij,bhjd->bhid", a, v), a
