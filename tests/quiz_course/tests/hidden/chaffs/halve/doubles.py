"""
misconception: doubles
explanation: You double it.
look_at: The operator.
loses: [code]
"""


def halve(x):
    return x * 2
