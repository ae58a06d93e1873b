"""
misconception: dropout_in_training
explanation: >-
  Dropout is applied in training mode; none is asked for in this exercise.
look_at: >-
  The dropout in your modules.
loses: [untouched]
"""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(encoder_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, decoder_state, encoder_states, mask=None):
        query = self.W_query(decoder_state)[:, None, :]
        key = self.W_key(encoder_states)
        scores = self.v(torch.tanh(query + key)).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0.0)
        context = torch.bmm(self.dropout(weights)[:, None, :], encoder_states)[:, 0, :]
        return context, weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        state = self.cell(torch.cat([embedding, context], dim=1), decoder_state)
        return state, weights
