"""Grade submissions: one at a time or a class."""
