"""Nothing is multiplied that can be counted: loops over heads, tokens and layers."""


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
    assert layer in ("attention", "recurrent", "convolution")
    steps = 1
    if layer == "recurrent":
        for _ in range(1, seq_len):
            steps += 1
    return steps


def longest_path(layer, seq_len, kernel_size):
    assert layer in ("attention", "recurrent", "convolution", "dilated")
    if layer in ("attention", "recurrent"):
        return sequential_steps(layer, seq_len)
    first, layers, gap = seq_len - 1, 0, 1
    while first > 0:
        first -= gap * (kernel_size - 1)
        gap *= kernel_size if layer == "dilated" else 1
        layers += 1
    return layers


def attention_memory(seq_len, num_heads, bytes_per_number):
    total = 0
    for _ in range(num_heads):
        total += seq_len**2
    return total * bytes_per_number


def crossing_length(other, d_model, kernel_size):
    if other == "recurrent":
        return d_model
    if other == "convolution":
        return kernel_size * d_model // 2
    if other == "projections":
        return 2 * d_model
    raise ValueError(other)
