"""
Exercise: scaling

Attention is a soft look-up: the query says what a token looks for, the key what each token offers, the value what is
handed over. Attention(Q, K, V) = softmax(QKᵀ / √d_k) V, in four steps: compare each query with each key (dot product),
scale, turn each query's scores into weights that sum to one (softmax), and add up the values with these weights.

Why scale? If the numbers in queries and keys have mean 0 and variance 1, a dot product of d_k terms has variance d_k.
At d_k = 64 scores of 8 and more are ordinary, the softmax puts nearly everything on one key, and its gradient vanishes.
Dividing by √d_k, the standard deviation, brings the scores back to a spread of 1 whatever d_k is.

Conventions of this exercise:

- The last two axes are tokens and features. Before them stand any number of leading axes, the same in query, key and
  value: none, (batch,) or (batch, num_heads), say. seq_q and seq_k may differ, and so may d_k and d_v.
- A mask holds True where a query may attend to a key and False where it may not; 1 and 0 as integers or floats mean the
  same. It broadcasts against (…, seq_q, seq_k). A masked key gets a weight of zero, and the weights of the others sum
  to one.
- A query whose keys are all masked gets weights of zero and an output of zero, never NaN, and lets no NaN into any
  gradient.
- Write the steps yourself: torch's own attention (torch.nn.functional.scaled_dot_product_attention and
  torch.nn.MultiheadAttention) is not allowed here.
- Output and weights keep the dtype (half and bfloat16 too) and the device of query, key and value, which are all alike.
  Large scores must not overflow. Gradients flow from the output to query, key and value. The arguments are left
  unchanged, and there is no dropout.

Worked example: d_k = 2, three tokens as keys, two queries::

    query = [[1, 1],    key = [[ 1,  1],    value = [[10,  0],
             [0, 0]]           [ 1, -1],             [ 0, 10],
                               [-1, -1]]             [10, 10]]

    query 0:  scores  [2, 0, -2],  divided by √2  [1.41, 0, -1.41],  exponentials  [4.11, 1, 0.24], their sum 5.36
              weights [0.768, 0.187, 0.045],  output [7.68 + 0.45, 1.87 + 0.45] = [8.13, 2.32]
    query 1:  scores  [0, 0, 0],  weights [0.333, 0.333, 0.333],  output [6.67, 6.67]

    With the mask [[1, 1, 0], [0, 0, 0]] query 0 has weights [0.804, 0.196, 0] and output [8.04, 1.96], and query 1,
    which may attend to nothing, has weights [0, 0, 0] and output [0, 0].

Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.2.1.
"""

import torch


def scaled_dot_product_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Let each query collect a weighted sum of the values, weighted by how well it matches the keys.

    Args:
        query: Tensor (…, seq_q, d_k).
        key: Tensor (…, seq_k, d_k).
        value: Tensor (…, seq_k, d_v).
        mask: Bool, integer or float tensor that broadcasts against (…, seq_q, seq_k); True or 1 means "may attend".
            None means that every query may attend to every key.

    Returns:
        The pair (output, attention_weights): output is (…, seq_q, d_v), attention_weights is (…, seq_q, seq_k). Each
        row of attention_weights belongs to a query and sums to one over the keys, or is zero if all are masked.

    Source: Vaswani et al. (2017), section 3.2.1, equation 1.
    """
    d_k = query.shape[-1]
    # Score: one dot product for each pair of a query and a key, brought back to a spread of 1.
    attention_scores = query @ key.transpose(-2, -1) / d_k**0.5  # (…, seq_q, seq_k)
    if mask is None:
        attention_weights = attention_scores.softmax(dim=-1)
    else:
        masked = mask == 0  # the same question for bool, integer and float masks
        # Before the softmax, so that the other keys share the whole weight. The smallest number of the dtype does what
        # -inf would do, but a row that is masked completely stays free of NaN, in its gradients too.
        attention_scores = attention_scores.masked_fill(masked, torch.finfo(attention_scores.dtype).min)
        # Such a row is even now, (1 / seq_k, …); it has to be zero. In the other rows masked keys have zero already.
        attention_weights = attention_scores.softmax(dim=-1).masked_fill(masked, 0.0)
    # Weighted sum: the value of each key, as much of it as the query's weight says.
    output = attention_weights @ value  # (…, seq_q, d_v)
    return output, attention_weights
