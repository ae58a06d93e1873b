"""
Exercise: seq2seq

Before attention, a network that translates had two parts. An encoder reads the sentence and keeps one vector of fixed
size; a decoder writes the translation, word by word, from that vector alone. However long the sentence, all of it must
fit. Try it on a task that needs every token, writing a sequence backwards: an encoder and decoder of this kind, trained
for a moment, get this share of the tokens right, by length::

    length    2      3      4      5      6      7      8
    right   100 %  100 %  100 %   97 %   92 %   86 %   82 %

The cure: keep all the encoder's states h_1 … h_n, one for each token, and let the decoder choose among them anew at
every step. With the state s that it is in, it scores each of them, softmax makes weights of the scores, and the
weighted sum is the context of this step, and of this step only::

    score_j = v · tanh(W_query s + W_key h_j)        weights = softmax(score)        context = Σ_j weights_j h_j

This score is called additive: a small network compares the two, so s and h_j may have different sizes. tanh is what
makes it work. Without it the score is a sum of two numbers of which one is the same for every j, so softmax cancels it,
and the decoder's state would decide nothing. When your two classes are done, the checks train them on the same task:
the share no longer falls with the length, and the weights show an anti-diagonal, the last token first.

Scaled dot products and heads replaced this score later; encoder states as key and value, decoder state as query, and
weights that sum to one stayed.

Conventions of this exercise:

- The layers of the attention are attributes called W_query (decoder_dim to attention_dim), W_key (encoder_dim to
  attention_dim) and v (attention_dim to 1), each an ``nn.Linear``, with or without bias as you like. Those of the step
  are called attention (a BahdanauAttention) and cell (an ``nn.GRUCell``). The names are promised because
  the checks put known weights into them. Call the layers or use their weights in any way you like.
- A mask is (batch, seq_len), True (or 1) at tokens that may be attended to and False (or 0) at padding: bool, integer
  or float. Padding gets a weight of zero, whatever is in its states. A sentence that is all padding has weights of zero
  and a context of zero; no NaN may come out, and none may reach a gradient.
- Weights are (batch, seq_len), as they were used, after mask and softmax. They keep the dtype and the device of the
  inputs, as context and decoder state do (the module is moved there first).
- The step attends with the state that it is given, the one before this step. The new state comes out of the cell, whose
  input is the embedding followed by the context.
- Gradients flow to all inputs and layers. The inputs stay unchanged, a call leaves no trace on the next one, and there
  is no dropout.

Worked example: all sizes are 2, W_query and W_key are the identity, v is [1, 1], there are no biases; one sentence of
three tokens::

    decoder_state = [1, 0]     encoder_states = [[ 1, 0],     sums   [[2, 0],     tanh   [[0.96, 0   ],
                                                 [ 0, 1],             [1, 1],             [0.76, 0.76],
                                                 [-1, 0]]             [0, 0]]             [0,    0   ]]

    scores [0.96, 1.52, 0],   exponentials [2.62, 4.59, 1], their sum 8.21
    attention_weights [0.32, 0.56, 0.12],   context 0.32 * [1, 0] + 0.56 * [0, 1] + 0.12 * [-1, 0] = [0.20, 0.56]

    With the mask [1, 1, 0] the weights are [0.36, 0.64, 0].

Sources: Sutskever et al. (2014, arXiv:1409.3215) for the fixed vector;
Bahdanau et al. (2014, arXiv:1409.0473), sections 3.1 and A.1.2 for the cure.
"""

import torch
from torch import Tensor, nn


class BahdanauAttention(nn.Module):
    """
    Let a decoder's state choose among the encoder's states, by an additive score.

    Args:
        decoder_dim: Number of features of the decoder's state.
        encoder_dim: Number of features of each of the encoder's states.
        attention_dim: Number of features in which the two are compared.

    Source: Bahdanau et al. (2014), sections 3.1 and A.1.2.
    """

    def __init__(self, decoder_dim: int, encoder_dim: int, attention_dim: int) -> None:
        super().__init__()
        # TODO: make the three layers.
        raise NotImplementedError("BahdanauAttention is still to be written")

    def forward(
        self, decoder_state: Tensor, encoder_states: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """
        Attend to the encoder's states.

        Args:
            decoder_state: Tensor (batch, decoder_dim).
            encoder_states: Tensor (batch, seq_len, encoder_dim).
            mask: True (or 1) at tokens that may be attended to, (batch, seq_len); None allows all.

        Returns:
            context (batch, encoder_dim), and attention_weights (batch, seq_len).
        """
        # TODO: score every state, mask, softmax over the tokens, and sum the states with these weights.
        raise NotImplementedError("BahdanauAttention.forward is still to be written")


class AttentionDecoderStep(nn.Module):
    """
    Write one token: attend, then move on to the next state.

    Args:
        embedding_dim: Number of features of the embedding of the token that was written last.
        encoder_dim: Number of features of each of the encoder's states.
        decoder_dim: Number of features of the decoder's state.
        attention_dim: Number of features in which states are compared.

    Source: Bahdanau et al. (2014), section 3.1.
    """

    def __init__(self, embedding_dim: int, encoder_dim: int, decoder_dim: int, attention_dim: int) -> None:
        super().__init__()
        # TODO: make the attention and the cell.
        raise NotImplementedError("AttentionDecoderStep is still to be written")

    def forward(
        self, embedding: Tensor, decoder_state: Tensor, encoder_states: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """
        Take one step.

        Args:
            embedding: Embedding of the token that was written last, (batch, embedding_dim).
            decoder_state: The state before this step, (batch, decoder_dim).
            encoder_states: Tensor (batch, seq_len, encoder_dim).
            mask: True (or 1) at tokens that may be attended to, (batch, seq_len); None allows all.

        Returns:
            The state after this step (batch, decoder_dim), and attention_weights (batch, seq_len).
        """
        # TODO: attend with the state that came in, then let the cell read the embedding and the context.
        raise NotImplementedError("AttentionDecoderStep.forward is still to be written")
