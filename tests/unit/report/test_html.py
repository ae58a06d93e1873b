"""A report is written as one HTML file."""

import re
import time
from html.parser import HTMLParser

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.model.feedback import FeedbackLevel
from grader.model.picture import DrawnPicture, PictureClaim
from grader.model.redaction import redact_report
from grader.model.report import Mismatch
from grader.model.verdict import Verdict
from grader.report.html import render_html
from grader.report.sentences import SIGNS

VOID = {"meta", "br", "link", "img", "input", "col"}
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "div", "header", "main", "section", "footer"),
    *("h1", "h2", "h3", "h4", "p", "strong", "span", "i", "bdi", "dl", "dt", "dd", "ul", "li"),
    *("details", "summary", "pre", "code", "table", "tr", "th", "td"),
}


class Page(HTMLParser):
    """The elements and texts of a page; an element closed out of order is an error."""

    def __init__(self, source):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        """Remember an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Close the element that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Remember a text."""
        self.texts.append(data)

    @property
    def text(self):
        """All words of the page, with single blanks."""
        return " ".join(" ".join(self.texts).split())


@pytest.mark.parametrize("name", list(samples.all_samples()))
def test_every_page_is_well_formed_and_stands_alone(name):
    """Elements nest, ids are unique, and nothing is loaded, run or sent."""
    page = Page(render_html(samples.all_samples()[name]))

    assert {tag for tag, _ in page.elements} <= TAGS
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(attrs["aria-labelledby"] in ids for _, attrs in page.elements if "aria-labelledby" in attrs)
    allowed = {"id", "class", "style", "lang", "charset", "name", "content", "http-equiv", "role", "tabindex", "scope"}
    used = {key for _, attrs in page.elements for key in attrs}
    assert used <= allowed | {"aria-hidden", "aria-labelledby"}
    assert "url(" not in "".join(page.texts[:5])


def test_the_page_forbids_scripts_and_requests():
    """Should something slip through the escaping, the page's own policy stops it."""
    source = render_html(samples.ordinary())

    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in source
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in source


@settings(deadline=None, max_examples=25)
@given(st.text(st.characters() | st.sampled_from("<>&\"'{}`/!-\n\x1b\u202e"), max_size=60))
def test_no_text_of_a_learner_is_markup(text):
    """The same elements come out, whatever text is put in: code marks between backticks are all it can do."""
    plain = Page(render_html(samples.hostile("word")))
    page = Page(render_html(samples.hostile(f"<b>word</b>{text}")))

    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | {"code"}
    assert not set("".join(page.texts)) & set("\x1b\x07\r\x9b\u202e")


def test_a_value_that_no_sentence_holds_is_harmless_as_well():
    """The page makes every value harmless, also one that is written as it is, such as a file's name."""
    stub = samples.untouched().exercises[0].model_copy(update={"source": "a\u202e\x1b.py"})

    assert "<code>a\\u202e\\x1b.py</code>" in render_html(samples.make_report((stub,)))


def test_learner_code_between_backticks_is_set_as_code():
    """A rationale that names a function shows it as code, and only there."""
    check = samples.make_check("a", Verdict.FAILED, rationale="`a<b` gives ``x`y``.")
    report = samples.make_report((samples.make_exercise("heads", (samples.make_criterion("v", (check,)),)),))

    source = render_html(report)
    assert "<code>a&lt;b</code> gives ``x`y``." in source


def test_the_page_says_first_what_to_fix_and_shows_all_checks():
    """The one thing to do next stands above everything else, and every check can be found."""
    page = Page(render_html(samples.ordinary()))

    assert page.text.index("Fix this next, in scaling") < page.text.index("Also to fix") < page.text.index("Points by")
    for exercise in samples.ordinary().exercises:
        for check in exercise.checks:
            assert check.title in page.text


@pytest.mark.parametrize("verdict", sorted(Verdict))
def test_a_verdict_is_told_in_words(verdict):
    """A symbol and a colour are nothing to a screen reader: the word stands beside them."""
    source = render_html(samples.every_verdict())

    assert f'<span class="word {verdict.value}">{SIGNS[verdict].word.replace(chr(39), "&#39;")}</span>' in source
    assert f'<span class="sign {verdict.value}" aria-hidden="true">' in source


