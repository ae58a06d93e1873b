"""The mistake step_sees_everything in another style."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    d_k = query.size(1)
    scores = torch.einsum("id,jd->ij", query, key)
    scores = scores * d_k**-0.5 if scaled else scores
    spread = (((scores - scores.mean()) ** 2).sum() / (scores.numel() - 1)).sqrt()
    largest = [row.softmax(0).max() for row in scores]
    return torch.stack([spread, sum(largest) / len(largest)])


def soft_look_up(query, key, value, gain):
    scores = (gain * query) @ key.transpose(0, 1) / math.sqrt(query.size(-1))
    return torch.softmax(scores, dim=-1).matmul(value)


def head_by_head(x, weight, num_heads):
    parts = list(torch.chunk(weight, num_heads, dim=0))
    heads = [torch.nn.functional.linear(x, part) for part in parts]
    return torch.stack(heads, dim=1), torch.stack(parts)


def shares_of_heads(heads, w_o):
    batch, num_heads, seq_len, d_k = heads.shape
    by_head = w_o.view(-1, num_heads, d_k)
    return torch.einsum("bhtd,ohd->hbto", heads, by_head)


def shift_matrix(frequency, k):
    generator = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.matrix_exp(k * frequency * generator).float()


def weight_of_one(advantage, seq_len):
    own = math.exp(advantage)
    return torch.tensor(own / (own + (seq_len - 1) * math.exp(0)))


def attend_in_order(x, order, causal):
    n = len(order)
    tokens = torch.stack([x[int(i)] for i in order])
    scores = tokens @ tokens.T / tokens.size(1) ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)
    return scores.softmax(-1) @ tokens


def attend_across(decoder, encoder):
    scores = decoder.matmul(encoder.T) / math.sqrt(encoder.size(-1))
    weights = torch.softmax(scores, -1)
    return weights.matmul(encoder), weights


def step_by_step(query, key, value):
    return torch.softmax(query @ key.T / math.sqrt(query.size(-1)), -1) @ value


def weights_with_fill(scores, hidden, fill):
    filled = torch.where(hidden, torch.full_like(scores, fill), scores)
    exponentials = torch.exp(filled - filled.max())
    return exponentials / exponentials.sum()


def tanh_scores(query, key, w_query, w_key, v):
    result = torch.empty(len(query), len(key))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            result[i, j] = v.dot(torch.tanh(w_query @ q + w_key @ k))
    return result


def multiplications(seq_len, d_model):
    n, d = seq_len, d_model
    projections = sum(n * d * d for _ in ("q", "k", "v", "o"))
    mixing = n * d * n + n * n * d
    return torch.tensor([projections, mixing])
