"""Write a class at a glance as one HTML page that needs nothing else."""

from functools import cache

import jinja2

from grader.model.class_summary import ClassSummary
from grader.report import class_words
from grader.report.class_words import ClassTitles
from grader.report.plots import draw_criteria, draw_distribution
from grader.report.templating import load_template


def render_class_page(summary: ClassSummary, titles: ClassTitles) -> str:
    """
    Return the page that an instructor opens before the next lecture.

    Args:
        summary: The class.
        titles: What exercises, criteria and mistakes are called; what is missing is called by its id.
    """
    shown = any(criterion.discrimination is not None for criterion in summary.criteria)
    return _template().render(
        summary=summary,
        titles=titles,
        distribution=draw_distribution(summary.scores) if summary.scores else "",
        scatter=draw_criteria(summary.criteria) if shown else "",
    )


@cache
def _template() -> jinja2.Template:
    return load_template("class.html.j2", words=class_words)
