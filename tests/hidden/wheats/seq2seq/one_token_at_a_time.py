"""Scores one token after the other in a Python loop."""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, decoder_state, encoder_states, mask=None):
        query = self.W_query(decoder_state)
        scores = torch.cat([self.v(torch.tanh(query + self.W_key(h))) for h in encoder_states.unbind(1)], dim=1)
        if mask is None:
            weights = torch.softmax(scores, dim=1)
        else:
            hidden = mask == 0
            weights = torch.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=1).masked_fill(hidden, 0)
        context = sum(weights[:, j : j + 1] * encoder_states[:, j] for j in range(encoder_states.shape[1]))
        return context, weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
