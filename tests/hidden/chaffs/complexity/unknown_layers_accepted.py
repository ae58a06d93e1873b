"""
misconception: unknown_layers_accepted
explanation: >-
  You take every name that is not known for the last one of your list: a misspelt layer gets the cost of another
  one, and nobody notices.
look_at: >-
  The end of each chain of ifs: raise there.
loses: [refusal]
"""

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
    if layer == "recurrent":
        return seq_len
    else:
        return 1


def longest_path(layer, seq_len, kernel_size):
    if layer == "attention":
        return 1
    if layer == "recurrent":
        return seq_len
    if layer == "convolution":
        return math.ceil((seq_len - 1) / (kernel_size - 1))
    layers = 0
    while kernel_size**layers < seq_len:
        layers += 1
    return layers


def attention_memory(seq_len, num_heads, bytes_per_number):
    return seq_len * seq_len * num_heads * bytes_per_number


def crossing_length(other, d_model, kernel_size):
    if other == "recurrent":
        return d_model
    if other == "convolution":
        return kernel_size * d_model // 2
    return 2 * d_model
