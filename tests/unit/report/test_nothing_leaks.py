"""In no form in which results are shown does a submission speak for the grader, command a terminal or break a file."""

import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter

import classes
import pytest
import samples
from markdown_it import MarkdownIt
from rich.console import Console
from test_html import Page

from grader.cli.batch import show_classroom
from grader.model.class_summary import ClassTally
from grader.model.classroom import Attempt, Classroom, HandIn, Student
from grader.model.feedback import FeedbackLevel
from grader.model.likeness import AlikeGroup, AlikePair, LikenessReport, Passage, Side
from grader.model.redaction import redact_report
from grader.model.student_line import line_of
from grader.model.submission import Cell, SourceFile
from grader.report.class_folder import render_student
from grader.report.class_page import render_class_page
from grader.report.class_terminal import render_class_summary
from grader.report.class_words import ClassTitles, Explained
from grader.report.html import render_html
from grader.report.json_report import render_json
from grader.report.junit import render_junit
from grader.report.markdown import render_markdown
from grader.report.similarity_page import render_similarity_page
from grader.report.terminal import render_report

HOSTILE = {
    "control characters": "a\x00b\x07c\x08\x08\x0b\x0c\x7f\x85d\rAll right",
    "escape sequences": "\x1b[31mred\x1b[0m\x1b[2J\x1b]0;title\x07\x1b]8;;http://b.c\x1b\\link\x1b]8;;\x1b\\\x9b1A",
    "marks of direction": "\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c",
    "markup of terminals": "[red]x[/red] [link=http://b.c]y[/link] [/] \\[bold]z [@click=app.bell]w",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><b>4 of 4</b><!-- &lt;b&gt; </pre></details>",
    "Markdown": "[a](http://b.c) ![i](http://b.c) <http://b.c> http://b.c\n# Full marks\n- x\n\n| a |\n|--|\n```\n~~~",
    "what XML forbids": "]]> \x01\ufffe\uffff\ud800x\U0001fffe <![CDATA[ &#0; &x; <?x?> <!DOCTYPE a>",
    "everything": samples.HOSTILE,
}
PLAIN = "word"
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
)
CODE = {"code", "bdi"}


def whole(text: str) -> str:
    """A name was read as text, which holds no half characters."""
    return text.encode("utf-8", "replace").decode()


def page_of_class(text: str) -> str:
    """What ``grade summary --output`` writes."""
    return render_class_page(*_class(text))


def page_of_alike(text: str) -> str:
    """What ``grade similarity --output`` writes."""
    sides = [
        Side(
            student=Student(id=whole(text), name=whole(text)),
            files=(SourceFile(path=whole(text), cells=(Cell(text=f"{whole(text)}\n" * 30),)),),
            passages=(Passage(number=1, file=whole(text), first_line=2, last_line=9),),
            tokens=100,
            share=0.8,
        )
        for _ in range(2)
    ]
    group = AlikeGroup(students=tuple(side.student for side in sides), tokens=80)
    pair = AlikePair(tokens=80, left=sides[0], right=sides[1])
    return render_similarity_page(
        LikenessReport(compared=2, common_from=10, pairs=(pair,), groups=(group,), left_out=(whole(text),))
    )


def student_file(name: str):
    """How a file of a class's folder is made."""

    def render(text: str) -> str:
        student = classes.make_student(1, name=whole(text), id=whole(text))
        return render_student(classes.graded(student, samples.hostile(text)), FeedbackLevel.FULL)[name]

    return render


def of_report(render):
    """How a form is made of a report that holds a text wherever a learner can put one."""
    return lambda text: render(samples.hostile(text))


def _class(text: str):
    student = classes.make_student(1, name=whole(text), id=whole(text))
    tally = ClassTally()
    tally.add(line_of(classes.graded(student, samples.hostile(text))))
    words = {("heads", "m"): Explained(text, text)}
    return tally.summary(), ClassTitles(text, {"heads": text}, {("heads", "values"): text}, words)


