"""A mistake is named by its answers, and never guessed."""

import time

import pytest
import torch
from matplotlib.figure import Figure

from grader.model.course import Chaff
from grader.sandbox.picture import describe_axes
from grader.sandbox.remote import Conversation, RemoteLearner
from grader.sandbox.wire import Handle, Opaque
from grader.suite import fingerprint
from grader.suite.draw import Draw
from grader.suite.fingerprint import Fingerprints, Transcript, load_known_code, replies_alike, start_like, values_alike

SOLUTION = """
import torch

def scale(x):
    return x / x.shape[-1] ** 0.5

def merge(x):
    if x.dim() < 2:
        raise ValueError("needs two axes")
    return x.transpose(0, 1)

class Layer(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = torch.nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x)
"""

CRITERIA = {"scale": "scale", "merge": "merge", "layer": "layer"}


def changed(old: str, new: str) -> str:
    """The solution with one change."""
    assert old in SOLUTION
    return SOLUTION.replace(old, new)


CODE = {
    "no_scale": changed("x / x.shape[-1] ** 0.5", "x * 1"),
    "no_merge": changed("x.transpose(0, 1)", "x + 0"),
    "neither": changed("x / x.shape[-1] ** 0.5", "x * 1").replace("x.transpose(0, 1)", "x + 0"),
    "detached": changed("x / x.shape[-1] ** 0.5", "(x / x.shape[-1] ** 0.5).detach()"),
    "raises": changed("return x / x.shape[-1] ** 0.5", "return x.view(7, 7)"),
    "twice": changed("self.linear(x)", "self.linear(self.linear(x))"),
}
LOSES = {
    "no_scale": ("scale",),
    "no_merge": ("merge",),
    "neither": ("scale", "merge"),
    "detached": ("scale",),
    "raises": ("scale",),
    "twice": ("layer",),
}


def known(*names: str) -> Fingerprints:
    """The known mistakes of these names."""
    chaffs = [
        Chaff(
            id=name,
            misconception=name,
            explanation=f"You made the mistake {name}.",
            numbers="With {size} it is √{size} = {sqrt_size:.2f}.",
            look_at="There.",
            loses=LOSES[name],
        )
        for name in names
    ]
    return fingerprints_of(chaffs, CODE)


def fingerprints_of(chaffs: list[Chaff], code: dict[str, str]) -> Fingerprints:
    """These known mistakes."""
    return Fingerprints("test", lambda: chaffs, code.__getitem__, SOLUTION, (), ("test",))


def ask_all(code: str) -> dict[str, Transcript]:
    """What a small suite asks of code, and is answered."""
    executor = load_known_code(code, "test", (), ("test",))
    found = {}
    for check in ("scale", "merge", "layer"):
        conversation = Conversation(lambda request, _: executor.perform(request), seed=3)
        learner, draw = RemoteLearner(conversation), Draw(5)
        x = draw.normal(3, 4)
        try:
            if check == "scale":
                learner.scale.gradients(x, along=draw.normal(3, 4))
            elif check == "merge":
                learner.merge(x)
            else:
                learner.Layer(4)(x)
        except Exception:  # noqa: BLE001 - the transcript is what matters
            pass
        found[check] = Transcript(tuple(conversation.exchanges), {"size": 4})
    return found


def named(fingerprints: Fingerprints, code: str, *failed: str) -> dict[str, str]:
    """Misconception by check."""
    earned = set(CRITERIA.values()) - {CRITERIA[check] for check in failed}
    found = fingerprints.diagnose(ask_all(code), CRITERIA, failed, earned)
    return {check: diagnosis.misconception for check, diagnosis in found.items()}


@pytest.mark.parametrize("name", ["no_scale", "detached", "raises"])
def test_a_known_mistake_is_named(name: str) -> None:
    """By its values, its gradients or its exception."""
    assert {"scale": name} == named(known("no_scale", "detached", "raises", "no_merge"), CODE[name], "scale")


