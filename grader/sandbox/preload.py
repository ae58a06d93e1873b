"""Import libraries that are slow, or want files that a jailed worker cannot reach, before the jail is entered."""

import contextlib
import importlib
import io
from collections.abc import Iterable
from typing import Final

PRELOADABLE: Final = ("matplotlib.pyplot", "seaborn", "torch.optim")
UNNOTICED: Final = ("matplotlib.pyplot", "torch.optim")
"""Those that change nothing for code that does not name them, so that it may find them imported: seaborn adds colour
maps to matplotlib's own."""


def preload(modules: Iterable[str]) -> None:
    """Import those of `PRELOADABLE` that are asked for and installed."""
    for module in PRELOADABLE:
        if module in modules:
            try:
                importlib.import_module(module)
            except ImportError:  # the learner's own import will say so
                continue
            if module == "matplotlib.pyplot":
                _draw_once()
                _keep_backend()


def _draw_once() -> None:
    """Read fonts and caches, which happens at the first drawing."""
    import matplotlib.pyplot as plt

    plt.imshow([[0, 1]])
    plt.title("warm")
    plt.savefig(io.BytesIO())
    plt.close("all")
    # matplotlib keeps its fonts' files open, and a worker closes them; it forgets them after a fork, and only then.
    from matplotlib import font_manager

    with contextlib.suppress(AttributeError):  # it has no public name
        font_manager._get_font.cache_clear()  # type: ignore[attr-defined]


def _keep_backend() -> None:
    """
    Let code ask for any other backend, and stay with the one that was drawn with.

    Many files name one with windows at their top. Where pyplot is not imported yet that is only noted, and raises
    nothing where there is no display; here pyplot would try it at once.
    """
    import matplotlib.pyplot as plt

    plt.switch_backend = lambda newbackend: None  # noqa: ARG005 - it is called with that name, too
