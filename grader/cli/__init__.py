"""The command line: one file for each command, each of them thin."""
