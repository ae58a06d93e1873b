"""einsum over the same tensor twice."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    similarity = torch.einsum("...id,...jd->...ij", key, key) * query.shape[-1] ** -0.5
    allowed = torch.ones_like(similarity, dtype=torch.bool) if mask is None else mask.bool()
    exponentials = torch.where(allowed, (similarity - similarity.amax(-1, keepdim=True)).exp(), torch.zeros_like(similarity))
    weights = exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)
    return torch.einsum("...ij,...jd->...id", weights, value), weights
