"""Grade implementations of attention and say which idea is missing."""

__version__ = "0.1.0"
