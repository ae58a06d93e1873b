"""
misconception: only_once
explanation: You double once, however often is asked for.
look_at: What times does.
loses: [values]
"""


def double(x, times):
    if times < 0:
        raise ValueError("negative")
    return x * 2
