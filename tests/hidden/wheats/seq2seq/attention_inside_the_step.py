"""The step asks for scores and context itself; the attention shares the same helper."""

import torch
from torch import nn


def look(attention, state, memory, mask):
    """Context and weights."""
    energy = attention.W_key(memory)
    energy = energy + attention.W_query(state).unsqueeze(1).expand_as(energy)
    scores = attention.v(energy.tanh()).flatten(1)
    if mask is None:
        weights = scores.log_softmax(1).exp()
        return torch.baddbmm(memory.new_zeros(len(memory), 1, memory.size(2)), weights[:, None], memory).flatten(1), weights
    allowed = mask > 0
    anything = allowed.any(dim=1, keepdim=True)
    scores = torch.where(allowed | ~anything, scores, torch.full_like(scores, float("-inf")))
    weights = torch.where(anything, scores.softmax(1), torch.zeros_like(scores))
    return torch.baddbmm(memory.new_zeros(len(memory), 1, memory.size(2)), weights[:, None], memory).flatten(1), weights


class BahdanauAttention(nn.Module):
    def __init__(self, decoder_dim, encoder_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.W_key = nn.Linear(encoder_dim, attention_dim)
        self.W_query = nn.Linear(decoder_dim, attention_dim, bias=False)

    def forward(self, decoder_state, encoder_states, mask=None):
        return look(self, decoder_state, encoder_states, mask)


class AttentionDecoderStep(nn.Module):
    def __init__(self, embedding_dim, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.cell = nn.GRUCell(embedding_dim + encoder_dim, decoder_dim)
        self.attention = BahdanauAttention(decoder_dim, encoder_dim, attention_dim)

    def forward(self, embedding, decoder_state, encoder_states, mask=None):
        context, weights = look(self.attention, decoder_state, encoder_states, mask)
        return [self.cell(torch.cat([embedding, context], dim=1), decoder_state), weights]
