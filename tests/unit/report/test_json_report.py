"""A report is written as JSON."""

import subprocess
import sys

import pytest
import samples

from grader.model.report import Measurement, Observation, ScoreReport
from grader.report.json_report import render_json


@pytest.mark.parametrize("name", [name for name in samples.all_samples() if name != "hostile"])
def test_json_reads_back_as_the_same_report(name):
    """Nothing is lost or shortened, at any feedback level."""
    report = samples.all_samples()[name]

    assert report == ScoreReport.model_validate_json(render_json(report))


def test_json_is_ascii_whatever_it_holds():
    """No terminal can be driven by it and no code page can spoil it; reading it back gives the same JSON."""
    text = render_json(samples.hostile())

    assert text.isascii()
    assert not set(text) & (set(map(chr, range(32))) - {"\n"} | {"\x7f"})
    assert text == render_json(ScoreReport.model_validate_json(text))


def test_numbers_that_json_does_not_know_come_back():
    """A learner's output may make a measurement infinite or NaN, and the JSON stays valid."""
    numbers = tuple(Measurement(label=str(value), value=value) for value in (float("inf"), float("-inf"), float("nan")))
    check = samples.make_check("spread", observation=Observation(numbers=numbers, sentence="Near 1."))
    report = samples.make_report((samples.make_exercise("heads", (samples.make_criterion("v", (check,)),)),))

    back = ScoreReport.model_validate_json(render_json(report)).exercises[0].checks[0].observation

    assert [str(number.value) for number in back.numbers] == ["inf", "-inf", "nan"]


def test_halves_of_one_character_are_joined():
    """Two surrogates that stand side by side are one character; a single one becomes the replacement."""
    report = samples.partial().model_copy(update={"notes": ("\ud83d\ude00 \ud83d",)})

    assert ScoreReport.model_validate_json(render_json(report)).notes == ("😀 \ufffd",)


def test_json_needs_neither_rich_nor_jinja2():
    """``--format json`` in a pipeline must not wait for libraries that it does not use."""
    code = "import sys, grader.report.json_report; sys.exit(bool({'rich', 'jinja2', 'torch'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
