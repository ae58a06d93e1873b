"""Load the templates of pages that need nothing else: no network, no script, and no text that acts as markup."""

import re
from functools import lru_cache
from importlib import resources

import jinja2
from markupsafe import Markup, escape

from grader.report import sentences
from grader.report.harmless import harmless, harmless_line

_CODE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")


def load_template(name: str, **known: object) -> jinja2.Template:
    """
    Return a template of this room.

    Whatever it writes is made harmless and escaped; ``say`` and ``style`` are known to all of them.

    Args:
        name: The file, such as ``report.html.j2``.
        known: What else the template knows; a callable ``filter_NAME`` becomes the filter ``NAME``.
    """
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_make_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(say=sentences, style=Markup(_read("page.css")))
    environment.filters["line"] = prose
    for key, value in known.items():
        if key.startswith("filter_") and callable(value):
            environment.filters[key.removeprefix("filter_")] = value
        else:
            environment.globals[key] = value
    return environment.from_string(_read(name))


@lru_cache(maxsize=5000)  # titles and hints are the same in every report of a course
def prose(text: str) -> Markup:
    """Return one line of prose in which what stands between backticks is set as code."""
    shown = escape(harmless_line(text))
    return Markup(_CODE.sub(r"<code>\1</code>", str(shown))) if "`" in text else shown


def _read(name: str) -> str:
    return resources.files("grader.report").joinpath("templates", name).read_text(encoding="utf-8")


def _make_harmless(value: object) -> object:
    # Markup comes from the template's own macros and filters, whose parts went through here before.
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
