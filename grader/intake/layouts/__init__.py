"""How learning platforms arrange what a class handed in: one file for each."""
