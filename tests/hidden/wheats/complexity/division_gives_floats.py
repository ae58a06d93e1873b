"""Some results are floats that hold whole numbers."""

import math


def attention_operations(seq_len, d_model):
    return seq_len**2 * d_model / 0.5


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
    return float(num_heads * seq_len**2 * bytes_per_number)


def crossing_length(other, d_model, kernel_size):
    factor = {"recurrent": 2, "convolution": kernel_size, "projections": 4}[other]
    return math.floor(factor * d_model / 2)
