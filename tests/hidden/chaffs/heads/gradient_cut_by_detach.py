"""
misconception: gradient_cut_by_detach
explanation: >-
  You detached x (by .data, .detach() or no_grad): the values are right, but no gradient reaches what came
  before the heads, so it cannot learn.
look_at: >-
  Every .data, .detach() and torch.no_grad() in split_heads.
loses: [gradients]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.data.view(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq_len, num_heads * d_k)
