"""Write which submissions are alike as one HTML page, each pair side by side."""

from functools import cache
from typing import NamedTuple

import jinja2

from grader.model.classroom import Student
from grader.model.likeness import LikenessReport, Side
from grader.report.sentences import count
from grader.report.templating import load_template

_AROUND = 2
"""Lines shown around a passage."""


class Line(NamedTuple):
    """One line of a file; ``number`` 0 stands for lines that are left out."""

    number: int
    text: str
    passages: tuple[int, ...] = ()


def render_similarity_page(report: LikenessReport) -> str:
    """Return the page. It shows what is alike and names reasons why it may be; it draws no conclusion."""
    return _template().render(report=report, shown_lines=shown_lines, who=who, whom=whom_sentence)


def shown_lines(side: Side, path: str) -> list[Line]:
    """Return the lines of a file that belong to passages, with some around them; what is left out is one line."""
    lines = next(file for file in side.files if file.path == path).text.split("\n")
    marks: dict[int, list[int]] = {}
    for passage in side.passages:
        if passage.file == path:
            for number in range(passage.first_line, passage.last_line + 1):
                marks.setdefault(number, []).append(passage.number)
    near = {number + step for number in marks for step in range(-_AROUND, _AROUND + 1)}
    shown: list[Line] = []
    for number, text in enumerate(lines, 1):
        if number in near:
            shown.append(Line(number, text, tuple(dict.fromkeys(marks.get(number, ())))))
        elif not shown or shown[-1].number:
            shown.append(Line(0, ""))
    return shown


def who(student: Student) -> str:
    """Return how a student is called here."""
    return f"{student.name} ({student.id})" if student.name and student.name != student.id else student.id


def whom_sentence(report: LikenessReport) -> str:
    """Return what was compared and how many pairs stand out."""
    pairs = len(report.pairs) + report.pairs_left_out
    if not pairs and not report.groups:
        return f"{count(report.compared, 'submission')} compared: none stand out."
    return (
        f"{count(report.compared, 'submission')} compared: {count(pairs, 'pair')} with more in common than the "
        "exercises explain."
    )


@cache
def _template() -> jinja2.Template:
    return load_template("similarity.html.j2")
