"""Half types are computed in float32 inside, and the result is cast back."""

import math

import torch


def _wide(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def dot_score(query, key):
    return (_wide(query) @ _wide(key).mT).to(query.dtype)


def scaled_dot_score(query, key):
    return (_wide(query) @ _wide(key).mT / math.sqrt(query.shape[-1])).to(query.dtype)


def general_score(query, key, weight):
    return (_wide(query) @ _wide(weight) @ _wide(key).mT).to(query.dtype)


def additive_score(query, key, w_query, w_key, v):
    q = _wide(query) @ _wide(w_query).mT
    k = _wide(key) @ _wide(w_key).mT
    return (torch.tanh(q[:, :, None] + k[:, None]) @ _wide(v)).to(query.dtype)
