"""The crossing is searched for with the learner's own formulas."""

import math


def attention_operations(seq_len, d_model):
    scores = seq_len * d_model * seq_len
    weighted_sum = seq_len * seq_len * d_model
    return scores + weighted_sum


def projection_operations(seq_len, d_model):
    return 4 * seq_len * d_model * d_model


def recurrent_operations(seq_len, d_model):
    step = d_model * d_model + d_model * d_model
    return seq_len * step


def convolution_operations(seq_len, d_model, kernel_size):
    return seq_len * kernel_size * d_model * d_model


def sequential_steps(layer, seq_len):
    if layer == "attention":
        return 1
    elif layer == "recurrent":
        return seq_len
    elif layer == "convolution":
        return 1
    raise ValueError(layer)


def longest_path(layer, seq_len, kernel_size):
    if layer == "attention":
        return 1
    if layer == "recurrent":
        return seq_len
    if layer == "convolution":
        return math.ceil((seq_len - 1) / (kernel_size - 1))
    if layer == "dilated":
        layers = 0
        while kernel_size**layers < seq_len:
            layers += 1
        return layers
    raise ValueError(layer)


def attention_memory(seq_len, num_heads, bytes_per_number):
    return seq_len * seq_len * num_heads * bytes_per_number


def crossing_length(other, d_model, kernel_size):
    costs = {
        "recurrent": lambda n: recurrent_operations(n, d_model),
        "convolution": lambda n: convolution_operations(n, d_model, kernel_size),
        "projections": lambda n: projection_operations(n, d_model),
    }
    cost, n = costs[other], 0
    while attention_operations(n + 1, d_model) <= cost(n + 1):
        n += 1
    return n
