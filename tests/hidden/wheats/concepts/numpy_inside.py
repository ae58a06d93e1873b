"""numpy for what needs no gradient."""

import math

import numpy as np
import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    scores = query.numpy() @ key.numpy().T
    if scaled:
        scores = scores / np.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return float(scores.std()), float((e / e.sum(-1, keepdims=True)).max(-1).mean())


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
    c, s = np.cos(k * frequency), np.sin(k * frequency)
    return torch.from_numpy(np.array([[c, s], [-s, c]], dtype=np.float32))


def weight_of_one(advantage, seq_len):
    return torch.tensor(float(1 / (1 + (seq_len - 1) * np.exp(-advantage))))


def attend_in_order(x, order, causal):
    tokens = x[order]
    mask = create_causal_mask(tokens.shape[0]) if causal else None
    return scaled_dot_product_attention(tokens, tokens, tokens, mask)[0]


def attend_across(decoder, encoder):
    return scaled_dot_product_attention(decoder, encoder, encoder)


def step_by_step(query, key, value):
    out = np.zeros((len(query), value.shape[1]), dtype=np.float32)
    for t in range(len(query)):
        s = key[: t + 1].numpy() @ query[t].numpy() / np.sqrt(key.shape[1])
        w = np.exp(s - s.max())
        out[t] = (w / w.sum()) @ value[: t + 1].numpy()
    return torch.from_numpy(out)


def weights_with_fill(scores, hidden, fill):
    s = np.where(hidden.numpy(), fill, scores.numpy()).astype("float32")
    e = np.exp(s - s.max())
    return torch.from_numpy(e / e.sum())


def tanh_scores(query, key, w_query, w_key, v):
    q = query @ w_query.T
    k = key @ w_key.T
    return torch.tanh(q[:, None] + k[None]) @ v


def multiplications(seq_len, d_model):
    return np.array([4 * seq_len * d_model**2, 2 * seq_len**2 * d_model]).tolist()
