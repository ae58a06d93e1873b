"""The same mistake as view_of_any_layout, written by somebody else."""

import torch


def scaled_dot_product_attention(q, k, v, m=None):
    lead = q.shape[:-2]
    n_q, n_k, d_k, d_v = q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]
    q, k, v = q.view(-1, n_q, d_k), k.view(-1, n_k, d_k), v.view(-1, n_k, d_v)
    s = torch.bmm(q, k.permute(0, 2, 1)).mul(d_k**-0.5).reshape(*lead, n_q, n_k)
    if m is not None:
        s = torch.where(m != 0, s, torch.finfo(s.dtype).min)
    a = s.softmax(-1)
    if m is not None:
        a = a * (m != 0)
    return torch.bmm(a.reshape(-1, n_q, n_k), v).reshape(*lead, n_q, d_v), a