PAGES = {
    "report": of_report(render_html),
    "class file": student_file("report.html"),
    "summary": page_of_class,
    "similarity": page_of_alike,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("render", PAGES.values(), ids=PAGES)
def test_a_page_has_the_same_elements_whatever_it_tells(render, text: str) -> None:
    """What a submission holds is text on it: no element, no attribute, no character that cannot be seen."""
    page, plain = Page(render(text)), Page(render(PLAIN))

    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | CODE
    assert [] == [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert [] == [a["href"] for _, a in page.elements if not (a.get("href") or "#").startswith("#")]
    assert not UNSAFE.search("".join(page.texts))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "render", [of_report(render_markdown), student_file("report.md")], ids=["report", "class file"]
)
def test_markdown_has_the_same_blocks_whatever_it_tells(render, text: str) -> None:
    """A reader of Markdown finds no link, image, HTML or heading that the grader did not write."""
    found, plain = blocks_of(render(text)), blocks_of(render(PLAIN))

    assert not found.keys() & {"link_open", "image", "html_block", "html_inline"}
    for kind in ("heading_open", "bullet_list_open", "list_item_open", "table_open", "tr_open", "td_open", "fence"):
        assert plain[kind] == found[kind], kind
    assert not UNSAFE.search(render(text))


def blocks_of(markdown: str) -> Counter[str]:
    """How many there are of each kind of block and span; bare addresses count as links."""
    parser = MarkdownIt("commonmark").enable("table")
    kinds: Counter[str] = Counter()
    for token in parser.parse(markdown):
        kinds[token.type] += 1
        kinds.update(child.type for child in token.children or ())
    return kinds


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_junit_has_the_same_elements_whatever_it_tells(text: str) -> None:
    """It parses, and holds no case or property more."""
    found, plain = (
        [element.tag for element in ET.fromstring(render_junit(samples.hostile(told))).iter()] for told in (text, PLAIN)
    )

    assert plain == found
    assert not UNSAFE.search(render_junit(samples.hostile(text)))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("render", [of_report(render_json), student_file("report.json")], ids=["report", "class file"])
def test_json_holds_texts_as_ascii(render, text: str) -> None:
    """It may be printed to a terminal as it is."""
    made = render(text)

    assert made.isascii()
    assert not UNSAFE.search(made)
    assert json.loads(made).keys() == json.loads(render(PLAIN)).keys()


def shown_report(text: str, console: Console) -> None:
    """What ``grade check`` prints."""
    render_report(samples.hostile(text), console)


def shown_summary(text: str, console: Console) -> None:
    """What ``grade summary`` prints."""
    render_class_summary(*_class(text), console)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("show", [shown_report, shown_summary])
def test_a_terminal_is_sent_no_command_but_the_graders_colours(show, text: str) -> None:
    """And markup that only rich knows is shown as it was written."""
    file = io.StringIO()

    show(text, Console(file=file, width=3000, force_terminal=True, color_system="truecolor", highlight=False))

    printed = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert not UNSAFE.search(printed)
    assert "[red]" not in text or "[red]x[/red] [link=http://b.c]y[/link] [/] \\[bold]z" in printed


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_listing_of_who_was_found_is_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`grade batch --dry-run` shows names of people, files and folders before anybody has looked at them."""
    called = whole(text)
    attempt = Attempt(sources=(called,))
    hand_in = HandIn(student=Student(id=called, name=called), attempts=(attempt,), chosen=0, notes=(called,))

    show_classroom(Classroom(layout="folders", hand_ins=(hand_in,), notes=(called,), unmatched=(called,)))

    printed = capsys.readouterr().out
    assert not UNSAFE.search(printed)
    assert "[red]" not in text or 6 == printed.count(
        "[red]x[/red] [link=http://b.c]y[/link] [/] \\[bold]z [@click=app.bell]w"
    )


def test_below_the_full_level_messages_and_prints_are_not_shown() -> None:
    """What could carry hidden inputs out is left out, and not only made harmless."""
    report = redact_report(samples.hostile("a secret"), FeedbackLevel.HINTS)

    assert {"", None} >= {exercise.output for exercise in report.exercises}
    assert "" == "".join(check.message for exercise in report.exercises for check in exercise.checks)
