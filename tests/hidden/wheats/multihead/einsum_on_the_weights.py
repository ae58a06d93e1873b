"""Never calls the layers: uses their weights as (heads, d_k, d_model) tensors in einsum."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.h = num_heads
        for name in "qkvo":
            setattr(self, f"W_{name}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key, value, mask=None):
        d_model = query.size(-1)
        d_k = d_model // self.h
        w_q, w_k, w_v = (layer.weight.view(self.h, d_k, d_model) for layer in (self.W_q, self.W_k, self.W_v))
        w_o = self.W_o.weight.view(d_model, self.h, d_k)
        q = torch.einsum("btm,hdm->bhtd", query, w_q)
        k = torch.einsum("bsm,hdm->bhsd", key, w_k)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(d_k)
        if mask is not None:
            allowed = torch.broadcast_to(mask != 0, scores.shape)
            # Rows with nothing allowed keep their finite scores, and lose their weights afterwards.
            open_rows = allowed | ~allowed.any(-1, keepdim=True)
            scores = torch.where(open_rows, scores, float("-inf"))
            weights = torch.where(allowed, scores.softmax(-1), 0.0)
        else:
            weights = scores.softmax(-1)
        v = torch.einsum("bsm,hdm->bhsd", value, w_v)
        return torch.einsum("bhts,bhsd,mhd->btm", weights, v, w_o), weights
