"""torch's fused attention, log-sum-exp, polar numbers, a sigmoid for the softmax of one against many, concatenated additive attention."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    scores = torch.nn.functional.linear(query, key)
    if scaled:
        scores.div_(query.shape[1] ** 0.5)
    variance, _ = torch.var_mean(scores, correction=0)
    return [float(variance.sqrt()), float(torch.exp(scores.amax(1) - scores.logsumexp(1)).mean())]


def soft_look_up(query, key, value, gain):
    return torch.nn.functional.scaled_dot_product_attention(gain * query[None], key[None], value[None])[0]


def head_by_head(x, weight, num_heads):
    small = weight.unflatten(0, (num_heads, -1))
    return torch.einsum("btm,hdm->bhtd", x, small), small


def shares_of_heads(heads, w_o):
    w = w_o.unflatten(1, (heads.size(1), -1)).permute(1, 2, 0)
    return (heads.transpose(0, 1) @ w.unsqueeze(1))


def shift_matrix(frequency, k):
    turn = torch.polar(torch.tensor(1.0), torch.tensor(float(k * frequency)))
    return torch.stack([torch.stack([turn.real, turn.imag]), torch.stack([-turn.imag, turn.real])])


def weight_of_one(advantage, seq_len):
    return torch.sigmoid(torch.tensor(advantage - math.log(seq_len - 1)))


def attend_in_order(x, order, causal):
    h = x.index_select(0, order)[None, None]
    return torch.nn.functional.scaled_dot_product_attention(h, h, h, is_causal=causal)[0, 0]


def attend_across(decoder, encoder):
    scores = torch.cdist(decoder, encoder).square()
    scores = (decoder.square().sum(1, keepdim=True) + encoder.square().sum(1) - scores) / 2
    weights = torch.softmax(scores / decoder.size(1) ** 0.5, 1)
    return weights @ encoder, weights


def step_by_step(query, key, value):
    # All steps at once: what a step cannot see yet is masked.
    n = query.size(0)
    return torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None], torch.tril(torch.ones(n, n)).bool())[0]


def weights_with_fill(scores, hidden, fill):
    return torch.log_softmax(torch.where(hidden, torch.tensor(fill), scores), 0).exp()


def tanh_scores(query, key, w_query, w_key, v):
    both = torch.cat([w_query, w_key], dim=1)
    pairs = torch.cat([query.unsqueeze(1).expand(-1, len(key), -1), key.unsqueeze(0).expand(len(query), -1, -1)], dim=-1)
    return (torch.tanh(pairs @ both.T) * v).sum(-1)


def multiplications(seq_len, d_model):
    return torch.stack([torch.tensor(seq_len * d_model * (2 * d_model) * 2), torch.tensor(seq_len * d_model * seq_len * 2)])
