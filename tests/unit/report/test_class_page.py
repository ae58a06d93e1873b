"""A class at a glance, as a page and in a terminal."""

import io

import classes
import pytest
import samples
from rich.console import Console
from test_html import Page

from grader.model.class_summary import ClassTally
from grader.model.student_line import line_of
from grader.report.class_page import render_class_page
from grader.report.class_terminal import render_class_summary
from grader.report.class_words import ClassTitles, Explained, explain_from, percent
from grader.report.plots import draw_criteria, draw_distribution

TITLES = ClassTitles("Attention", {"masking": "Masks"}, {("masking", "easy"): "An easy one"}, {})


def summary_of(results):
    """The summary of these results."""
    tally = ClassTally()
    for result in results:
        tally.add(line_of(result))
    return tally.summary()


def explained(results):
    """What the reports of these results say about their mistakes."""
    found = {}
    for result in results:
        if result.report:
            found |= explain_from(result.report, line_of(result).misconceptions - found.keys())
    return found


def printed(summary, titles=TITLES, width=100, **options):
    """What the terminal shows."""
    file = io.StringIO()
    render_class_summary(summary, titles, Console(file=file, width=width, highlight=False, **options))
    return file.getvalue()


@pytest.fixture(scope="module")
def results():
    """Students of all standings."""
    return list(classes.make_class(120))


def test_the_page_is_well_formed_and_stands_alone(results):
    """Elements nest, ids are unique, and nothing is loaded, run or sent."""
    source = render_class_page(summary_of(results), TITLES)
    page = Page(source)

    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    tags = {tag for tag, _ in page.elements}
    assert len(ids) == len(set(ids))
    assert not tags & {"script", "link", "iframe", "object"}
    assert 2 == sum(tag == "svg" for tag, _ in page.elements)
    for _, attributes in page.elements:
        assert not {"src", "href", "action"} & attributes.keys()
        assert attributes.get("xlink:href", "#").startswith("#")


def test_plots_take_the_colours_of_the_page(results):
    """In the dark and on paper they must not stay black on white."""
    summary = summary_of(results)

    for plot in (draw_distribution(summary.scores), draw_criteria(summary.criteria)):
        assert "var(--" in plot
        assert "#0" not in plot.replace("url(#", "")
        assert "<style" not in plot


def test_equal_classes_give_equal_pages(results):
    """No date and no random id is in it."""
    assert render_class_page(summary_of(results), TITLES) == render_class_page(summary_of(results), TITLES)


def test_mistakes_come_first_with_their_explanation(results):
    """It is the page that an instructor opens before the next lecture."""
    titles = TITLES._replace(misconceptions=explained(results))
    summary = summary_of(results)

    page = Page(render_class_page(summary, titles)).text
    terminal = " ".join(printed(summary, titles).split())

    first = summary.misconceptions[0]
    sentence = classes.MISTAKES[first.misconception]
    for text in (page, terminal):
        assert sentence in text
    assert page.index(sentence) < page.index("Discrimi")
    assert f"{first.students} students, {percent(first.share)}" in page


def test_everybody_to_look_at_is_on_the_page(results):
    """By name and id, under the reason."""
    summary = summary_of(results)

    page = Page(render_class_page(summary, TITLES)).text

    assert {"errored", "not_submitted"} <= {group.reason for group in summary.look}
    for group in summary.look:
        assert all(f"{student.name} {student.id}" in page for student in group.students)


def test_nothing_that_a_student_wrote_acts_as_markup():
    """Names, flags, titles and explanations are shown as text, in the page and in the terminal."""
    report = samples.hostile()
    called = samples.HOSTILE.replace("\ud800", "")  # a name was read as text, which holds no half characters
    student = classes.make_student(1, name=called, id=called)
    results = [classes.graded(student, report)]
    titles = ClassTitles(
        samples.HOSTILE,
        {"heads": samples.HOSTILE},
        {("heads", "values"): samples.HOSTILE},
        {("heads", "m"): Explained(samples.HOSTILE, samples.HOSTILE)},
    )

    page = Page(render_class_page(summary_of(results), titles))
    terminal = printed(summary_of(results), titles, force_terminal=True, color_system=None)

    assert not {"script", "a", "img"} & {tag for tag, _ in page.elements}
    assert "\x1b]" not in terminal
    assert "\x07" not in terminal
    assert "[bold red]" in terminal


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_the_terminal_shows_what_its_encoding_has(results, encoding):
    """A summary must not end in a UnicodeEncodeError."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)

    render_class_summary(summary_of(results), TITLES, Console(file=file, width=80, highlight=False))

    file.flush()
    assert b"students" in file.buffer.getvalue()


def test_an_empty_class_can_be_shown():
    """Before the first submission there is nothing to divide by."""
    assert "No students." in Page(render_class_page(summary_of([]), TITLES)).text
    assert "No students." in printed(summary_of([]))


def test_a_criterion_that_hardly_tells_is_marked():
    """With the reason, so that an instructor looks at its task and check."""
    results = []
    for place in range(40):
        strong = place % 2
        criteria = [samples.make_criterion(f"c{n}", (samples.make_check("x"),), 2.0) for n in range(4)]
        criteria = [c.model_copy(update={"score": 2.0 * strong}) for c in criteria]
        criteria[3] = criteria[3].model_copy(update={"score": 2.0 * (place // 2 % 2)})
        results.append(
            classes.graded(
                classes.make_student(place), samples.make_report((samples.make_exercise("masking", tuple(criteria)),))
            )
        )
    summary = summary_of(results)

    assert "▼" in Page(render_class_page(summary, TITLES)).text
    assert "masking.c3" in draw_criteria(summary.criteria)
    assert "masking.c0" not in draw_criteria(summary.criteria)
    assert 1 == printed(summary, width=160).count("hardly tells strong from weak")


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0 %"), (0.001, "under 1 %"), (0.305, "30 %"), (0.999, "over 99 %"), (1, "100 %")]
)
def test_none_and_all_are_told_from_few_and_most(share, said):
    """One student in a thousand is not nobody."""
    assert said == percent(share)
