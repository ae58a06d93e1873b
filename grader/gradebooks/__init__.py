"""One file for each outside system that takes grades."""
