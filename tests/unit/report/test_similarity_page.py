"""Pairs that are alike are shown side by side, and nobody is accused."""

import samples
from test_html import Page

from grader.model.classroom import Student
from grader.model.likeness import AlikeGroup, AlikePair, LikenessReport, Passage, Side
from grader.model.submission import Cell, SourceFile
from grader.report.similarity_page import render_similarity_page, shown_lines

TEXT = "\n".join(f"line_{number} = {number}" for number in range(1, 31))


def side_of(student, text=TEXT, lines=((10, 11), (20, 20)), **fields):
    """One side, with passages 1, 2 … at these lines."""
    passages = tuple(
        Passage(number=number, file="heads.py", first_line=first, last_line=last)
        for number, (first, last) in enumerate(lines, 1)
    )
    files = (SourceFile(path="heads.py", cells=(Cell(text=text),)),)
    return Side(student=Student(id=student, **fields), files=files, passages=passages, tokens=100, share=0.82)


def report_of(*pairs, **fields):
    """A report on these pairs."""
    return LikenessReport(compared=40, common_from=10, pairs=pairs, **fields)


def test_the_passages_of_both_are_shown_with_their_numbers():
    """With lines around them, and no more."""
    shown = shown_lines(side_of("ann"), "heads.py")

    assert [0, 8, 9, 10, 11, 12, 13, 0, 18, 19, 20, 21, 22, 0] == [line.number for line in shown]
    assert [(10, (1,)), (11, (1,)), (20, (2,))] == [(line.number, line.passages) for line in shown if line.passages]


def test_the_page_is_well_formed_and_shows_both_sides():
    """It stands alone: no script, nothing loaded; links lead to its own pairs."""
    pair = AlikePair(tokens=82, left=side_of("ann", name="Ann Doe"), right=side_of("bob"))

    page = Page(render_similarity_page(report_of(pair, pairs_left_out=3, left_out=("carl: no code that parses",))))

    assert "40 submissions compared: 4 pairs with more in common than the exercises explain." in page.text
    assert "Ann Doe (ann)" in page.text
    assert "82 %" in page.text
    assert "3 more pairs with less in common are not listed." in page.text
    assert "carl: no code that parses" in page.text
    assert all(attributes["href"] == "#pair-1" for _, attributes in page.elements if "href" in attributes)
    assert "script" not in {tag for tag, _ in page.elements}


def test_nobody_is_accused():
    """The page says what is alike, and that it proves nothing about why."""
    group = AlikeGroup(students=(Student(id="ann"), Student(id="bob")), tokens=80)
    pair = AlikePair(tokens=82, left=side_of("ann"), right=side_of("bob"))

    text = Page(render_similarity_page(report_of(pair, groups=(group,)))).text.casefold()

    assert "proves nothing" in text
    assert not [word for word in ("plagia", "cheat", "copied", "suspic", "guilt", "fraud", "dishonest") if word in text]


def test_a_class_without_pairs_says_so():
    """In place of an empty table."""
    assert "40 submissions compared: none stand out." in Page(render_similarity_page(report_of())).text


def test_what_students_wrote_is_shown_as_text():
    """Code and names may hold anything."""
    called = samples.HOSTILE.replace("\ud800", "")
    one = side_of(called, text=f"{called}\n" * 30)

    page = Page(render_similarity_page(report_of(AlikePair(tokens=82, left=one, right=one))))

    assert not {"script", "img"} & {tag for tag, _ in page.elements}
    assert "<script>alert(1)</script>" in page.text
