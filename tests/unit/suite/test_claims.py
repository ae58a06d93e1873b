"""What a worker says is shown only in words that cannot carry a check's inputs."""

import pytest
import torch

from grader.model.submission import Cell, FileKind, SourceFile
from grader.sandbox.wire import Opaque
from grader.suite.claims import Claims

TEXT = """class Mine(Exception):
    pass

def double(x, times):
    raise Mine(x)
"""
FILES = (
    SourceFile(path="double.py", cells=(Cell(text=TEXT),)),
    SourceFile(path="a.ipynb", kind=FileKind.NOTEBOOK, cells=(Cell(label="cell 1", text="one = 1"),)),
)


def failure(**claimed):
    """A worker's report of an error, cleaned."""
    report = {"ok": False, "kind": "raised", "type": "ValueError", "message": "no", "frames": []}
    return Claims(FILES).clean(report | claimed)


@pytest.mark.parametrize("name", ["ValueError", "Mine", "LinAlgError", "OutOfMemoryError"])
def test_a_known_exception_keeps_its_name(name: str) -> None:
    """Python's own, a library's, and those that the submission's text defines."""
    assert (name, "no") == (failure(type=name)["type"], failure(type=name)["message"])


@pytest.mark.parametrize("name", ["v0.25", "Mine_0_25", "x" * 80, ["ValueError"], None])
def test_an_exception_named_at_run_time_has_no_name(name: object) -> None:
    """Its name could hold numbers; it stays in the message, which is hidden with the inputs."""
    got = failure(type=name)

    assert "an exception of a type unknown here" == got["type"]
    assert got["message"] == f"{name if isinstance(name, str) else ''}: no"


def test_a_frame_shows_the_line_of_the_text() -> None:
    """Whatever the worker says that the line is."""
    got = failure(frames=[["double.py", 5, "double", "0.25"], ["a.ipynb, cell 1", 1, "<module>", "0.25"]])

    assert [["double.py", 5, "double", "raise Mine(x)"], ["a.ipynb, cell 1", 1, "<module>", "one = 1"]] == got["frames"]


@pytest.mark.parametrize(
    "frame",
    [
        ["0.25", 1, "double", ""],
        ["double.py", 6, "double", ""],
        ["double.py", -1, "double", ""],
        ["double.py", True, "double", ""],
        ["double.py", 1, "double"],
        "double.py",
        ["a.ipynb", 1, "double", ""],
    ],
)
def test_a_frame_outside_the_text_is_left_out(frame: object) -> None:
    """Another file, a line that it does not have, or no frame at all."""
    assert [] == failure(frames=[frame])["frames"]


def test_a_function_named_at_run_time_has_no_name() -> None:
    """A code object's name can be replaced while it runs."""
    assert [["double.py", 5, "", "raise Mine(x)"]] == failure(frames=[["double.py", 5, "v025", ""]])["frames"]


def test_frames_are_few() -> None:
    """However many are claimed."""
    assert 20 == len(failure(frames=[["double.py", 5, "double", ""]] * 500)["frames"])


@pytest.mark.parametrize(
    "described",
    [
        "object",
        "ndarray",
        "Mine",
        "Mine, a tensor subclass",
        "Tensor, a tensor subclass",
        "int beyond 64 bits",
        "a value nested too deeply or with too many parts",
        "a tensor with more elements than may cross",
        "a torch.float32 tensor, torch.sparse_coo, on cpu",
        "a torch.float32 tensor, torch.strided, on meta",
        "a torch.qint8 tensor, torch.strided, on cpu",
        "a torch.float8_e4m3fn tensor, torch.strided, on cpu",
    ],
)
def test_a_known_object_keeps_its_description(described: str) -> None:
    """All that the worker's encoder says of its own accord."""
    assert {"value": (Opaque(described),)} == Claims(FILES).clean({"value": (Opaque(described),)})


@pytest.mark.parametrize(
    "described",
    [
        "v0.25",
        "v0_25, a tensor subclass",
        "a torch.float32 tensor, torch.strided, on cpu 0.25",
        "a tensor of 25 elements",
    ],
)
def test_an_object_named_at_run_time_has_no_name(described: str) -> None:
    """Wherever in the value it stands."""
    got = Claims(FILES).clean({"ok": True, "value": [{"a": Opaque(described)}]})

    assert {"ok": True, "value": [{"a": Opaque("unknown here")}]} == got


def test_values_stay_as_they_are() -> None:
    """The very tensors, and the kinds of containers."""
    tensor = torch.zeros(2)

    got = Claims(FILES).clean({"ok": True, "value": (tensor, [1, None, "text"])})

    assert got["value"][0] is tensor
    assert (tuple, [1, None, "text"]) == (type(got["value"]), got["value"][1])
