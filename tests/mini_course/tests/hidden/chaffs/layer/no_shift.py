"""
misconception: no_shift
explanation: You leave the shift out.
look_at: forward.
loses: [values]
"""

import torch
from double import double
from torch import nn


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return double(x, 1)
