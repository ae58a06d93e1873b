"""A drawing is fitted into a page."""

import io

import matplotlib as mpl
from markupsafe import escape
from matplotlib.figure import Figure

from grader.model.picture import ACCENT, INK
from grader.report.svg import fit_into_page

TITLE = 'Who looks at "it" & <why>'


def drawing() -> str:
    """What matplotlib writes for a line, an image and a text."""
    with mpl.rc_context({"svg.fonttype": "none", "text.color": INK, "svg.hashsalt": "x"}):
        figure = Figure()
        axes = figure.subplots()
        axes.plot([1, 2], color=ACCENT)
        axes.imshow([[1.0]])
        axes.set_title("<script> a --> b")
        text = io.StringIO()
        figure.savefig(text, format="svg")
    return text.getvalue()


def test_a_drawing_takes_the_page_s_colours() -> None:
    """And none of the stand-ins is left."""
    fitted = fit_into_page(drawing(), "p", TITLE)

    assert "stroke: var(--accent)" in fitted
    assert "var(--ink)" in fitted
    assert INK not in fitted


def test_a_drawing_is_read_aloud_by_its_title() -> None:
    """Which is a text, whatever it holds."""
    fitted = fit_into_page(drawing(), "p", TITLE)

    assert f'role="img" aria-label="{escape(TITLE)}"' in fitted


def test_nothing_of_a_file_of_its_own_is_left() -> None:
    """No header, no style for the whole page, no ids that two drawings share, and text stays text."""
    one, two = (fit_into_page(drawing(), prefix, TITLE) for prefix in ("one", "two"))

    assert one.startswith("<svg ")
    for gone in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<!--", "<script"):
        assert gone not in one
    assert 'id="one-' in one
    assert "url(#one-" in one
    assert one.replace("one-", "two-") == two
