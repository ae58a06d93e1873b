"""
misconception: triples
explanation: You multiply by three.
numbers: You multiply by three, on inputs of {batch} rows.
look_at: The factor.
loses: [values, gradients, refusal]
"""


def double(x, times):
    if times < 0:
        raise ValueError("negative")
    return x * 3**times
