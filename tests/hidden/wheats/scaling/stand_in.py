"""Uses torch's own fused attention: once for the output, and once with unit vectors as values for the weights."""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    seq_k = key.shape[-2]
    allowed = None if mask is None else mask != 0
    unit = torch.eye(seq_k, dtype=value.dtype, device=value.device).expand(*value.shape[:-1], seq_k)
    together = F.scaled_dot_product_attention(query, key, torch.cat([value, unit], dim=-1), attn_mask=allowed)
    if allowed is not None:
        # Before torch 2.5 a row without a key was NaN.
        together = together.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)
    output, attention_weights = together.split([value.shape[-1], seq_k], dim=-1)
    return output, attention_weights
