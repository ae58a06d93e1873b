"""Hostile submissions earn what is honest in them, reach nothing, and leave nothing behind."""

import json
import re
import sys
from collections.abc import Iterator

import psutil
import pytest

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.verdict import Verdict
from grader.report.html import render_html
from grader.report.json_report import render_json
from grader.report.junit import render_junit
from grader.report.markdown import render_markdown
from tests.attacks.arena import HONEST, SEED, Arena, Outcome, hidden_numbers, without_times
from tests.attacks.corpus import ATTACKS, GROUPS, KINDS, TRIED, Attack, forged, in_call

MOST_S = 30.0
"""For one submission: an import of 5 s and a call of 2 s may run out of time, and busy machines are slow."""


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    """One runner for all of them: what one does must not reach the next."""
    with Arena() as arena:
        yield arena


@pytest.fixture(scope="module")
def honest(arena: Arena) -> dict:
    """The report of an honest submission before anybody attacked."""
    report = arena.grade(HONEST)
    assert (4, True) == (report.score, report.complete)
    return without_times(report)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.kind}-{attack.name}")
def test_an_attack_gains_nothing(arena: Arena, honest: dict, attack: Attack) -> None:
    """No point, no file, no process, no message; the report is whole, and the next one is what it would be alone."""
    outcome = arena.attack(attack)

    assert outcome.report.score <= attack.most
    assert outcome.report.complete
    assert attack.flags <= {flag.id for flag in outcome.report.flags}
    assert () == outcome.traces
    assert not outcome.got_through, outcome.output
    assert outcome.seconds < MOST_S
    assert_was_made(attack, outcome)
    assert_hides(arena, outcome)
    assert honest == without_times(arena.grade(HONEST))


def assert_was_made(attack: Attack, outcome: Outcome) -> None:
    """An attack that fails for another reason than the sandbox would prove nothing."""
    if attack.tries:
        assert TRIED in outcome.output, outcome.output
    if attack.verdict:
        first = outcome.report.exercises[0].checks[0]
        assert attack.verdict == first.verdict, first.rationale


def assert_hides(arena: Arena, outcome: Outcome) -> None:
    """Nothing that is hidden stands in what a learner sees, and no secret text anywhere at all."""
    everything = outcome.report.model_dump_json()
    shown = json.dumps(without_times(redact_report(outcome.report, FeedbackLevel.HINTS)))

    assert arena.secret not in everything
    assert [] == [number for number in hidden_numbers() if number in shown]


def test_the_numbers_that_must_stay_hidden_are_those_of_the_checks(arena: Arena) -> None:
    """At the level that shows everything they are seen, so looking for them can fail."""
    attack = next(attack for attack in ATTACKS if attack.name == "carry inputs out by a message")

    everything = arena.grade(attack).model_dump_json()

    assert sum(number in everything for number in hidden_numbers(SEED)) > 10


def test_every_way_is_tried() -> None:
    """Each way of fooling a grader that applies has an attack, and each attack a name of its own."""
    assert KINDS.keys() == {attack.kind for attack in ATTACKS}
    assert len(ATTACKS) == len({attack.name for attack in ATTACKS})
    assert all(any(kind in kinds for kinds in GROUPS.values()) for kind in KINDS)


@pytest.mark.parametrize("render", [render_html, render_json, render_junit, render_markdown])
def test_no_form_of_the_report_speaks_for_a_submission(arena: Arena, render) -> None:
    """Control characters, markup and names stay text in every form."""
    for name in ("speak to the reader", "speak to the reader by names"):
        report = arena.grade(next(attack for attack in ATTACKS if attack.name == name))
        text = render(report)

        assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(text)
        if render is render_markdown:
            text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)  # in a block of code it is text
        assert render is render_json or "<script" not in text
        assert render is not render_html or "<b>4 of 4" not in text


def test_a_claimed_bias_of_any_dtype_is_no_end_of_the_run(builtin) -> None:
    """A diagnosis replays known mistakes from the parameters that the worker claims to have."""
    from torch import bool as torch_bool
    from torch import nn, ones

    from grader.suite.fingerprint import start_like

    module = nn.Sequential(nn.Linear(2, 3, bias=False))

    start_like(module, {"0.bias": ones(3, dtype=torch_bool)})

    assert module[0].bias is None


def test_huge_answers_cost_the_grader_little(arena: Arena) -> None:
    """A forged one is refused by its length, an honest one is named by its worker; neither is computed with."""
    frame = (
        "frame(said(2, [['ok', True], ['value', {'tensor': 0}], ['changed', {'list': []}], ['devices', {'list': []}]])"
    )
    entry = "[{'dtype': 'int8', 'shape': [64 << 20]}], bytes(64 << 20))"
    arena.grade(HONEST)
    # The resident size, which everybody may read, of a process that keeps everything else to itself.
    before = arena.grader.memory_info().rss

    sent = arena.grade(forged("a frame of 64 MiB", f"{frame}, {entry}"))
    made = arena.grade(in_call("an answer of 64 MiB", 1, "return torch.ones(64 << 20, dtype=torch.uint8)"))

    assert {"protocol"} <= {flag.id for flag in sent.flags}
    assert (Verdict.CRASHED, Verdict.FAILED) == tuple(report.exercises[0].checks[0].verdict for report in (sent, made))
    assert () == made.flags
    assert arena.grader.memory_info().rss - before < 50 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit that holds")
def test_the_grader_bounds_its_own_memory(arena: Arena) -> None:
    """Twice what the course lets a submission have, beyond what it needs itself."""
    limit, _ = arena.grader.rlimit(psutil.RLIMIT_DATA)

    assert 0 < limit < 8 << 30


@pytest.mark.parametrize("layers_off", [("landlock",), ("seccomp",), ("landlock", "seccomp")])
def test_what_is_left_without_a_layer_still_gains_no_point(layers_off: tuple[str, ...]) -> None:
    """Points come from values alone; a process that gets away is found and killed all the same."""
    chosen = [attack for attack in ATTACKS if attack.tries]

    with Arena(layers_off) as arena:
        for attack in chosen:
            outcome = arena.attack(attack)

            assert outcome.report.score <= attack.most, attack.name
            assert outcome.report.complete, attack.name
            assert [] == [trace for trace in outcome.traces if "process" in trace], attack.name
        assert Verdict.PASSED == arena.grade(HONEST).exercises[0].checks[0].verdict
