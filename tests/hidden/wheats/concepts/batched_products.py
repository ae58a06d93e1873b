"""Batched and tensor products, narrow and select, a complex exponential, the log-sum-exp by itself."""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query, key, scaled):
    scores = torch.bmm(query[None], key[None].mT)[0]
    factor = 1 / math.sqrt(key.shape[-1]) if scaled else 1
    scores = scores.mul(factor)
    shares = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return scores.reshape(-1).var().sqrt(), torch.stack([share.max() for share in shares]).mean()


def soft_look_up(query, key, value, gain):
    shares = torch.softmax(torch.addmm(torch.zeros(()), query, key.T, alpha=gain / math.sqrt(query.size(1))), dim=1)
    return torch.einsum("qk,kd->qd", shares, value)


def head_by_head(x, weight, num_heads):
    size = len(weight) // num_heads
    blocks = [weight[start : start + size] for start in range(0, len(weight), size)]
    return torch.cat([(x @ block.T)[:, None] for block in blocks], dim=1), torch.cat([block[None] for block in blocks])


def shares_of_heads(heads, w_o):
    d_k = heads.size(3)
    return torch.stack([torch.tensordot(heads.select(1, i), w_o.narrow(1, i * d_k, d_k), dims=([2], [1])) for i in range(heads.size(1))])


def shift_matrix(frequency, k):
    turn = torch.view_as_real(torch.exp(1j * torch.tensor(float(k * frequency))))
    return torch.stack((turn, torch.stack((-turn[1], turn[0]))))


def weight_of_one(advantage, seq_len):
    return torch.exp(advantage - torch.logsumexp(torch.tensor([advantage] + [0.0] * (seq_len - 1)), 0))


def attend_in_order(x, order, causal):
    tokens = x[order]
    mask = create_causal_mask(tokens.shape[0]) if causal else None
    return scaled_dot_product_attention(tokens, tokens, tokens, mask)[0]


def attend_across(decoder, encoder):
    return scaled_dot_product_attention(decoder, encoder, encoder)


def step_by_step(query, key, value):
    result = torch.zeros(len(query), value.size(1))
    seen = 0
    while seen < len(query):
        seen += 1
        result[seen - 1] = scaled_dot_product_attention(query[seen - 1 : seen], key[:seen], value[:seen])[0]
    return result


def weights_with_fill(scores, hidden, fill):
    return torch.nn.Softmax(dim=0)(torch.stack([s.new_tensor(fill) if h else s for s, h in zip(scores, hidden)]))


def tanh_scores(query, key, w_query, w_key, v):
    return torch.tanh(torch.einsum('qd,ad->qa', query, w_query)[:, None] + torch.einsum('kd,ad->ka', key, w_key)).matmul(v[:, None])[..., 0]


def multiplications(seq_len, d_model):
    return torch.tensor([4 * seq_len * d_model**2, 2 * seq_len**2 * d_model])