def test_another_form_of_a_mistake_is_named_too() -> None:
    """What counts is what it answers."""
    other = changed("x / x.shape[-1] ** 0.5", "torch.add(x, torch.zeros_like(x))")

    assert {"scale": "no_scale"} == named(known("no_scale", "detached"), other, "scale")


def test_an_unknown_mistake_is_not_named() -> None:
    """No match, no claim."""
    assert {} == named(known("no_scale", "detached"), changed("** 0.5", "** 0.7"), "scale")


def test_an_exception_of_the_same_kind_in_another_operation_is_the_same() -> None:
    """Each operation tells in its own words that sizes do not fit."""
    other = changed("return x / x.shape[-1] ** 0.5", "return x + torch.ones(7)")

    assert {"scale": "raises"} == named(known("raises", "no_scale"), other, "scale")


def test_of_two_that_raise_alike_the_one_that_says_the_same_is_meant() -> None:
    """Sizes that do not fit are one kind; what does not fit with what is told by the text."""
    code = {**CODE, "other": changed("return x / x.shape[-1] ** 0.5", "return x + torch.ones(7)")}
    (first,) = known("raises").chaffs()
    both = fingerprints_of([first, first.model_copy(update={"id": "other", "misconception": "other"})], code)

    assert {"scale": "other"} == named(both, code["other"], "scale")
    assert {"scale": "raises"} == named(both, code["raises"], "scale")
    assert {} == named(both, changed("return x / x.shape[-1] ** 0.5", "return x @ torch.ones(7, 2)"), "scale")


def test_an_exception_is_not_explained_where_the_same_kind_is_raised_without_an_explanation() -> None:
    """A slip that raises everywhere is not the mistake that raises in one place."""
    everywhere = CODE["raises"].replace("return x.transpose(0, 1)", "return x.view(7, 7)")

    assert {} == named(known("raises", "no_merge"), everywhere, "scale", "merge")


def test_two_mistakes_at_once_get_the_names_of_both() -> None:
    """And what is said of each of them."""
    one, two = known("no_scale", "no_merge").chaffs()
    both = one.model_copy(
        update={
            "id": "neither",
            "misconception": "no_scale + no_merge",
            "loses": ("scale", "merge"),
            "parts": (one, two),
        }
    )
    found = fingerprints_of([one, two, both], CODE).diagnose(
        ask_all(CODE["neither"]), CRITERIA, ["scale", "merge"], {"layer"}
    )

    assert {"no_scale + no_merge"} == {diagnosis.misconception for diagnosis in found.values()}
    assert "Two mistakes at once. With 4 it is √4 = 2.00. With 4 it is √4 = 2.00." == found["scale"].explanation
    assert "these two mistakes" in found["scale"].fact


def test_one_whose_cost_was_avoided_in_part_is_meant_where_nothing_else_explains() -> None:
    """Code may make a mistake and mend one of its consequences."""
    assert {"scale": "neither"} == named(known("neither"), CODE["no_scale"], "scale")


def test_two_mistakes_are_not_meant_where_what_one_of_them_costs_was_earned() -> None:
    """Though the answers to the failed check are equal."""
    (both,) = known("neither").chaffs()
    combined = both.model_copy(update={"parts": tuple(known("no_scale", "no_merge").chaffs())})

    assert {} == named(fingerprints_of([combined], CODE), CODE["no_scale"], "scale")


