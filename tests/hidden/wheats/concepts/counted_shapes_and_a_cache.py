"""Multiplications counted from the shapes of the products, a cache of keys and values, the shift as a power of one step."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    scores = query @ key.T
    if scaled:
        scores = scores / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    return torch.stack([scores.std(), weights.max(-1).values.mean()])


def soft_look_up(query, key, value, gain):
    return scaled_dot_product_attention(query * gain, key, value)[0]


def head_by_head(x, weight, num_heads):
    d_model = weight.shape[1]
    small = weight.view(num_heads, d_model // num_heads, d_model)
    return torch.stack([x @ w.T for w in small], 1), small


def shares_of_heads(heads, w_o):
    d_k = heads.shape[-1]
    shares = []
    for i in range(heads.shape[1]):
        columns = w_o[:, i * d_k : (i + 1) * d_k]
        shares.append(heads[:, i] @ columns.T)
    return torch.stack(shares)


def shift_matrix(frequency, k):
    step = torch.tensor([[math.cos(frequency), math.sin(frequency)], [-math.sin(frequency), math.cos(frequency)]], dtype=torch.float64)
    return torch.linalg.matrix_power(step, k).float()


def weight_of_one(advantage, seq_len):
    scores = torch.zeros(seq_len)
    scores[0] = advantage
    return torch.softmax(scores, 0)[0]


def attend_in_order(x, order, causal):
    tokens = x[order]
    mask = create_causal_mask(tokens.shape[0]) if causal else None
    return scaled_dot_product_attention(tokens, tokens, tokens, mask)[0]


def attend_across(decoder, encoder):
    return scaled_dot_product_attention(decoder, encoder, encoder)


def step_by_step(query, key, value):
    cache = []
    def step(q, k, v):
        cache.append((k, v))
        keys, values = (torch.stack(part) for part in zip(*cache))
        return scaled_dot_product_attention(q[None], keys, values)[0].squeeze(0)
    return torch.stack([step(*row) for row in zip(query, key, value)])


def weights_with_fill(scores, hidden, fill):
    return torch.softmax(scores.masked_fill(hidden, fill), dim=0)


def tanh_scores(query, key, w_query, w_key, v):
    q = query @ w_query.T
    k = key @ w_key.T
    return torch.tanh(q[:, None] + k[None]) @ v


def multiplications(seq_len, d_model):
    shapes = [((seq_len, d_model), (d_model, d_model))] * 4
    products = [((seq_len, d_model), (d_model, seq_len)), ((seq_len, seq_len), (seq_len, d_model))]
    return torch.tensor([sum(a * b * c for (a, b), (_, c) in part) for part in (shapes, products)])
