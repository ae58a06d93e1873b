"""Shares are dropped while training, with softmax and sum by hand."""

import torch
from torch import nn
from torch.nn import functional


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def score(self, state, memory):
        projected = functional.linear(memory, self.W_key.weight, self.W_key.bias)
        hidden = (projected + self.W_query(state).unsqueeze(1)).tanh()
        return self.v(hidden)[..., 0]

    def forward(self, decoder_state, encoder_states, mask=None):
        scores = self.score(decoder_state, encoder_states)
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else torch.ne(mask, 0)
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        shares = shares / shares.sum(dim=-1, keepdim=True)
        shares = shares * allowed
        context = (functional.dropout(shares, 0.1, self.training).unsqueeze(-1) * encoder_states).sum(dim=1)
        return context, shares


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        found, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.hstack((embedding, found)), decoder_state), weights
