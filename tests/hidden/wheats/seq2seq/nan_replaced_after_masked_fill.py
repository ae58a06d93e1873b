"""Fills with -inf and replaces the NaN of a sentence of padding; masked_fill lets none through on the way back."""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, decoder_state, encoder_states, mask=None):
        scores = self.v(torch.tanh(self.W_query(decoder_state).unsqueeze(1) + self.W_key(encoder_states))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.nan_to_num()
        return (weights.unsqueeze(-1) * encoder_states).sum(-2), weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
