"""What `grade batch --nbgrader` wrote, in nbgrader's formgrader, in a real browser."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.browser import Server, browser_path, jupyter_server, open_page
from tests.cli.nbgrader_class import (
    ASSIGNMENT,
    EXPECTED,
    FULL,
    MERGE,
    NAME,
    SPLIT,
    UNREADABLE,
    gradebook,
    make_class,
    run,
)

pytest.importorskip("nbgrader", reason="the extra nbgrader is not installed")
pytest.importorskip("playwright", reason="the extra browser is not installed")

STUDENTS = ("ann", "bob", "blank", "kim")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the exercise heads, and a small class that was graded."""
    browser_path()
    course = tmp_path_factory.mktemp("graded")
    run(course, "grade", "nbgrader", "source", ".", "--only", "heads")
    run(course, "nbgrader", "generate_assignment", ASSIGNMENT)
    make_class(course)
    for student in {*EXPECTED, *UNREADABLE} - {*STUDENTS}:
        shutil.rmtree(course / "submitted" / student)
    run(course, "grade", "batch", "--nbgrader", ".", "--assignment", ASSIGNMENT)
    return course


@pytest.fixture(scope="module")
def server(graded: Path) -> Iterator[Server]:
    """Formgrader on loopback."""
    with jupyter_server(graded) as running:
        yield running


@pytest.fixture(scope="module")
def page(server: Server) -> Iterator[Any]:
    """A browser's page; a test that needs it begins by going somewhere."""
    with open_page(server) as opened:
        yield opened


def notebook_url(server: Server, course: Path, student: str) -> str:
    """Where formgrader shows a student's notebook."""
    with gradebook(course) as opened:
        found = opened.find_submission_notebook(Path(NAME).stem, ASSIGNMENT, student)
        return f"{server.url}/formgrader/submissions/{found.id}/"


def listed_scores(page: Any, server: Server) -> dict[str, str]:
    """Student and score, as formgrader lists the class."""
    page.goto(f"{server.url}/formgrader/manage_submissions/{ASSIGNMENT}")
    page.wait_for_selector("td.autograde a")
    rows = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    # name, id, time, status, score, …
    return {row[1].strip(): row[4].strip() for row in rows}


def test_the_class_list_shows_the_scores(page: Any, server: Server) -> None:
    """Also of who handed in what nobody can open."""
    expected = {"ann": f"{FULL:g}", "bob": f"{EXPECTED['bob']:g}", "blank": "0", "kim": "0"}

    assert {student: f"{score} / {FULL:g}" for student, score in expected.items()} == listed_scores(page, server)


def test_a_submission_opens_with_its_feedback(page: Any, server: Server, graded: Path) -> None:
    """The report at the check, the reason at the criterion, and the summary as the comment."""
    page.goto(notebook_url(server, graded, "bob"))
    page.wait_for_selector("input.score")

    report = page.frame_locator("iframe").first.locator("body").inner_text()
    assert re.search(rf"{EXPECTED['bob']:g}\s+of {FULL:g} points", report)
    assert "Fix this next, in heads" in report
    cells = page.locator("#notebook").first.inner_text()
    assert f"0 of {MERGE:g} points: Each token gets its parts back" in cells
    assert "Hint: Before you join the heads" in cells
    comments = [box.get_attribute("placeholder") or "" for box in page.locator("textarea.comment").all()]
    assert any(f"parts back, in the order of the heads (0 of {MERGE:g} points)" in text for text in comments)
    assert f"{SPLIT:g}" == page.locator("#heads-split").get_attribute("placeholder")
    assert "0" == page.locator("#heads-merge").get_attribute("placeholder")


def test_no_line_of_a_criterion_is_cut_off(page: Any, server: Server, graded: Path) -> None:
    """A teacher with a hundred notebooks scrolls down, and should not have to scroll sideways as well."""
    page.goto(notebook_url(server, graded, "bob"))
    page.wait_for_selector("input.score")

    said = page.locator("pre", has_text="Why it matters").first
    assert said.evaluate("element => element.scrollWidth <= element.parentElement.clientWidth")


def test_points_given_in_formgrader_survive_a_second_run(page: Any, server: Server, graded: Path) -> None:
    """What a teacher types there counts at once, and `grade batch` leaves it alone."""
    given = MERGE / 2
    page.goto(notebook_url(server, graded, "bob"))
    page.wait_for_selector("input.score")
    box = page.locator("#heads-merge")
    with page.expect_response(lambda response: "/formgrader/api/grade/" in response.url and response.ok):
        box.fill(f"{given:g}")
        box.press("Tab")
    assert f"{EXPECTED['bob'] + given:g} / {FULL:g}" == listed_scores(page, server)["bob"]

    run(graded, "grade", "batch", "--nbgrader", ".", "--assignment", ASSIGNMENT, "--student", "bob", "--again")

    assert f"{EXPECTED['bob'] + given:g} / {FULL:g}" == listed_scores(page, server)["bob"]
    page.goto(notebook_url(server, graded, "bob"))
    page.wait_for_selector("input.score")
    assert f"{given:g}" == page.locator("#heads-merge").input_value()
    assert "0" == page.locator("#heads-merge").get_attribute("placeholder")


def test_formulas_are_drawn_where_learners_write(page: Any, server: Server) -> None:
    """JupyterLab brings what draws them; formgrader and feedback take it from the network, as nbgrader has it."""
    page.goto(f"{server.url}/lab/tree/release/{ASSIGNMENT}/{NAME}")

    page.wait_for_selector(".jp-RenderedMarkdown mjx-container, .jp-RenderedMarkdown .MathJax")
    assert r"\frac" not in page.locator(".jp-Notebook").inner_text()
