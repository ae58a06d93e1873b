"""
Exercise: concepts

What do you expect, and what comes out? This exercise has two parts, which are scored apart.

1. Predictions, in the file concepts.yaml: 29 questions that people really ask about attention. `grade quiz` asks them
   one after the other and keeps your answers; you can also write them into the file. Each question has numbers of your
   own. Answer before you measure: an idea that was wrong and surprised you is one that you will not forget.
2. Experiments, in this file: twelve small functions that measure what the questions ask about. Each is a few lines, and
   you may use what you wrote in earlier exercises. `grade check` runs them on your own numbers, and shows what you
   predicted beside what your code measured.

Where it sits in the whole: it adds nothing to the model. It goes once more through all of its parts and asks why each
is there: the scale and the softmax (Vaswani et al. 2017, section 3.2.1), the heads and W_O (3.2.2), the three uses of
attention (3.2.3), the costs (section 4, table 1), positions (3.5), and the additive score of Bahdanau et al. (2014,
section 3.1 and appendix A.1.2) beside the dot product of Luong et al. (2015, section 3.1).

Conventions of this exercise:

- Tensors are float32. Where a function returns one or two numbers, return them as a tensor: torch.stack([a, b]), say,
  or torch.tensor([a, b]). Plain numbers are read too.
- Tokens are rows, features are columns. There is a batch only where it is named; heads come before tokens.
- Weights W of a layer are as in nn.Linear: (features out, features in), used as x @ W.T.
- A mask holds True where a query may attend to a key; a causal one lets query i attend to the keys 0 … i.

Worked example, d_k = 2 and three tokens, as in the first question::

    query = [[1, 1]]       scores  [2, 0, -2]       mean 0, so their standard deviation is
    key = [[ 1,  1],                                √((2² + 0² + 2²) / 3) = 1.63
           [ 1, -1],       divided by √2: [1.41, 0, -1.41], standard deviation 1.15
           [-1, -1]]       weights [0.768, 0.187, 0.045], the largest is 0.768

    so sharpness(query, key, True) is [1.15, 0.768] (1.41 instead of 1.15 if you divide by 3 - 1: both are right)

Sources, at the sections above: Bahdanau et al. (2014, arXiv:1409.0473),
Luong et al. (2015, arXiv:1508.04025), Vaswani et al. (2017, arXiv:1706.03762).
"""

import math

import torch
from masking import create_causal_mask
from scaling import scaled_dot_product_attention


def sharpness(query: torch.Tensor, key: torch.Tensor, scaled: bool) -> torch.Tensor:
    """
    Say how spread the scores are, and how much of its weight a query gives to one key.

    Args:
        query: Tensor (seq_q, d_k).
        key: Tensor (seq_k, d_k).
        scaled: Whether the scores are divided by √d_k.

    Returns:
        Tensor (2,): the standard deviation of all scores, and the mean over the queries of their largest weight.
    """
    # TODO: all scores; their standard deviation; softmax over the keys, and the largest weight of each query.
    raise NotImplementedError("sharpness is still to be written")


def soft_look_up(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, gain: float) -> torch.Tensor:
    """
    Look values up with a query that is multiplied by a gain first: 0 asks for nothing, a large one for the best match.

    Args:
        query: Tensor (seq_q, d_k).
        key: Tensor (seq_k, d_k).
        value: Tensor (seq_k, d_v).
        gain: Factor for the query.

    Returns:
        Tensor (seq_q, d_v): the output of scaled dot-product attention.
    """
    # TODO: one call of your attention.
    raise NotImplementedError("soft_look_up is still to be written")


