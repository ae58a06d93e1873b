"""Import learners' files from memory, with known-good stand-ins for earlier exercises.

Every file becomes one module of the package ``submission``, whatever name it is imported under: ``from heads import
split_heads``, ``from .heads import split_heads`` and ``from my_folder.heads import split_heads`` reach the same one.
"""

import __future__

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import sys
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

import torch

from grader.sandbox.stand_ins import StandIn, adapt_stand_in

PACKAGE: Final = "submission"
_FUTURE_FLAGS: Final = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def dotted_name(path: str) -> str:
    """Return a path in a submission as a module name: ``src/heads.py`` is ``src.heads``."""
    parts = path.rsplit(".", 1)[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class LearnerFile:
    """One file: its path in the submission, and its cells as (label, text)."""

    path: str
    is_notebook: bool
    cells: tuple[tuple[str, str], ...]

    @property
    def dotted(self) -> str:
        """The path as a module name."""
        return dotted_name(self.path)

    def cell_name(self, label: str) -> str:
        """How tracebacks name a cell of this file."""
        return f"{self.path}, {label}" if label else self.path


@dataclass
class LearnerModules:
    """
    The modules of one submission, as one exercise sees them.

    Args:
        files: The submission's files.
        exercises: Ids of the course's exercises: these module names are the learner's, whatever is installed.
        stand_ins: Implementations whose names replace the learner's own.
        own_names: Names of stand-ins that are the learner's own where the file defines them that is loaded: there they
            are no answer to an earlier exercise.
        unsearched: Path and name of each definition that nobody has searched for what is forbidden, since a stand-in
            takes all its calls: it is replaced whatever code at the top of the file has made of it.
    """

    files: Sequence[LearnerFile]
    exercises: Sequence[str] = ()
    stand_ins: Sequence[StandIn] = ()
    own_names: Collection[str] = ()
    unsearched: Collection[tuple[str, str]] = ()
    notes: list[str] = field(default_factory=list)
    """What the learner should know, such as a notebook cell that failed."""

    def __post_init__(self) -> None:
        self.cell_names = {file.cell_name(label) for file in self.files for label, _ in file.cells}
        self._by_dotted = {file.dotted: file for file in sorted(self.files, key=lambda file: -file.path.count("/"))}
        self._entry = ""
        self._stand_in_modules: dict[str, types.ModuleType] = {}
        self._newest_before = ""
        """The newest module that was there before any of the submission's."""
        self._compiled: dict[tuple[str, int], types.CodeType] = {}
        for file in self.files:
            for label, text in file.cells:
                # Without an entry here a traceback could not show the line, as there is no file to read.
                name = file.cell_name(label)
                linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)

    def load(self, entry: str) -> types.ModuleType:
        """Run the file ``entry`` (and what it imports) and return its module; raises what the learner's code raises."""
        file = next(file for file in self.files if file.path == entry)
        self._entry = entry
        # A notebook may lie beside a module of the same name: here the name means the chosen one.
        self._by_dotted[file.dotted] = file
        return importlib.import_module(f"{PACKAGE}.{file.dotted}")

    def load_again(self, entry: str) -> types.ModuleType:
        """Run everything anew, in silence, as if nothing had been called yet."""
        notes = list(self.notes)
        added = {name: sys.modules[name] for name in self._added()}
        own = {id(module) for name, module in added.items() if name.split(".")[0] == PACKAGE}
        for name, module in added.items():
            if id(module) in own:
                del sys.modules[name]
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                return self.load(entry)
        finally:
            self.notes[:] = notes

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Make the submission importable for a while, then forget it: for code that is trusted."""
        self.install()
        try:
            yield
        finally:
            sys.meta_path.remove(self._finder)
            for name in self._added():
                if name.split(".")[0] in {PACKAGE, *self.exercises}:
                    del sys.modules[name]

    def install(self) -> None:
        """Make the submission importable from now on."""
        self._newest_before = next(reversed(sys.modules))
        self._finder = _Finder(self)
        sys.meta_path.insert(0, self._finder)

    def _added(self) -> list[str]:
        """
        Return the names of the modules that are newer than the submission's installation.

        Only these are looked at: in a worker, touching the name of each of torch's modules would copy a thousand pages.
        """
        return list(takewhile(lambda name: name != self._newest_before, reversed(sys.modules)))

    def find(self, dotted: str) -> LearnerFile | None:
        """Return the file that a module name means: the exact path, else the one nearest the root that ends in it."""
        if dotted in self._by_dotted:
            return self._by_dotted[dotted]
        ending = [file for name, file in self._by_dotted.items() if name.endswith(f".{dotted}")]
        return min(ending, key=lambda file: (file.path.count("/"), file.path), default=None)

    def is_folder(self, dotted: str) -> bool:
        """Whether a module name means a folder that holds files of the submission."""
        return any(f".{name}".find(f".{dotted}.") >= 0 for name in self._by_dotted)

    def is_own(self, top: str) -> bool:
        """Whether a top-level module name means the learner's file rather than a library of that name."""
        if top in self.exercises:
            return True
        # A file called torch.py must not shadow the library that the learner's other files need.
        if top in sys.stdlib_module_names or importlib.machinery.PathFinder.find_spec(top) is not None:
            return False
        return self.find(top) is not None or self.is_folder(top)

    def run(self, file: LearnerFile, module: types.ModuleType) -> None:
        """Execute a file's cells in a module, then put the stand-ins over it."""
        stand_in = self._stand_in_for(file.dotted)
        try:
            with torch_state_kept():
                self._run_cells(file, module)
        except BaseException as error:
            if stand_in is None:
                raise
            _raise_for_other_names(module, error)
        for other in self.stand_ins:
            self._replace_names(module, other, file.path, add=other is stand_in)

    def run_missing(self, exercise: str, module: types.ModuleType) -> None:
        """Fill the module of an earlier exercise that was not handed in."""
        stand_in = self._stand_in_for(exercise)
        if stand_in is not None:
            self._replace_names(module, stand_in, add=True)

    def _stand_in_for(self, dotted: str) -> StandIn | None:
        name = dotted.rsplit(".", 1)[-1]
        return next((stand_in for stand_in in self.stand_ins if stand_in.exercise == name), None)

    def _run_cells(self, file: LearnerFile, module: types.ModuleType) -> None:
        flags = 0
        for label, text in file.cells:
            name = file.cell_name(label)
            try:
                code = self._compiled.get((name, flags)) or compile(text, name, "exec", flags=flags, dont_inherit=True)
                self._compiled[name, flags] = code
                flags |= code.co_flags & _FUTURE_FLAGS
                exec(code, module.__dict__)
            except BaseException as error:
                if not file.is_notebook:
                    raise
                line, what = _line_in(error, name), type(error).__name__
                if type(error).__module__ == "builtins":  # others may say anything, at any length
                    what += f": {getattr(error, 'msg', error)}"[:120]
                self.notes.append(f"{name} failed at line {line} with {what}; the later cells were run.")

    def _replace_names(self, module: types.ModuleType, stand_in: StandIn, path: str = "", *, add: bool) -> None:
        namespace = module.__dict__
        for name in stand_in.names:
            own = namespace.get(name)
            if own is None and not add:
                continue
            always = (path, name) in self.unsearched
            if own is not None and not always:
                home = _home_of(own)
                is_own = path == self._entry and name in self.own_names and home == module.__name__
                if is_own or not home.startswith(PACKAGE):
                    continue
            good = getattr(self._stand_in_module(stand_in), name)
            replacement = good if own is None else adapt_stand_in(own, good, always=always)
            if replacement is not None:
                namespace[name] = replacement

    def _stand_in_module(self, stand_in: StandIn) -> types.ModuleType:
        module = self._stand_in_modules.get(stand_in.exercise)
        if module is None:
            module = types.ModuleType(f"stand_in_{stand_in.exercise}")
            exec(compile(stand_in.text, module.__name__, "exec", dont_inherit=True), module.__dict__)
            self._stand_in_modules[stand_in.exercise] = module
        return module


