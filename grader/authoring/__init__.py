"""Prove a course sound by grading what is known to be right, wrong and empty."""
