"""Masks by multiplication before and after the softmax, and divides by the sum that is left."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        mask = mask.to(scores.dtype)
        weights = (scores * mask).softmax(-1) * mask
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-13)
    return weights @ value, weights