def _home_of(own: Any) -> str:
    """Return the name of the module in which something was defined, for a ``partial`` what it calls."""
    while isinstance(own, functools.partial):
        own = own.func
    return str(getattr(own, "__module__", ""))


@contextmanager
def torch_state_kept() -> Iterator[None]:
    """Undo what code sets for the whole process, so that one file's settings never reach another's."""
    before = [read() for read, _ in _PROCESS_WIDE]
    argv = sys.argv
    sys.argv = ["exercise"]  # argparse at import must find no arguments of ours
    try:
        yield
    finally:
        sys.argv = argv
        for (read, write), value in zip(_PROCESS_WIDE, before, strict=True):
            if read() != value:  # setting some of these again is slow, or wants to write files
                write(value)


def _default_device() -> torch.device:
    # Asked in full, torch makes a tensor to see where it ends up: 50 µs, twice for each request.
    plain = not torch.overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return _CPU if plain else torch.get_default_device()


_CPU: Final = torch.device("cpu")

_PROCESS_WIDE: Final[list[tuple[Callable[[], Any], Callable[[Any], None]]]] = [
    (torch.get_default_dtype, torch.set_default_dtype),
    (_default_device, torch.set_default_device),
    (torch.is_grad_enabled, torch._C._set_grad_enabled),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    (torch.get_num_threads, torch.set_num_threads),
    (sys.getrecursionlimit, sys.setrecursionlimit),
]


