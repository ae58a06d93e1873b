"""Turn a stub's docstring into Markdown."""

import re
from collections.abc import Sequence

_CODE = re.compile(r"``(.+?)``", re.DOTALL)


def to_markdown(docstring: str, formulas: Sequence[str] = ()) -> str:
    """
    Return the text of a docstring as Markdown.

    Args:
        docstring: Cleaned of its indentation. A paragraph that ends with ``::`` introduces a block that is shown as it
            stands.
        formulas: TeX, shown before the conventions begin: behind the first paragraph.
    """
    paragraphs: list[str] = []
    lines = docstring.strip().split("\n")
    while lines:
        line = lines.pop(0)
        if not line.strip():
            continue
        paragraph = [line]
        while lines and lines[0].strip():
            paragraph.append(lines.pop(0))
        text = "\n".join(paragraph)
        if not text.endswith("::"):
            paragraphs.append(_CODE.sub(r"`\1`", text))
            continue
        paragraphs.append(_CODE.sub(r"`\1`", text[:-1]))
        block: list[str] = []
        while lines and (not lines[0].strip() or lines[0].startswith(" ")):
            block.append(lines.pop(0))
        paragraphs.append(_fence(block))
    paragraphs[1:1] = [f"$${formula.strip()}$$" for formula in formulas]
    return "\n\n".join(paragraphs)


def _fence(block: Sequence[str]) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    text = "\n".join(line[indent:].rstrip() for line in block).strip("\n")
    return f"```text\n{text}\n```"