@pytest.mark.parametrize("where", ["in a call", "when it is read", "where all exceptions are caught"])
def test_a_known_mistake_that_never_ends_is_meant_by_nothing_and_holds_up_nothing(where, monkeypatch) -> None:
    """An author's endless loop: others are still named, and it is not run again."""
    monkeypatch.setattr(fingerprint, "_ANSWER_S", 0.2)
    endless = {
        "in a call": changed("return x / x.shape[-1] ** 0.5", "while True: pass"),
        "when it is read": f"{SOLUTION}\nwhile True: pass",
        "where all exceptions are caught": changed(
            "return x / x.shape[-1] ** 0.5",
            "\n    while x is not None:\n        try: x * 1\n        except Exception: pass",
        ),
    }[where]
    chaffs = known("no_scale", "detached").chaffs()
    fingerprints = fingerprints_of(
        [chaffs[0].model_copy(update={"id": "endless", "misconception": "endless"}), *chaffs],
        {**CODE, "endless": endless},
    )

    assert {"scale": "no_scale"} == named(fingerprints, CODE["no_scale"], "scale")
    started = time.process_time()
    assert {"scale": "detached"} == named(fingerprints, CODE["detached"], "scale")
    assert time.process_time() - started < 0.2


def test_right_code_is_never_diagnosed() -> None:
    """Even if something claims that it failed."""
    assert {} == named(known("no_scale", "no_merge"), SOLUTION, "scale", "merge")


def test_of_two_that_match_the_one_that_explains_more_is_meant() -> None:
    """One mistake made throughout, not two."""
    assert {"scale": "neither", "merge": "neither"} == named(
        known("no_scale", "neither"), CODE["neither"], "scale", "merge"
    )


def test_one_that_should_have_cost_more_is_not_meant() -> None:
    """The learner's merge is right, so it is not the mistake that spoils both."""
    assert {"scale": "no_scale"} == named(known("no_scale", "neither"), CODE["no_scale"], "scale")


def test_one_that_a_failed_check_contradicts_is_out() -> None:
    """The merge is wrong in another way than the known mistake's."""
    code = CODE["no_scale"].replace("x.transpose(0, 1)", "x * 5")

    assert {"scale": "no_scale"} == named(known("no_scale", "neither"), code, "scale", "merge")


def test_two_that_explain_the_same_are_no_claim() -> None:
    """Which of them would be a guess."""
    (first,) = known("no_scale").chaffs()
    second = first.model_copy(update={"id": "b", "misconception": "b"})
    twice = fingerprints_of([first, second], {**CODE, "b": CODE["no_scale"]})

    assert {} == named(twice, CODE["no_scale"], "scale")


def test_two_that_share_a_name_are_one() -> None:
    """Mistakes that cannot be told apart share it."""
    (first,) = known("no_scale").chaffs()
    twice = fingerprints_of([first, first.model_copy(update={"id": "b"})], {**CODE, "b": CODE["no_scale"]})

    assert {"scale": "no_scale"} == named(twice, CODE["no_scale"], "scale")


def test_the_weights_that_a_layer_starts_with_decide_nothing() -> None:
    """Layers made in another order, and with no bias, make the same mistake."""
    other = CODE["twice"].replace(
        "self.linear = torch.nn.Linear(size, size)",
        "torch.rand(9); self.linear = torch.nn.Linear(size, size, bias=False)",
    )

    assert {"layer": "twice"} == named(known("twice"), other, "layer")


def test_the_explanation_names_the_checks_own_numbers() -> None:
    """Sizes and their roots."""
    (diagnosis,) = (
        known("no_scale").diagnose(ask_all(CODE["no_scale"]), CRITERIA, ["scale"], {"merge", "layer"}).values()
    )

    assert "With 4 it is √4 = 2.00." == diagnosis.explanation
    assert "the one call" in diagnosis.fact


def test_numbers_that_a_check_does_not_have_are_left_out() -> None:
    """The plain explanation takes their place."""
    transcripts = {check: Transcript(one.exchanges, {}) for check, one in ask_all(CODE["no_scale"]).items()}

    (diagnosis,) = known("no_scale").diagnose(transcripts, CRITERIA, ["scale"], {"merge", "layer"}).values()

    assert "You made the mistake no_scale." == diagnosis.explanation


