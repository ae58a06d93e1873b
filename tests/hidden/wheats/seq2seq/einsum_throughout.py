"""Einsum on the weights, softmax by hand, and zeros by multiplication."""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(encoder_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, decoder_state, encoder_states, mask=None):
        query = torch.einsum("bd,ad->ba", decoder_state, self.W_query.weight)
        key = torch.einsum("bse,ae->bsa", encoder_states, self.W_key.weight)
        scores = torch.einsum("bsa,xa->bs", (key + query[:, None]).tanh(), self.v.weight)
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask != 0
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        shares = (scores - scores.amax(1, keepdim=True).detach()).exp() * allowed
        weights = shares / shares.sum(1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)
        return torch.einsum("bs,bse->be", weights, encoder_states), weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
