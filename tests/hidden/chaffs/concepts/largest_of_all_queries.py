"""
misconception: largest_of_all_queries
explanation: You returned the largest weight of all queries. The mean over the queries of their own largest weight says how sharp it usually is.
look_at: What is done with the largest weights.
loses: [sharpness]
"""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    scores = query @ key.T
    if scaled:
        scores = scores / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    return torch.stack([scores.std(), weights.max()])


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
    angle = k * frequency
    return torch.tensor([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


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
    outputs = []
    for t in range(query.shape[0]):
        output, _ = scaled_dot_product_attention(query[t : t + 1], key[: t + 1], value[: t + 1])
        outputs.append(output)
    return torch.cat(outputs)


def weights_with_fill(scores, hidden, fill):
    return torch.softmax(scores.masked_fill(hidden, fill), dim=0)


def tanh_scores(query, key, w_query, w_key, v):
    q = query @ w_query.T
    k = key @ w_key.T
    return torch.tanh(q[:, None] + k[None]) @ v


def multiplications(seq_len, d_model):
    return torch.tensor([4 * seq_len * d_model**2, 2 * seq_len**2 * d_model])
