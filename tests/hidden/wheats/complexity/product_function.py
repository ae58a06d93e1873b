"""A function counts a matrix product, and everything is made of it."""

import math


def _product(a, b, c):
    return a * b * c


def attention_operations(seq_len, d_model):
    return _product(seq_len, d_model, seq_len) + _product(seq_len, seq_len, d_model)


def projection_operations(seq_len, d_model):
    return 4 * _product(seq_len, d_model, d_model)


def recurrent_operations(seq_len, d_model):
    return sum(2 * _product(1, d_model, d_model) for _ in range(seq_len))


def convolution_operations(seq_len, d_model, kernel_size):
    return _product(seq_len, kernel_size * d_model, d_model)


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
    if other == "recurrent":
        return d_model
    if other == "convolution":
        return kernel_size * d_model // 2
    if other == "projections":
        return 2 * d_model
    raise ValueError(other)
