"""Draw a class's scores and criteria as SVG that takes its colours from the page around it."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from grader.model.class_summary import CriterionStatistics, ScoreDistribution
from grader.model.picture import ACCENT, INK, LINE, QUIET, WARN
from grader.report.class_words import needs_review
from grader.report.sentences import number
from grader.report.svg import fit_into_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELLED = 8


def draw_distribution(scores: ScoreDistribution) -> Markup:
    """Return a histogram of final scores, with the median marked."""
    from matplotlib.ticker import MaxNLocator

    def draw(axes: "Axes") -> None:
        width = scores.edges[1] - scores.edges[0]
        axes.bar(scores.edges[:-1], scores.bars, width=width * 0.92, align="edge", color=ACCENT, linewidth=0)
        median = scores.quartiles[1]
        axes.axvline(median, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        right = median > scores.edges[-1] * 0.6
        axes.annotate(
            f"median {number(median)}",
            (median, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if right else 5, 3),
            textcoords="offset points",
            ha="right" if right else "left",
            color=INK,
        )
        axes.set_xlim(0, scores.edges[-1])
        axes.set_ylim(0, max(*scores.bars, 1) * 1.04)
        axes.set_xlabel(f"points of {number(scores.max_score)}")
        axes.set_ylabel("students")
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))

    return _render(draw, "scores", "Histogram of final scores", height=2.3)


def draw_criteria(criteria: Sequence[CriterionStatistics]) -> Markup:
    """Return difficulty against discrimination, one point a criterion; those to review are named."""
    shown = [criterion for criterion in criteria if criterion.discrimination is not None]
    review = [criterion for criterion in shown if needs_review(criterion)]
    fine = [criterion for criterion in shown if criterion not in review]

    def draw(axes: "Axes") -> None:
        for group, colour, marker in ((fine, ACCENT, "o"), (review, WARN, "D")):
            axes.scatter(
                [100 * criterion.mean_share for criterion in group],
                [criterion.discrimination or 0.0 for criterion in group],
                s=22,
                color=colour,
                marker=marker,
                alpha=0.75,
                linewidths=0,
            )
        axes.axhline(0, color=QUIET, linewidth=0.8)
        for criterion in sorted(review, key=lambda criterion: criterion.discrimination or 0.0)[:_LABELLED]:
            right = criterion.mean_share > 0.5
            axes.annotate(
                f"{criterion.exercise}.{criterion.criterion}",
                (100 * criterion.mean_share, criterion.discrimination or 0.0),
                xytext=(-6 if right else 6, -3),
                textcoords="offset points",
                ha="right" if right else "left",
                color=INK,
                fontsize=8,
            )
        lowest = min([0.0, *(criterion.discrimination or 0.0 for criterion in shown)])
        axes.set_xlim(-3, 103)
        axes.set_ylim(lowest - 0.08, 1.03)
        axes.set_xlabel("mean share of points, in % (right: easy)")
        axes.set_ylabel("discrimination")
        axes.grid(visible=True, color=LINE, linewidth=0.6)
        axes.set_axisbelow(True)

    return _render(draw, "criteria", "Difficulty and discrimination of each criterion", height=3.0)


def _render(draw: Callable[["Axes"], None], prefix: str, label: str, height: float) -> Markup:
    # Drawn without pyplot, which would keep the figure and look for a window.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: dict[str, object] = {
        "svg.fonttype": "none",
        "svg.hashsalt": prefix,
        "font.size": 9,
        "font.family": "sans-serif",
        "text.color": INK,
        "axes.edgecolor": QUIET,
        "axes.labelcolor": QUIET,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
    }
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=(5.6, height), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Markup(fit_into_page(file.getvalue(), prefix, label))