def _raise_for_other_names(module: types.ModuleType, error: BaseException) -> None:
    """Let the promised names of a file that fails come from the stand-in, and any other name repeat the failure."""

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise error

    module.__dict__["__getattr__"] = missing


def _line_in(error: BaseException, cell_name: str) -> int:
    if isinstance(error, SyntaxError) and error.filename == cell_name:
        return error.lineno or 0
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == cell_name:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the submission's modules, before any library of the same name where the name is an exercise's."""

    def __init__(self, modules: LearnerModules) -> None:
        self.modules = modules

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == PACKAGE:
            return importlib.machinery.ModuleSpec(fullname, _Loader(self.modules, None, ""), is_package=True)
        if fullname.startswith(f"{PACKAGE}."):
            return self._canonical(fullname.removeprefix(f"{PACKAGE}."))
        top = fullname.split(".")[0]
        if not self.modules.is_own(top):
            return None
        spec = self._canonical(fullname)
        if spec is None:
            return None
        return importlib.machinery.ModuleSpec(
            fullname, _AliasLoader(spec), is_package=spec.submodule_search_locations is not None
        )

    def _canonical(self, dotted: str) -> importlib.machinery.ModuleSpec | None:
        file = self.modules.find(dotted)
        if file is not None:
            is_package = file.path.endswith("__init__.py")
            name = f"{PACKAGE}.{file.dotted}"
            return importlib.machinery.ModuleSpec(name, _Loader(self.modules, file, dotted), is_package=is_package)
        if self.modules.is_folder(dotted):
            return importlib.machinery.ModuleSpec(
                f"{PACKAGE}.{dotted}", _Loader(self.modules, None, dotted), is_package=True
            )
        if any(stand_in.exercise == dotted for stand_in in self.modules.stand_ins):
            return importlib.machinery.ModuleSpec(f"{PACKAGE}.{dotted}", _Loader(self.modules, None, dotted))
        return None


class _Loader(importlib.abc.Loader):
    def __init__(self, modules: LearnerModules, file: LearnerFile | None, dotted: str) -> None:
        self.modules, self.file, self.dotted = modules, file, dotted

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        if self.file is not None:
            module.__file__ = self.file.path
            self.modules.run(self.file, module)
        else:
            self.modules.run_missing(self.dotted, module)


class _AliasLoader(importlib.abc.Loader):
    """Gives the submission's module under a shorter name."""

    def __init__(self, canonical: importlib.machinery.ModuleSpec) -> None:
        self.canonical = canonical
        self.spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self.canonical.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import system has just written the alias's spec over the module's own, whose parent relative imports need.
        module.__spec__ = self.spec