def head_by_head(x: torch.Tensor, weight: torch.Tensor, num_heads: int) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Do what one projection and split_heads do, with a small projection for each head.

    Args:
        x: Tensor (batch, seq_len, d_model).
        weight: Weights of W_q, (d_model, d_model): row r makes feature r of x @ weight.T.
        num_heads: Number of heads, which divides d_model.

    Returns:
        The pair (heads, small): heads is (batch, num_heads, seq_len, d_k), as split_heads(x @ weight.T, num_heads)
        would give it; small is (num_heads, d_k, d_model), the weights of each head's own projection.
    """
    # TODO: cut the weights into one block of rows for each head, and project with each.
    raise NotImplementedError("head_by_head is still to be written")


def shares_of_heads(heads: torch.Tensor, w_o: torch.Tensor) -> torch.Tensor:
    """
    Take the output of W_O apart into what each head contributes.

    Args:
        heads: Tensor (batch, num_heads, seq_len, d_k), what the heads found.
        w_o: Weights of W_o, (d_model, d_model): merge_heads(heads) @ w_o.T is the output of the layer.

    Returns:
        Tensor (num_heads, batch, seq_len, d_model): the share of each head. Their sum is the output.
    """
    # TODO: the columns of w_o that read a head, times that head.
    raise NotImplementedError("shares_of_heads is still to be written")


def shift_matrix(frequency: float, k: int) -> torch.Tensor:
    """
    Return the matrix that moves one pair of the positional encoding k positions further, wherever it stands.

    Args:
        frequency: ω of the pair; position p is encoded as [sin(p ω), cos(p ω)].
        k: How many positions further.

    Returns:
        Tensor (2, 2), M, such that M @ [sin(p ω), cos(p ω)] is [sin((p + k) ω), cos((p + k) ω)] for every p.
    """
    # TODO: sin(a + b) and cos(a + b) by the addition theorems.
    raise NotImplementedError("shift_matrix is still to be written")


def weight_of_one(advantage: float, seq_len: int) -> torch.Tensor:
    """
    Return the weight of one key whose score stands out.

    Args:
        advantage: How far its score is above those of all the others, which are equal.
        seq_len: Number of keys, itself included.

    Returns:
        Tensor (): its weight.
    """
    # TODO: a row of scores, and its softmax.
    raise NotImplementedError("weight_of_one is still to be written")


def attend_in_order(x: torch.Tensor, order: torch.Tensor, causal: bool) -> torch.Tensor:
    """
    Let tokens attend to themselves in another order, without positions: query, key and value are the tokens.

    Args:
        x: Tokens, (seq_len, d_model).
        order: Permutation of 0 … seq_len - 1, int64 (seq_len,): place r now holds token order[r].
        causal: Whether each place sees only itself and those before it.

    Returns:
        Tensor (seq_len, d_model): the output at each place, in the new order.
    """
    # TODO: put the tokens in order, and attend.
    raise NotImplementedError("attend_in_order is still to be written")


def attend_across(decoder: torch.Tensor, encoder: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Let a decoder attend to an encoder, as in cross-attention with all projections left out.

    Args:
        decoder: Tokens that ask, (seq_decoder, d_model).
        encoder: Tokens that are asked, (seq_encoder, d_model).

    Returns:
        The pair (output, attention_weights) of scaled dot-product attention.
    """
    # TODO: which of the two is the query, which key and value?
    raise NotImplementedError("attend_across is still to be written")


def step_by_step(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """
    Attend as in decoding: one token after the other, each with the keys and values that there are by then. No mask.

    Args:
        query: Tensor (seq_len, d_k).
        key: Tensor (seq_len, d_k).
        value: Tensor (seq_len, d_v).

    Returns:
        Tensor (seq_len, d_v): what causal attention over all of it at once would give.
    """
    # TODO: a loop: query t, and the keys and values 0 … t.
    raise NotImplementedError("step_by_step is still to be written")


def weights_with_fill(scores: torch.Tensor, hidden: torch.Tensor, fill: float) -> torch.Tensor:
    """
    Mask with any number, to see what it does.

    Args:
        scores: Tensor (seq_k,).
        hidden: Bool tensor (seq_k,): True where a key is to be hidden.
        fill: What the scores of hidden keys become; may be -inf.

    Returns:
        Tensor (seq_k,): the weights.
    """
    # TODO: fill, then softmax.
    raise NotImplementedError("weights_with_fill is still to be written")


def tanh_scores(
    query: torch.Tensor, key: torch.Tensor, w_query: torch.Tensor, w_key: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """
    Return the additive score of each query with each key: v · tanh(W_query q + W_key k).

    Args:
        query: Tensor (seq_q, d_q).
        key: Tensor (seq_k, d_k).
        w_query: Tensor (d_attn, d_q).
        w_key: Tensor (d_attn, d_k).
        v: Tensor (d_attn,).

    Returns:
        Tensor (seq_q, seq_k).

    Source: Bahdanau et al. (2014), appendix A.1.2.
    """
    # TODO: project both, add each query to each key by broadcasting, tanh, and the product with v.
    raise NotImplementedError("tanh_scores is still to be written")


def multiplications(seq_len: int, d_model: int) -> torch.Tensor:
    """
    Count what one layer of self-attention multiplies.

    Args:
        seq_len: Number of tokens.
        d_model: Width of the layer, over all heads.

    Returns:
        int64 tensor (2,): multiplications in the four projections W_q, W_k, W_v and W_o, and in mixing, which is the
        scores and the weighted sum of values. Scale and softmax are not counted.

    Source: Vaswani et al. (2017), section 4, table 1, which counts the mixing alone.
    """
    # TODO: (n, d) @ (d, d) takes n d d multiplications; and the two products of mixing?
    raise NotImplementedError("multiplications is still to be written")
