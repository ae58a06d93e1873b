"""Read YAML into a model, with messages that name the file, the line and the fix."""

import difflib
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from grader.model.errors import CourseError

_Model = TypeVar("_Model", bound=BaseModel)
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Location = tuple[str | int, ...]


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Refuses a key that stands twice in one place: YAML would take the last one, and say nothing."""

    def construct_mapping(self, node: Any, *deep: bool) -> Any:
        before: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in before:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands there twice; delete one", key.start_mark
                )
            before.add(key.value if isinstance(key, yaml.ScalarNode) else "")
        return super().construct_mapping(node, *deep)


def read_yaml(path: Path, model: type[_Model], shown: str) -> _Model:
    """
    Return the file as a model.

    Args:
        path: The YAML file.
        model: What it must be.
        shown: How messages call the file, such as ``rubrics/heads.yaml``.

    Raises:
        CourseError: One line for each thing that is wrong: file, line, expected, found.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{shown}: this file is missing. Each exercise of a course needs it.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{shown}: cannot be read as UTF-8 text ({error}).") from None
    return parse_yaml(text, model, shown)


def parse_yaml(text: str, model: type[_Model], shown: str, first_line: int = 1) -> _Model:
    """Return YAML text as a model; ``first_line`` is where the text begins in its file. See `read_yaml`."""
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + first_line}:" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be understood"
        if isinstance(error, yaml.constructor.ConstructorError):
            raise CourseError(f"{shown}:{line} {problem}.") from None
        raise CourseError(f"{shown}:{line} this is not YAML: {problem}. Quote texts that hold ': ' or '#'.") from None
    if not isinstance(data, dict):
        raise CourseError(f"{shown}: expected keys and values, found {type(data).__name__}.")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = locate_nodes(text)
        raise CourseError(
            "\n".join(_sentence(item, model, shown, lines, first_line) for item in error.errors())
        ) from None


def locate_nodes(text: str) -> dict[Location, int]:
    """Return the line of every key and item of a YAML text, counted from zero, by its path."""
    found: dict[Location, int] = {}

    def visit(node: Any, place: Location) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                found[(*place, key.value)] = key.start_mark.line
                visit(value, (*place, key.value))
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                found[(*place, index)] = value.start_mark.line
                visit(value, (*place, index))

    visit(yaml.compose(text, Loader=_Loader), ())
    return found


def _sentence(error: Any, model: type[BaseModel], shown: str, lines: dict[Location, int], first_line: int) -> str:
    place: Location = error["loc"]
    known = place
    while known and known not in lines:
        known = known[:-1]
    line = f" line {lines[known] + first_line}:" if known else ""
    name = ".".join(str(part) for part in place)
    if error["type"] == "extra_forbidden":
        fields = _fields_at(model, place[:-1])
        close = difflib.get_close_matches(str(place[-1]), fields, n=1, cutoff=0.5)
        advice = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(sorted(fields))}."
        return f"{shown}:{line} unknown key {place[-1]!r}; {advice}"
    if error["type"] == "missing":
        return f"{shown}:{line} the key {place[-1]!r} is missing{_inside(place)}."
    message = error["msg"].removeprefix("Value error, ")
    if not place:
        return f"{shown}: {message}."
    found = "" if isinstance(error["input"], (dict, list)) else f", found {error['input']!r}"
    return f"{shown}:{line} {name}: {message[:1].lower()}{message[1:]}{found}."


def _inside(place: Location) -> str:
    return f" in {'.'.join(str(part) for part in place[:-1])}" if len(place) > 1 else ""


def _fields_at(model: type[BaseModel], place: Location) -> list[str]:
    """Return the names of the fields of the model that a path leads to."""
    current: Any = model
    for part in place:
        if isinstance(part, str) and isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(part)
            current = field.annotation if field else None
        current = _model_in(current)
    return list(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """Return the model inside ``tuple[Model, ...]`` or ``Model | None``, else the annotation."""
    if typing.get_origin(annotation) in (tuple, list, typing.Union, types.UnionType):
        inner = [argument for argument in typing.get_args(annotation) if isinstance(argument, type)]
        return next((argument for argument in inner if issubclass(argument, BaseModel)), annotation)
    return annotation
