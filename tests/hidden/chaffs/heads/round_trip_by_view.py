"""
misconception: round_trip_by_view
explanation: >-
  Both functions only rename places in memory. They undo each other, so a round trip looks right, but in
  between each head holds pieces of a few tokens instead of one piece of every token.
look_at: >-
  The missing transpose in both functions; look at a single head between them, not at the round trip.
loses: [split, merge]
"""


def split_heads(x, num_heads):
    batch, seq_len, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.reshape(batch, num_heads, seq_len, d_model // num_heads)


def merge_heads(x):
    batch, num_heads, seq_len, d_k = x.shape
    return x.reshape(batch, seq_len, num_heads * d_k)
