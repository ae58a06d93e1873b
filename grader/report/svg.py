"""Fit a drawing of matplotlib's into a page: in the page's colours, and without what only a file of its own needs."""

import re

from markupsafe import escape

from grader.model.picture import PAGE_COLOURS


def fit_into_page(svg: str, prefix: str, label: str) -> str:
    """
    Return the picture without what only a file of its own needs: its header, its own style, ids that clash.

    Args:
        svg: What matplotlib wrote.
        prefix: What sets the ids of this picture apart from others of the page.
        label: What is read aloud in place of the picture.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<style[^>]*>.*?</style>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    for colour, variable in PAGE_COLOURS.items():
        svg = svg.replace(colour, f"var({variable})")

    def open_picture(found: re.Match[str]) -> str:
        return f'<svg viewBox="{found[1]}" role="img" aria-label="{escape(label)}">'

    return re.sub(r'<svg[^>]*?viewBox="([^"]*)"[^>]*>', open_picture, svg, count=1)
