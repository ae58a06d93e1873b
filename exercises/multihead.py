"""
Exercise: multihead

One attention gives each token a single average over the others, and one average can follow one relation only. In "the
animal did not cross the street because it was too tired" the word *it* has something to ask about grammar and
something to ask about meaning. With several heads a token asks several questions at once: each head attends with its
own part of the features, the answers are laid side by side, and one last layer mixes them.

The heads are not num_heads sets of weights. Query, key and value are each projected once, by one (d_model, d_model)
layer, and the result is cut into num_heads parts of d_k = d_model / num_heads features; W_i^Q of the paper is the
part of W_q that head i owns. So the number of heads changes neither the number of parameters nor, much, the cost:
more heads are thinner. That is also why there can be too many: a head of few features can ask only simple questions.
The paper takes 8 heads of 64 features, and found one head of 512 worse, and 32 heads of 16, too (table 3, rows A).

In self-attention query, key and value are the same sequence. In cross-attention the query comes from one sequence (a
decoder, say) and key and value from another (the encoder's output), so seq_q and seq_k differ. The same class does
both.

Conventions of this exercise:

- Outside the heads a tensor is (batch, seq_len, d_model), batch first; inside it is (batch, num_heads, seq_len, d_k).
  Head i owns the contiguous features i * d_k up to, not including, (i + 1) * d_k.
- The layers are attributes called W_q, W_k, W_v and W_o, each an ``nn.Linear(d_model, d_model)``, with or without
  bias as you like. These four names are promised for one reason: the checks put known weights into them, because with
  random ones nobody could say what the right answer is. Call the layers or use their ``weight`` in any way you like.
- Scores are divided by the square root of d_k, the size of one head.
- A mask holds True (or 1) where a query may attend to a key, and False (or 0) where it may not. It is bool, integer
  or float, and it has one of the shapes (seq_q, seq_k), (batch, 1, 1, seq_k) or (batch, 1, seq_q, seq_k).
- A query that may attend to nothing has weights of zero in every head, so its output is the bias of W_o (zero without
  one). No NaN may come out, and none may reach a gradient.
- forward returns a pair: the output, and the weights of each head as they were used, after mask and softmax. The
  weights need not carry a gradient; the output must.
- Both keep the dtype and the device of the inputs (the module is moved there first). Inputs and mask stay unchanged,
  and a call leaves no trace on the next one. There is no dropout in this exercise.

You may use your own split_heads, merge_heads and scaled_dot_product_attention, or do without them; if they have a
mistake, it costs nothing here. torch.nn.functional.scaled_dot_product_attention, nn.MultiheadAttention and torch's
layers that contain one are not allowed: they would do this exercise instead of you.

Worked example: d_model = 4, num_heads = 2, so d_k = 2; all four layers are the identity; one sentence of 2 tokens::

    x[0]                      head 0 sees    head 1 sees
      token 0: [2, 0, 0, 0]     [2, 0]         [0, 0]
      token 1: [0, 2, 0, 0]     [0, 2]         [0, 0]

    scores of head 0:   [[4, 0], [0, 4]] / sqrt(2)       scores of head 1:   [[0, 0], [0, 0]] / sqrt(2)
    weights of head 0:  [[0.944, 0.056], [0.056, 0.944]]     weights of head 1:  [[0.5, 0.5], [0.5, 0.5]]
    output[0]:          [[1.888, 0.112, 0, 0], [0.112, 1.888, 0, 0]]

Source: Vaswani et al. (2017, arXiv:1706.03762), section 3.2.2.
"""

from heads import merge_heads, split_heads
from scaling import scaled_dot_product_attention
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """
    Attention with several heads.

    Args:
        d_model: Number of features of a token.
        num_heads: Number of heads; must divide d_model.

    Raises:
        Any exception if d_model is not divisible by num_heads, and at once, not in the first call: no feature may be
        dropped in silence.

    Source: Vaswani et al. (2017), section 3.2.2.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        # TODO: refuse sizes that do not divide, and make the four layers.
        raise NotImplementedError("MultiHeadAttention is still to be written")

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """
        Let every query gather what it looks for, in several heads at once.

        Args:
            query: Tensor (batch, seq_q, d_model).
            key: Tensor (batch, seq_k, d_model).
            value: Tensor (batch, seq_k, d_model).
            mask: True (or 1) where a query may attend, in one of the shapes (seq_q, seq_k), (batch, 1, 1, seq_k) or
                (batch, 1, seq_q, seq_k); None lets every query attend to every key.

        Returns:
            output (batch, seq_q, d_model), and attention_weights (batch, num_heads, seq_q, seq_k).
        """
        # TODO: project, split into heads, attend in every head, merge the heads, mix them with W_o.
        raise NotImplementedError("MultiHeadAttention.forward is still to be written")
