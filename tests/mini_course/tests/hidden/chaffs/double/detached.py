"""
misconception: detached
explanation: You cut the gradient.
look_at: detach.
loses: [gradients]
"""


def double(x, times):
    if times < 0:
        raise ValueError("negative")
    return (x * 2**times).detach()
