"""Works with the tokens in front, and transposes back at the end."""

import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(decoder_dim, attention_dim)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, decoder_state, encoder_states, mask=None):
        memory = encoder_states.transpose(0, 1)
        scores = self.v((self.W_key(memory) + self.W_query(decoder_state)).tanh()).squeeze(2)
        if mask is not None:
            blocked = (mask == 0).t()
            scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
            weights = scores.softmax(0).masked_fill(blocked, 0)
        else:
            weights = scores.softmax(0)
        return (weights.unsqueeze(2) * memory).sum(0), weights.t().contiguous()


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = self.attention(decoder_state, encoder_states, mask)
        return self.cell(torch.cat((embedding, context), -1), decoder_state), weights
