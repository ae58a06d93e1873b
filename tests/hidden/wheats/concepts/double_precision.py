"""float64 where a number is returned, and additive scores of all pairs in one long list."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    s = query.double() @ key.double().T
    s = s / math.sqrt(query.shape[-1]) if scaled else s
    return torch.stack([s.std(correction=0), s.softmax(1).amax(1).mean()])


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
    a = torch.tensor(float(k * frequency), dtype=torch.float64)
    return torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()]).reshape(2, 2)


def weight_of_one(advantage, seq_len):
    s = torch.full((seq_len,), -float(advantage), dtype=torch.float64)
    s[-1] = 0.0
    return s.softmax(0)[-1].reshape(1)


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
    hidden = (query @ w_query.T).repeat_interleave(len(key), 0) + (key @ w_key.T).repeat(len(query), 1)
    return (hidden.sigmoid() * 0 + hidden.tanh()).matmul(v).view(len(query), len(key))


def multiplications(seq_len, d_model):
    return torch.tensor([4 * seq_len * d_model**2, 2 * seq_len**2 * d_model])
