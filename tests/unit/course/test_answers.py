"""An answers file is text, and what is wrong with it is one line."""

import pytest

from grader.course.answers import AnswerSheet, read_answers, seed_in, write_answers
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.model.errors import SubmissionError
from tests.conftest import QUIZ_COURSE

QUESTIONS = load_questions(CourseTrees(QUIZ_COURSE), "halve")
KNOWN = [question.id for question in QUESTIONS]


def test_what_is_written_is_read_again() -> None:
    """Whatever was typed: quotes, colons, roots, signs of YAML."""
    for typed in (
        "8",
        "8, 64",
        "√64",
        'a "b": #c',
        "no",
        "0x10",
        "1:30",
        "~ish",
        "- x",
        "{a: b}",
        "&a",
        "*a",
        "é\u2028b",
    ):
        sheet = AnswerSheet(12, {"half": typed}, {"parity": (typed, "b")})
        assert sheet == read_answers(write_answers("halve", sheet, QUESTIONS), "halve.yaml", KNOWN)


def test_scalars_stay_as_they_were_typed() -> None:
    """YAML's own numbers, truths and dates would make something else of an answer."""
    sheet = read_answers("seed: 0012\nanswers:\n  half: 0x1F\n  parity: no\n", "halve.yaml", KNOWN)

    assert AnswerSheet(12, {"half": "0x1F", "parity": "no"}) == sheet


@pytest.mark.parametrize("empty", ["", "null", "~", '""', "   "])
def test_an_empty_answer_is_an_open_question(empty: str) -> None:
    """As it is in the file that init writes."""
    assert not read_answers(f"seed: 1\nanswers:\n  half: {empty}\n", "halve.yaml", KNOWN).answers


def test_a_list_is_several_numbers() -> None:
    """YAML's own brackets are fine."""
    assert {"half": "8, 64"} == read_answers("seed: 1\nanswers: {half: [8, 64]}", "halve.yaml", KNOWN).answers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected the keys seed and answers, found nothing"),
        ("seed: 1\nanswers:\n  half: [1", "line 3: this is not YAML"),
        ("seed: 1\nanswers:\n\thalf: 2", "line 3: this is not YAML"),
        ("answers:\n  half: 2", "seed: expected a whole number of up to nine digits, found ''"),
        ("seed: -3", "found '-3'"),
        ("seed: 1234567890", "found '1234567890'"),
        ("seed: 1\nhalf: 2", "found 'half'. Answers belong below `answers:`"),
        ("seed: 1\nanwsers: {}", "Did you mean 'answers'?"),
        ("seed: 1\nanswers: {halve: 2}", "'halve' is no question. Did you mean 'half'?"),
        ("seed: 1\nanswers: {half: 1, half: 2}", "'half' is there twice"),
        ("seed: 1\nanswers: {half: {a: b}}", "half: expected a short answer, found keys and values"),
        ("seed: 1\nanswers: {half: " + "9" * 201 + "}", "half: expected a short answer"),
        ("seed: 1\nanswers: 5", "expected a line for each question"),
        ("seed: 1\nearlier: {half: 5}", "earlier, half: expected a list"),
        ("seed: &a 1\nanswers: {half: *a}", "an alias (*) is not read here"),
        ("seed: 1\nanswers: {half: " + "[" * 5000, "nested too deep"),
        ("seed: 1\nanswers: {[1]: 2}", "a name is expected"),
        ("seed: 1\n" + "#" * 65_536, "at most 65536 characters"),
        ("- seed", "found a list"),
        ("seed: 1\n---\nseed: 2", "this is not YAML"),
        ("seed: \x01", "this is not YAML"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, said: str) -> None:
    """Where, what was expected, what was found."""
    with pytest.raises(SubmissionError) as error:
        read_answers(text, "halve.yaml", KNOWN)

    assert str(error.value).startswith("halve.yaml: ")
    assert said in str(error.value)
    assert 1 == len(str(error.value).splitlines())


def test_a_tag_makes_no_object(tmp_path) -> None:
    """A file of answers can hold nothing but text."""
    made = tmp_path / "made"
    text = f"seed: 1\nanswers:\n  half: !!python/object/apply:pathlib.Path.touch [{made}]\n  parity: !!int 3\n"

    sheet = read_answers(text, "halve.yaml", KNOWN)

    assert {"half": str(made), "parity": "3"} == sheet.answers
    assert not made.exists()


def test_a_seed_is_found_in_a_file_that_cannot_be_read() -> None:
    """To see that a file was passed on, it need not be whole."""
    assert 42 == seed_in("# x\nseed: 42  # mine\nanswers: [")
    assert seed_in("answers:\n  seed: 42\n") is None
