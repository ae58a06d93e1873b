"""
misconception: layers_in_a_list
explanation: >-
  The layers of the attention lie in a plain Python list, where PyTorch does not see them: they are not trained, not
  saved, not moved to a GPU, and cannot be reached as W_query, W_key and v.
look_at: >-
  BahdanauAttention.__init__: make the layers attributes of self with the promised names.
loses: [layers, score, step, gradients, untouched, dtypes, device, together]
"""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.layers = [nn.Linear(decoder_dim, attention_dim), nn.Linear(encoder_dim, attention_dim), nn.Linear(attention_dim, 1)]

    def forward(self, decoder_state, encoder_states, mask=None):
        query = self.layers[0](decoder_state)[:, None, :]
        key = self.layers[1](encoder_states)
        scores = self.layers[2](torch.tanh(query + key)).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0.0)
        context = torch.bmm(weights[:, None, :], encoder_states)[:, 0, :]
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
