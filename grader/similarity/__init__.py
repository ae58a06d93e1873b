"""Find pairs of submissions that are more alike than the exercise explains."""
