"""The same mistake as numpy_round_trip, written by somebody else."""

import numpy as np
import torch


def scaled_dot_product_attention(q, k, v, m=None):
    q, k, v = q.detach().numpy(), k.detach().numpy(), v.detach().numpy()
    s = np.einsum("...id,...jd->...ij", q, k) * np.asarray(q.shape[-1] ** -0.5, dtype=q.dtype)
    if m is not None:
        hidden = np.logical_not(m.numpy().astype(bool))
        s = np.where(hidden, np.finfo(s.dtype).min, s)
    a = np.exp(s - np.amax(s, -1, keepdims=True))
    a = a / np.sum(a, -1, keepdims=True)
    if m is not None:
        a = a * ~hidden
    return torch.from_numpy(np.einsum("...ij,...jd->...id", a, v)), torch.from_numpy(a)
