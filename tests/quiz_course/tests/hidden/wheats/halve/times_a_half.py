"""A product."""


def halve(x):
    return 0.5 * x
