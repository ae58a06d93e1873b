"""Hostile submissions, and what they are tried on."""
