"""Joins state and keys, as the concatenation form of the score does, with the two weights side by side."""

import torch
from torch import nn
from torch.nn import functional


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(encoder_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, decoder_state, encoder_states, mask=None):
        seq_len = encoder_states.size(1)
        both = torch.cat([decoder_state.unsqueeze(1).expand(-1, seq_len, -1), encoder_states], dim=2)
        weight = torch.cat([self.W_query.weight, self.W_key.weight], dim=1)
        scores = functional.linear(torch.tanh(functional.linear(both, weight)), self.v.weight)
        scores = scores.squeeze(2)
        if mask is not None:
            blocked = mask.to(torch.bool).logical_not()
            scores = scores.masked_fill(blocked, float("-inf"))
            scores = scores.masked_fill(blocked.all(dim=1, keepdim=True), 0.0)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * ~blocked
        return torch.matmul(weights.unsqueeze(1), encoder_states).squeeze(1), weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
