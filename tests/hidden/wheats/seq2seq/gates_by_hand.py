"""Computes the gates of the cell from its weights instead of calling it."""

import torch
from torch import nn
from torch.nn import functional


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, decoder_state, encoder_states, mask=None):
        scores = self.v(torch.tanh(self.W_query(decoder_state).unsqueeze(1) + self.W_key(encoder_states))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
            weights = functional.softmax(scores, dim=-1).masked_fill(mask == 0, 0.0)
        else:
            weights = functional.softmax(scores, dim=-1)
        return (weights.unsqueeze(1) @ encoder_states)[:, 0], weights


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        cell = self.cell
        x = functional.linear(torch.cat([embedding, context], dim=1), cell.weight_ih, cell.bias_ih)
        h = functional.linear(decoder_state, cell.weight_hh, cell.bias_hh)
        (r_x, z_x, n_x), (r_h, z_h, n_h) = x.chunk(3, 1), h.chunk(3, 1)
        update = (z_x + z_h).sigmoid()
        candidate = (n_x + (r_x + r_h).sigmoid() * n_h).tanh()
        return candidate + update * (decoder_state - candidate), weights
