"""
Exercise: scores

Attention begins with a question: how well does this query match that key? The answer is one number for each pair, the
score. A softmax makes weights of the scores, and the weights mix the values; whatever is odd about the score is odd
about everything after it. There are four classic ways to score, and you write each of them.

- dot: qᵀk. One matrix product, no parameters. Query and key need the same number of features, and they must already
  speak the same language: feature i of one is compared with feature i of the other.
- scaled dot: qᵀk / √d_k. The same, but its spread stays the same however many features there are. This is what every
  Transformer uses.
- general: qᵀ W k. The matrix W translates between the two, so query and key may have different sizes. With the
  identity as W it is the dot product.
- additive: vᵀ tanh(W_q q + W_k k). A small network with one hidden layer. Both sides are brought to d_attn features,
  added, squashed, and weighed by v. Sizes may differ, and the score can never leave the range from -Σ|v| to +Σ|v|.

Why tanh, and not just the sum? Without it the score of a pair would be a number for the query plus a number for the
key. A softmax over the keys does not see the query's number, since it is the same for all of them: every query would
look at the same keys.

Where this sits in the whole: Bahdanau's decoder scores its state against each encoder state with the additive form;
Luong compares dot, general and a close relative of additive; Vaswani keeps the dot product, because it is one fast
matrix product, and repairs its growing spread with the scale. Masks, softmax and heads work with any of them.

Conventions of this exercise:

- query is (batch, seq_q, …) and key is (batch, seq_k, …), always with three axes. Each function returns scores
  (batch, seq_q, seq_k): entry [b, i, j] compares query i with key j of sample b. No softmax, no mask.
- Dot and scaled dot need the same size d_k in both. General and additive take d_q in queries and d_k in keys.
- Parameters come as arguments. Those of the additive score have the shape of the weight of a linear layer, (features
  out, features in). There is no bias anywhere.
- Scores keep the dtype (half and bfloat16 too) and the device of the arguments, which are all alike. Gradients flow to
  every argument. The arguments are left unchanged. Any size works, 1 included, and so does any memory layout.

Worked example: one query, three keys, two features. W swaps the features, w_query and w_key are identities::

    query = [1, 2]      key = [[ 1,  1],     W = [[0, 1],     v = [1, 1]
                               [-1,  0],          [1, 0]]
                               [ 0, -2]]

    dot       1 * 1 + 2 * 1 = 3,   1 * -1 + 2 * 0 = -1,   1 * 0 + 2 * -2 = -4         [3, -1, -4]
    scaled    divided by √2 = 1.41                                                    [2.12, -0.71, -2.83]
    general   [1, 2] W = [2, 1], and that times each key                              [3, -2, -2]
    additive  tanh(2) + tanh(3),   tanh(0) + tanh(2),   tanh(1) + tanh(0)             [1.96, 0.96, 0.76]

Sources: Bahdanau et al. (2014, arXiv:1409.0473), section 3.1 and appendix A.1.2;
Luong et al. (2015, arXiv:1508.04025), section 3.1; Vaswani et al. (2017, arXiv:1706.03762), section 3.2.1.
"""

import torch


def dot_score(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """
    Score each query with each key by their dot product.

    Args:
        query: Tensor (batch, seq_q, d_k).
        key: Tensor (batch, seq_k, d_k).

    Returns:
        Tensor (batch, seq_q, seq_k): the sum over the features of query times key.

    Source: Luong et al. (2015), section 3.1, "dot".
    """
    # Exchanging the last two axes puts the keys into columns: (batch, d_k, seq_k). A view would only rename places.
    return query @ key.transpose(-2, -1)


def scaled_dot_score(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """
    Score each query with each key by their dot product, divided by the square root of the number of features.

    Args:
        query: Tensor (batch, seq_q, d_k).
        key: Tensor (batch, seq_k, d_k).

    Returns:
        Tensor (batch, seq_q, seq_k). Of features with mean 0 and variance 1 it has variance 1, whatever d_k is.

    Source: Vaswani et al. (2017), section 3.2.1, equation 1 and the footnote on the variance of a dot product.
    """
    # A sum of d_k products of variance 1 has variance d_k, so its standard deviation is √d_k.
    d_k = query.shape[-1]
    return dot_score(query, key) / d_k**0.5


def general_score(query: torch.Tensor, key: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """
    Score each query with each key through a matrix that translates between them.

    Args:
        query: Tensor (batch, seq_q, d_q).
        key: Tensor (batch, seq_k, d_k).
        weight: Tensor (d_q, d_k): the query's features down, the key's across.

    Returns:
        Tensor (batch, seq_q, seq_k): queryᵀ · weight · key.

    Source: Luong et al. (2015), section 3.1, "general".
    """
    # (batch, seq_q, d_q) @ (d_q, d_k) makes the queries as wide as the keys. What is left is a dot product.
    return dot_score(query @ weight, key)


def additive_score(
    query: torch.Tensor, key: torch.Tensor, w_query: torch.Tensor, w_key: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """
    Score each query with each key by a small network with one hidden layer of d_attn units.

    Args:
        query: Tensor (batch, seq_q, d_q).
        key: Tensor (batch, seq_k, d_k).
        w_query: Tensor (d_attn, d_q), as the weight of a linear layer.
        w_key: Tensor (d_attn, d_k), as the weight of a linear layer.
        v: Tensor (d_attn,).

    Returns:
        Tensor (batch, seq_q, seq_k): v · tanh(w_query · query + w_key · key).

    Source: Bahdanau et al. (2014), appendix A.1.2.
    """
    # A linear layer multiplies by its weight transposed. Each side is projected once, not once for each pair.
    projected_query = query @ w_query.T  # (batch, seq_q, d_attn)
    projected_key = key @ w_key.T  # (batch, seq_k, d_attn)
    # One axis of size 1 in each, so that broadcasting adds every query to every key: (batch, seq_q, seq_k, d_attn).
    hidden = torch.tanh(projected_query.unsqueeze(2) + projected_key.unsqueeze(1))
    # The product with a vector removes the last axis. All of hidden is kept for the backward pass: this, and not the
    # number of operations alone, is why the dot product is the cheaper one.
    return hidden @ v