def test_small_numerical_differences_are_alike_and_large_ones_are_not() -> None:
    """Two correct forms differ by rounding; half types by more."""
    x = torch.tensor([1.0, 2.0])

    assert values_alike(x, x * (1 + 1e-6))
    assert not values_alike(x, x * 1.001)
    assert values_alike(x.half(), x.half() * 1.001)
    assert values_alike({"a": [x]}, {"a": [x]})
    assert not values_alike([x], (x, x))
    assert not values_alike(x, x.double())
    assert values_alike(torch.tensor([float("nan")]), torch.tensor([float("nan")]))


def test_refusals_in_ones_own_words_are_alike_and_others_only_by_text() -> None:
    """A raise of one's own is free text; torch's text says what went wrong."""

    def error(*, own: bool, text: str) -> dict[str, object]:
        return {"ok": False, "kind": "raised", "own": own, "type": "ValueError", "message": text}

    assert replies_alike(error(own=True, text="a"), error(own=True, text="b"))
    assert not replies_alike(error(own=False, text="a"), error(own=False, text="b"))
    assert not replies_alike(error(own=True, text="a"), error(own=False, text="b"))


def test_layers_get_biases_just_where_the_others_have_them() -> None:
    """And the other's values."""
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1, bias=False))

    start_like(module, {"0.weight": torch.ones(3, 2), "1.bias": torch.full((1,), 5.0)})

    assert module[0].bias is None
    assert 5.0 == float(module[1].bias.detach())
    assert torch.equal(torch.ones(3, 2), module[0].weight)


def test_what_is_a_thousandth_of_the_distance_to_right_is_rounding() -> None:
    """Two forms of one large mistake differ by more than two forms of the right answer."""
    right, mistake = torch.zeros(3), torch.tensor([1.0, -1.0, 0.5])

    assert values_alike(mistake, mistake + 5e-4, right)
    assert not values_alike(mistake, mistake + 5e-4)
    assert not values_alike(mistake, mistake + 5e-3, right)
    assert not values_alike(right + 1e-4, right, right)


def test_what_does_not_cross_is_compared_as_that() -> None:
    """Known code gives the thing itself and a worker its name: both are something that is no value."""
    thing, another = object(), slice(1)

    assert values_alike(thing, Opaque("object"))
    assert values_alike(thing, another)
    assert values_alike([thing], [Opaque("slice")])
    for value in (3, "text", None, [thing], torch.ones(1), Handle(0, "Layer")):
        assert not values_alike(thing, value)
        assert not values_alike(value, Opaque("object"))
    assert values_alike(Handle(0, "Layer"), Handle(1, "Other"))


def picture(**changes: object) -> dict[str, object]:
    """A reply to a call that drew a table."""
    axes = Figure().subplots()
    axes.imshow([[0.25, 0.75]], vmin=0, vmax=1)
    axes.set_title("Head 1")
    watched = {"is_returned": True, "place": "new", "disturbs": False, "stray_figures": 0}
    return {
        "ok": True,
        "value": Opaque("Axes"),
        "picture": describe_axes(axes) | watched | {"shown": False, "saved": False, "closed": False} | changes,
    }


def test_pictures_are_compared_without_taste() -> None:
    """Two authors choose other words; what a viewer is told by the numbers and places counts."""
    ours = picture()

    assert replies_alike(ours, picture(title="The first head, number 1", x_label="keys"))
    assert replies_alike(ours | {"picture": None}, picture() | {"picture": None})
    for changes in ({"title": "Head 2"}, {"closed": True}, {"place": "given"}, {"colour_limits": [0.0, 0.5]}):
        assert not replies_alike(ours, picture(**changes))
    assert not replies_alike(ours, picture() | {"picture": None})
    assert not replies_alike(ours, {key: value for key, value in ours.items() if key != "picture"})


def test_a_tensor_that_went_through_numpy_is_no_other_device_mistake() -> None:
    """Who makes an index on the CPU is not told of NumPy."""
    mixed, other = ({"ok": False, "kind": "device", "message": text} for text in ("Expected all tensors …", "index …"))
    numpy = mixed | {"message": "can't convert privateuse device type tensor to numpy."}

    assert replies_alike(mixed, other)
    assert not replies_alike(numpy, mixed)
