"""Find and load a course from its trees, and say what is inconsistent in it."""
