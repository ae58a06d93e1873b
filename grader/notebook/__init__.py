"""Jupyter and nbgrader: notebooks made from a course, checks in a cell, and grades in nbgrader's gradebook."""

from grader.notebook.cell import check, points
from grader.notebook.questions import questions

__all__ = ["check", "points", "questions"]
