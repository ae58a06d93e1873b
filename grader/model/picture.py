"""A picture of what a learner's code does, ready to be shown."""

from typing import Final, Literal

from grader.model.base import Model

PictureForm = Literal["png", "svg", "page", "terminal"]
"""``page`` is an SVG whose colours are stand-ins for those of the page that it is put into."""

INK: Final = "#010101"
QUIET: Final = "#020202"
LINE: Final = "#030303"
ACCENT: Final = "#040404"
WARN: Final = "#050505"
PAGE_COLOURS: Final = {INK: "--ink", QUIET: "--quiet", LINE: "--line", ACCENT: "--accent", WARN: "--warn"}
"""Colours that no picture uses for itself, and the page's variables that take their place."""


class PictureClaim(Model):
    """What a picture shows, read from its source without running it."""

    name: str
    """The function's name without ``picture_``."""
    title: str
    """The first line of its docstring."""
    about: str = ""
    """The rest of it: what to look for."""


class DrawnPicture(Model):
    """What came of drawing one picture."""

    exercise: str
    claim: PictureClaim
    image: str = ""
    """The text of an SVG, a PNG in base64, or lines for a terminal; empty if there is none."""
    problem: str = ""
    """One line that says why there is none."""
