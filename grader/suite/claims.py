"""Put what a worker says about types and places into words that cannot carry a check's inputs out.

Learners' code chooses the names of its own exceptions and classes while it runs, and a hostile worker writes what it
likes. Learners see such names at feedback levels that hide inputs. So a name is shown only if it stands in the
submission's own text or is known anyway, a line of code is taken from that text, and everything else is replaced.
"""

import builtins
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from grader.model.submission import SourceFile
from grader.sandbox.wire import Opaque

UNKNOWN_TYPE: Final = "unknown here"
_UNKNOWN_EXCEPTION: Final = f"an exception of a type {UNKNOWN_TYPE}"
_WORD: Final = re.compile(r"[^\W\d]\w*")
_OF_LIBRARIES: Final = frozenset(
    {
        # torch
        "AcceleratorError", "BackendCompilerFailed", "DeviceMismatch", "DistributionNotFound", "LinAlgError", "Module",
        "OutOfMemoryError", "Parameter", "Size", "TorchRuntimeError", "Unsupported", "device", "dtype",
        "Generator", "Tensor",
        # numpy and the standard library
        "AxisError", "ComplexWarning", "Counter", "DTypePromotionError", "Decimal", "Error", "Fraction",
        "FrozenInstanceError", "JSONDecodeError", "Namespace", "SimpleNamespace", "TooHardError", "UFuncTypeError",
        "UnsupportedOperation", "_UFuncBinaryResolutionError", "_UFuncNoLoopError", "bool_",
        "builtin_function_or_method",
        "coroutine", "deque", "dict_items", "dict_keys", "dict_values", "ellipsis", "float32", "float64", "function",
        "generator", "int32", "int64", "method", "method_descriptor", "module", "ndarray", "partial",
    }
)  # fmt: skip
_PLAIN: Final = frozenset({name for name, value in vars(builtins).items() if isinstance(value, type)}) | _OF_LIBRARIES
_WORDED: Final = frozenset(
    {
        "int beyond 64 bits",
        "a value nested too deeply or with too many parts",
        "a tensor with more elements than may cross",
    }
)
_SUBCLASS: Final = ", a tensor subclass"
_UNUSUAL_TENSOR: Final = re.compile(
    r"a torch\.(?:[a-z]+\d*(?:_e\d+m\d+(?:fn)?(?:uz)?|x\d+)?) tensor, "
    r"torch\.(?:strided|jagged|sparse_(?:coo|csr|csc|bsr|bsc)|_mkldnn), on (?:cpu|meta|mps|(?:cuda|xpu)(?::\d)?)"
)
_CODE_NAMES: Final = frozenset({"<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_MOST_FRAMES: Final = 20
_LONGEST_LINE: Final = 200


class Claims:
    """
    Cleans a worker's replies about one submission.

    Args:
        files: The submission. Its text was fixed before any check drew its inputs.
    """

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._lines: dict[str, list[str]] = {}
        self._words: set[str] = set()
        for file in files:
            for cell in file.cells:
                name = f"{file.path}, {cell.label}" if cell.label else file.path
                self._lines[name] = cell.text.splitlines()
                self._words.update(_WORD.findall(cell.text))

    def clean(self, reply: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply with names and lines of code that are sure to be no message."""
        cleaned = {key: self._clean_value(value) for key, value in reply.items()}
        if reply.get("ok") is False:
            claimed, message = (self._text(reply.get(key)) for key in ("type", "message"))
            known = self._is_known(claimed)
            cleaned["type"] = claimed if known else _UNKNOWN_EXCEPTION
            cleaned["message"] = message if known else f"{claimed}: {message}"
            cleaned["frames"] = self._clean_frames(reply.get("frames"))
        return cleaned

    def _clean_value(self, value: Any) -> Any:
        # The decoder has bounded how deep and how large this can be.
        if isinstance(value, Opaque):
            return value if self._is_known_object(value.type_name) else Opaque(UNKNOWN_TYPE)
        if isinstance(value, (list, tuple)):
            return type(value)(self._clean_value(item) for item in value)
        if isinstance(value, dict):
            return {key: self._clean_value(item) for key, item in value.items()}
        return value

    def _clean_frames(self, frames: Any) -> list[list[Any]]:
        cleaned: list[list[Any]] = []
        for frame in frames if type(frames) is list else []:
            if type(frame) is not list or [type(part) for part in frame] != [str, int, str, str]:
                continue
            file, line, function, _ = frame
            lines = self._lines.get(file)
            if lines is None or not 0 <= line <= len(lines):
                continue
            named = function in _CODE_NAMES or function in self._words
            source = lines[line - 1].strip()[:_LONGEST_LINE] if line else ""
            cleaned.append([file, line, function if named else "", source])
        return cleaned[:_MOST_FRAMES]

    def _is_known_object(self, described: str) -> bool:
        if described in _WORDED or _UNUSUAL_TENSOR.fullmatch(described):
            return True
        return self._is_known(described.removesuffix(_SUBCLASS))

    def _is_known(self, name: str) -> bool:
        return name in _PLAIN or name in self._words

    @staticmethod
    def _text(value: Any) -> str:
        return value if type(value) is str else ""
