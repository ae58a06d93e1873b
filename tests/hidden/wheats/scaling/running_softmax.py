"""Goes through the keys in blocks with a running maximum and sum, as fused kernels do."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None, *, block=2):
    seq_k = key.shape[-2]
    scale = 1.0 / query.shape[-1] ** 0.5
    shape = (*query.shape[:-1], seq_k)
    seen = torch.ones(shape, dtype=torch.bool, device=query.device) if mask is None else (mask != 0).expand(shape)
    low = torch.finfo(query.dtype).min
    running_max = query.new_full((*query.shape[:-1], 1), low)
    total = torch.zeros_like(running_max)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    parts = []
    for start in range(0, seq_k, block):
        here = seen[..., start : start + block]
        s = (query @ key[..., start : start + block, :].transpose(-2, -1) * scale).masked_fill(~here, low)
        new_max = torch.maximum(running_max, s.detach().amax(-1, keepdim=True))
        e = torch.exp(s - new_max) * here
        shrink = torch.exp(running_max - new_max)
        total = total * shrink + e.sum(-1, keepdim=True)
        output = output * shrink + e @ value[..., start : start + block, :]
        parts = [part * shrink for part in parts] + [e]
        running_max = new_max
    total = total.masked_fill(total == 0, 1.0)
    return output / total, torch.cat(parts, dim=-1) / total
