"""
Exercise: transformer

Attention moves information between tokens; nothing in it works on a single token. A transformer block puts the two
together: attention, then a small network that each token goes through by itself, the same for all (the position-wise
feed-forward network). Around each of these sub-layers there is a residual connection, so that the input is kept and the
sub-layer only adds to it, and a layer norm, so that the numbers keep their size however many blocks are stacked::

    x = LayerNorm(x + Dropout(Sublayer(x)))                      FFN(x) = max(0, x W_1 + b_1) W_2 + b_2

An encoder block has two sub-layers: self-attention and feed-forward. A decoder block has three: self-attention, which
the caller's causal mask keeps from looking ahead; cross-attention, in which the decoder's tokens ask and the encoder's
output (the memory) answers; and feed-forward. A translator is a few of the one kind under a few of the other, with
embeddings and positions below and one linear layer above. When your blocks are done, the checks build a small one from
them and train it to copy sequences.

Where the norm stands is a choice. In the paper, and here, it comes after the sum (post-norm), so what a block returns
is normalised. Many later models normalise the input of each sub-layer instead (pre-norm); that is another function.

Conventions of this exercise:

- Tensors are (batch, seq_len, d_model). A block returns one tensor of the shape of x, and no weights.
- The layers are attributes. FeedForward has linear_1 (d_model to d_ff) and linear_2 (d_ff to d_model), each an
  ``nn.Linear`` with bias. A block has self_attention (and cross_attention in the decoder) with the four layers W_q,
  W_k, W_v and W_o of the exercise multihead, feed_forward, and norm_1, norm_2 (and norm_3) in the order of its
  sub-layers, each an ``nn.LayerNorm(d_model)``. The names are promised because the checks put known weights into these
  layers.
- Masks are those of multihead: True (or 1) where a query may attend to a key, (seq_q, seq_k), (batch, 1, 1, seq_k) or
  (batch, 1, seq_q, seq_k). mask belongs to the self-attention, memory_mask to the cross-attention. A block makes no
  mask of its own.
- Dropout, with the rate that the constructor gets, is applied to what each sub-layer returns, before the sum (section
  5.4 of the paper), and nowhere else. After eval() there is none.
- Dtype and device are those of the inputs, gradients flow to all inputs and layers, and the inputs stay unchanged.
- Put the blocks together yourself: torch's own (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer and
  torch.nn.Transformer) are not allowed here.

You may use your own MultiHeadAttention, as the import below does, or write the attention anew under these names; if
your multihead has a mistake, it costs nothing here.

Worked example: d_model = 2, three tokens, and sub-layers whose last layers are zero, so that they add nothing. What is
left is the norms, which subtract the mean of a token and divide by its standard deviation::

    x = [[3, 1], [0, 4], [5, 5]]     block(x) = [[1, -1], [-1, 1], [0, 0]]

    Token 0 has mean 2 and standard deviation 1: [3 - 2, 1 - 2] / 1. Normalising again changes nothing. In token 2 both
    features are equal, so nothing is left of it.

Source: Vaswani et al. (2017, arXiv:1706.03762), sections 3.1, 3.3 and 5.4.
"""

from multihead import MultiHeadAttention
from torch import Tensor, nn


class FeedForward(nn.Module):
    """
    The network that each token goes through by itself.

    Args:
        d_model: Number of features of a token.
        d_ff: Number of features between the two layers.

    Source: Vaswani et al. (2017), section 3.3.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        # TODO: make the two layers.
        raise NotImplementedError("FeedForward is still to be written")

    def forward(self, x: Tensor) -> Tensor:
        """
        Transform every token alike.

        Args:
            x: Tensor (batch, seq_len, d_model).

        Returns:
            Tensor (batch, seq_len, d_model).
        """
        # TODO: the first layer, relu, the second layer.
        raise NotImplementedError("FeedForward.forward is still to be written")


class EncoderBlock(nn.Module):
    """
    Self-attention and feed-forward, each with a residual connection and a layer norm after the sum.

    Args:
        d_model: Number of features of a token.
        num_heads: Number of heads; divides d_model.
        d_ff: Number of features inside the feed-forward network.
        dropout: Share of a sub-layer's numbers that is dropped in training.

    Source: Vaswani et al. (2017), section 3.1.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        # TODO: make the attention, the feed-forward network, two norms and the dropout.
        raise NotImplementedError("EncoderBlock is still to be written")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """
        Let the tokens of one sequence look at each other.

        Args:
            x: Tensor (batch, seq_len, d_model).
            mask: Which tokens a token may attend to; None allows all.

        Returns:
            Tensor (batch, seq_len, d_model), normalised.
        """
        # TODO: two sub-layers, each with dropout, sum and norm.
        raise NotImplementedError("EncoderBlock.forward is still to be written")


class DecoderBlock(nn.Module):
    """
    Masked self-attention, cross-attention and feed-forward, each with a residual connection and a layer norm.

    Args:
        d_model: Number of features of a token.
        num_heads: Number of heads; divides d_model.
        d_ff: Number of features inside the feed-forward network.
        dropout: Share of a sub-layer's numbers that is dropped in training.

    Source: Vaswani et al. (2017), section 3.1.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        # TODO: make two attentions, the feed-forward network, three norms and the dropout.
        raise NotImplementedError("DecoderBlock is still to be written")

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        """
        Let the tokens written so far look at each other, then at the encoder's output.

        Args:
            x: Tensor (batch, seq_len, d_model).
            memory: The encoder's output, (batch, memory_len, d_model).
            mask: Which tokens of x a token of x may attend to; usually causal. None allows all.
            memory_mask: Which tokens of the memory a token of x may attend to; None allows all.

        Returns:
            Tensor (batch, seq_len, d_model), normalised.
        """
        # TODO: three sub-layers, each with dropout, sum and norm.
        raise NotImplementedError("DecoderBlock.forward is still to be written")
