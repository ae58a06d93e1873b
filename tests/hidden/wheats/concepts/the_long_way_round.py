"""The scale on both sides, one projection that is split, heads alone through the whole of W_O, a mask of ones."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    d = query.shape[-1]
    q = query / d**0.25 if scaled else query
    k = key / d**0.25 if scaled else key
    s = (q.unsqueeze(1) * k.unsqueeze(0)).sum(-1)
    return torch.tensor([s.flatten().std().item(), s.softmax(-1).sort(-1, descending=True).values[:, 0].mean().item()])


def soft_look_up(query, key, value, gain):
    w = torch.ones(len(query), len(key), dtype=torch.bool)
    return scaled_dot_product_attention(query.mul(gain), key, value, w)[0]


def head_by_head(x, weight, num_heads):
    whole = x @ weight.T
    b, t, d = whole.shape
    return whole.view(b, t, num_heads, d // num_heads).transpose(1, 2), torch.stack(weight.tensor_split(num_heads))


def shares_of_heads(heads, w_o):
    b, h, t, d = heads.shape
    out = []
    for i in range(h):
        alone = torch.zeros_like(heads)
        alone[:, i] = heads[:, i]
        out.append(alone.transpose(1, 2).reshape(b, t, h * d) @ w_o.T)
    return torch.stack(out)


def shift_matrix(frequency, k):
    angle = k * frequency
    return torch.tensor([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def weight_of_one(advantage, seq_len):
    return torch.nn.functional.pad(torch.tensor([float(advantage)]), (0, seq_len - 1)).softmax(0).max() if advantage >= 0 else torch.tensor([float(advantage)] + [0.0] * (seq_len - 1)).softmax(0)[0]


def attend_in_order(x, order, causal):
    moved = torch.nn.functional.embedding(order, x)
    n = len(moved)
    allowed = create_causal_mask(n) if causal else torch.ones(n, n, dtype=torch.bool)
    return scaled_dot_product_attention(moved, moved, moved, allowed)[0]


def attend_across(decoder, encoder):
    output, weights = scaled_dot_product_attention(decoder[None, None], encoder[None, None], encoder[None, None])
    return [output[0, 0], weights[0, 0]]


def step_by_step(query, key, value):
    return torch.stack([scaled_dot_product_attention(query[t : t + 1], key.narrow(0, 0, t + 1), value.narrow(0, 0, t + 1))[0][0] for t in range(len(query))])


def weights_with_fill(scores, hidden, fill):
    s = scores.clone()
    s[hidden] = fill
    return torch.nn.functional.softmax(s, dim=-1)


def tanh_scores(query, key, w_query, w_key, v):
    a = torch.nn.functional.linear(query, w_query)
    b = torch.nn.functional.linear(key, w_key)
    return torch.einsum("ijd,d->ij", (a[:, None, :] + b[None, :, :]).tanh(), v)


def multiplications(seq_len, d_model):
    return torch.tensor((sum([seq_len * d_model * d_model] * 4), sum([seq_len * seq_len * d_model] * 2)))
