"""
misconception: accepts_negative
explanation: You accept negative times.
look_at: The first line.
loses: [refusal]
"""


def double(x, times):
    return x * 2**times
