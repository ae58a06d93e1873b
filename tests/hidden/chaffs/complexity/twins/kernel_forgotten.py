"""The same mistake as kernel_forgotten, written by somebody else."""


def attention_operations(n, d):
    return 2 * n**2 * d


def projection_operations(n, d):
    one = n * d**2
    return sum(one for _ in "qkvo")


def recurrent_operations(n, d):
    return 2 * n * d**2


def convolution_operations(n, d, k):
    per_output = d
    return n * d * per_output


def sequential_steps(layer, n):
    return dict(attention=1, recurrent=n, convolution=1)[layer]


def longest_path(layer, n, k):
    match layer:
        case "attention":
            return 1
        case "recurrent":
            return n
        case "convolution":
            return -(-(n - 1) // (k - 1))
        case "dilated":
            seen, layers = 1, 0
            while seen < n:
                seen, layers = seen * k, layers + 1
            return layers
        case _:
            raise KeyError(layer)


def attention_memory(n, h, size):
    return h * n**2 * size


def crossing_length(other, d, k):
    return {"recurrent": d, "convolution": d * k // 2, "projections": d * 2}[other]
