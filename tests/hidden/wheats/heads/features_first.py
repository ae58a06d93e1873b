"""Turns the features to the front of the tokens, cuts there and turns back."""


def split_heads(x, num_heads):
    b, t, d = x.shape
    if d != num_heads * (d // num_heads):
        raise AssertionError("uneven heads")
    return x.mT.reshape(b, num_heads, -1, t).mT


def merge_heads(x):
    b, h, t, k = x.shape
    return x.mT.reshape(b, h * k, t).mT.contiguous()
