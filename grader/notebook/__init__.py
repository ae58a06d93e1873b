"""Jupyter and nbgrader: notebooks made from a course, checks in a cell, and grades in nbgrader's gradebook."""

from grader.notebook.cell import check, points

__all__ = ["check", "points"]
