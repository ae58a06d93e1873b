"""Adds a mask of zeros and large negative numbers to the scores."""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, decoder_state, encoder_states, mask=None):
        energy = torch.tanh(self.W_query(decoder_state)[:, None] + self.W_key(encoder_states))
        scores = self.v(energy)[..., 0]
        if mask is None:
            weights = scores.softmax(-1)
        else:
            bias = torch.zeros_like(scores)
            bias[mask == 0] = -3e4
            weights = (scores + bias).softmax(-1)
            weights = torch.where(mask == 0, torch.zeros_like(weights), weights)
        context = torch.bmm(encoder_states.transpose(1, 2), weights[..., None])[..., 0]
        return context, weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