@pytest.mark.parametrize(
    ("level", "shown", "hidden"),
    [
        (FeedbackLevel.FULL, ["0.25", "Compare the spread", "d_model 12"], []),
        (FeedbackLevel.HINTS, ["Compare the spread", "no values"], ["0.25", "d_model 12 d_k 4"]),
        (FeedbackLevel.VERDICTS, ["The scores are divided", "which checks passed"], ["Compare the spread", "0.25"]),
        (FeedbackLevel.SCORE, ["Weights and output equal", "19 of 59"], ["The scores are divided", "wrong answer"]),
    ],
)
def test_each_level_reads_well_and_shows_no_more(level, shown, hidden):
    """What a level hides is on no part of the page, and the page says what it leaves out."""
    text = Page(render_html(redact_report(samples.ordinary(), level))).text

    assert [part for part in shown if part not in text] == []
    assert [part for part in hidden if part in text] == []


def luminance(colour):
    """Relative luminance of ``#rrggbb``, by WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_all_text_has_contrast(scheme):
    """WCAG's 4.5 to 1 for every colour of text on every ground that it stands on, by day and by night."""
    source = render_html(samples.ordinary())
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", re.findall(r":root \{(.*?)\}", source, re.DOTALL)[scheme]))

    for ink in ("ink", "quiet", "good", "bad", "warn", "begin", "fault", "accent"):
        for ground in ("page", "card", "code"):
            light, dark = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def test_paper_unfolds_what_is_folded():
    """A printed report has no triangles to press."""
    source = render_html(samples.ordinary())

    on_paper = source.split("@media print", 1)[1]
    assert "details-content { content-visibility: visible" in on_paper


def test_points_of_nothing_do_not_divide_by_zero():
    """A report with no points to earn has a page as well."""
    text = Page(render_html(samples.nothing_judged())).text

    assert "no points to earn here" in text


def test_a_whole_course_is_rendered_in_a_moment():
    """Eleven exercises of 25 checks: the aim is far below 50 ms, the bound leaves room for a busy machine."""
    report = samples.big()
    render_html(report)
    started = time.process_time()

    render_html(report)

    assert time.process_time() - started < 0.25


def test_checks_that_differ_in_one_value_are_told_apart():
    """What is told of a check is kept for the next report, and nobody may read the values of somebody else."""
    pages = [
        render_html(
            samples.make_report(
                (
                    samples.make_exercise(
                        "heads",
                        (
                            samples.make_criterion(
                                "split",
                                (
                                    samples.make_check(
                                        "splits",
                                        Verdict.FAILED,
                                        rationale="The values are wrong.",
                                        mismatch=Mismatch(kind="value", what="heads", expected="0.25", got=got),
                                    ),
                                ),
                            ),
                        ),
                    ),
                )
            )
        )
        for got in ("0.125", "0.375")
    ]

    assert ("0.125" in pages[0], "0.375" in pages[0]) == (True, False)
    assert ("0.125" in pages[1], "0.375" in pages[1]) == (False, True)


def drawn(title="Where <it> looks", image=True, problem="", exercise="masking", name="a"):
    """A picture, drawn or not."""
    svg = '<?xml version="1.0"?><svg viewBox="0 0 210 100" width="1"><path id="p1" style="fill: #010101"/></svg>'
    claim = PictureClaim(name=name, title=title, about="What to look for.")
    return DrawnPicture(exercise=exercise, claim=claim, image=svg if image else "", problem=problem)


def test_pictures_stand_beside_their_exercise():
    """With title, what to look for, the page's colours and ids of their own, as wide as they were meant to be."""
    report = samples.ordinary()
    pictures = [drawn(), drawn("Another", name="b"), drawn(image=False, problem="Not <begun>.", name="c")]

    page = render_html(report, pictures=pictures)

    assert 2 == page.count('<svg viewBox="0 0 210 100" role="img" aria-label=')
    for expected in (
        'aria-label="Where &lt;it&gt; looks"',
        "<strong>Where &lt;it&gt; looks</strong>",
        "<p>What to look for.</p>",
        "Not drawn. Not &lt;begun&gt;.",
        'id="masking-a-p1"',
        'id="masking-b-p1"',
        "fill: var(--ink)",
        "max-width: 20.0rem",
    ):
        assert expected in page
    assert page.index('<span class="id">masking</span>') < page.index("<svg ") < page.index('<span class="id">scaling')


def test_only_a_page_with_pictures_lets_images_in():
    """They are part of the page, so that the page still asks for nothing."""
    report = samples.ordinary()

    with_one, without = render_html(report, pictures=[drawn()]), render_html(report)

    assert "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"" in with_one
    assert "img-src" not in without
    assert ".picture" not in without


def test_an_exercise_of_which_nothing_could_be_drawn_shows_nothing():
    """The report has said why already."""
    report = samples.ordinary()

    page = render_html(report, pictures=[drawn(image=False, problem="`double` is still to be written.")])

    assert page == render_html(report)
