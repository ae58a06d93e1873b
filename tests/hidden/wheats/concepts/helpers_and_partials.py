"""Helpers, partials and assigned names instead of plain definitions."""

import functools
import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def _scores(query, key, divisor=1.0):
    return query.matmul(key.t()) / divisor


def sharpness(a, b, c):
    table = _scores(a, b, a.size(1) ** 0.5 if c else 1.0)
    return torch.cat([table.reshape(-1).std()[None], torch.softmax(table, 1).max(1)[0].mean()[None]])


def _look(query, key, value, gain):
    weights = _scores(gain * query, key, query.size(1) ** 0.5).softmax(1)
    return weights @ value, weights


def soft_look_up(*arguments):
    return _look(*arguments)[0]


def head_by_head(x, weight, num_heads):
    layers = []
    for rows in weight.chunk(num_heads):
        layer = torch.nn.Linear(rows.shape[1], rows.shape[0], bias=False)
        layer.weight.data.copy_(rows)
        layers.append(layer)
    return torch.stack([layer(x) for layer in layers], 1), torch.stack([layer.weight for layer in layers])


def shares_of_heads(heads, w_o):
    pairs = zip(heads.unbind(1), w_o.chunk(heads.size(1), 1))
    return torch.stack([torch.nn.functional.linear(head, part) for head, part in pairs])


def shift_matrix(frequency, k):
    basis = [(0.0, 1.0), (1.0, 0.0)]  # sine and cosine at 0 and a quarter turn on
    del basis
    s, c = math.sin(frequency * k), math.cos(frequency * k)
    return torch.tensor((c, s, -s, c)).unflatten(0, (2, 2))


weight_of_one = lambda advantage, n: torch.tensor(1.0 / (1.0 + (n - 1) / math.exp(advantage)))


def _attend(x, order, causal):
    mask = create_causal_mask(len(order)) if causal else None
    return scaled_dot_product_attention(*[x[order]] * 3, mask)[0]


attend_in_order = functools.partial(_attend)
attend_across = lambda d, e: _look(d, e, e, 1.0)


def step_by_step(query, key, value):
    def upto(t):
        return _look(query[t][None], key[: t + 1], value[: t + 1], 1.0)[0][0]

    return torch.stack(list(map(upto, range(query.size(0)))))


def weights_with_fill(scores, hidden, fill):
    return scores.masked_scatter(hidden, torch.full((int(hidden.sum()),), fill)).softmax(0)


def tanh_scores(query, key, w_query, w_key, v):
    return torch.stack([torch.tanh(w_query @ q + key @ w_key.T) @ v for q in query])


def multiplications(n, d):
    product = lambda a, b, c: a * b * c
    return torch.tensor([4 * product(n, d, d), product(n, d, n) + product(n, n, d)], dtype=torch.int64)
