"""What a jail allows, and what became of it on this machine."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Literal

Level = Literal["strong", "basic", "process"]


@dataclass(frozen=True)
class JailSettings:
    """
    What a worker may use. Plain data, so that it can cross into a process that knows nothing else.

    Args:
        readable: Files and folders, with all that is in them, that the worker may read (`readable_paths`).
        hidden: Files and folders that it must not be able to read. Once inside, the jail tries each of them and
            claims isolated files only if all stay closed.
        working_directory: Where the worker finds itself. It cannot write there.
        cpu_s: Processor seconds that it may use from now on.
        memory_mb: Mebibytes that it may add to what it has when it enters.
        file_size_mb: Largest file that it may write where nothing else stops it from writing.
        open_files: Descriptors that it may have open.
        threads: Processes and threads that it may have, where the machine can count them for one worker.
        landlock_abi: Use no newer Landlock than this, to see how the jail does on an older kernel.
        off: Layers to leave out, by name (`LAYERS`), to see what each is for.
    """

    readable: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    working_directory: str = "/"
    cpu_s: int = 60
    memory_mb: int = 2048
    file_size_mb: int = 1
    open_files: int = 64
    threads: int = 32
    landlock_abi: int | None = None
    off: frozenset[str] = frozenset()

    def to_json(self) -> str:
        """Return the settings as a line of JSON."""
        return json.dumps(dataclasses.asdict(self) | {"off": sorted(self.off)})

    @classmethod
    def from_json(cls, text: str) -> "JailSettings":
        """
        Return the settings that `to_json` wrote.

        Raises:
            ValueError: If the text is no JSON.
            TypeError: If it has other fields.
        """
        fields = json.loads(text)
        lists = {name: tuple(fields[name]) for name in ("readable", "hidden")}
        return cls(**fields | lists | {"off": frozenset(fields["off"])})


@dataclass(frozen=True)
class JailReport:
    """
    Which layers hold a worker, in the order in which they were applied.

    Args:
        layers: Those in force, as ``name`` or ``name: detail``.
        missing: Those not in force, as ``name: reason``.
    """

    layers: tuple[str, ...]
    missing: tuple[str, ...]

    def has(self, layer: str) -> bool:
        """Say whether a layer is in force."""
        return any(held.partition(":")[0] == layer for held in self.layers)

    @property
    def level(self) -> Level:
        """
        What this amounts to, in one word.

        ``strong``: other files are out of reach, and so are sockets, programs and other processes. ``basic``: the
        second, but the files that this user may read can be read. ``process``: a separate process and its limits.
        """
        if not self.has("seccomp") or not self.has("limits"):
            return "process"
        return "strong" if self.has("files") else "basic"
