"""Pictures: complexity"""

from matplotlib.ticker import EngFormatter

from grader.suite import expect
from grader.suite.sketch import double_along_x

LENGTHS = [2**power for power in range(3, 15)]
SHOWN = [8, 64, 512, 4096]
D_MODEL, KERNEL = 512, 3
STYLES = ("o-", "s--", "x:", "+-")


def count(value, what):
    """What came back, if it is a count that can be drawn."""
    expect(isinstance(value, int) and not isinstance(value, bool), f"{what} should return an int.")
    expect(value > 0, f"{what} should return a number above zero.")
    return value


def draw_curves(figure, curves, ylabel, unit=""):
    """Draw a curve for each name, with doublings as equal steps on both axes."""
    axes = figure.subplots()
    for number, (name, curve) in enumerate(curves.items()):
        axes.plot(LENGTHS, curve, STYLES[number], color=f"C{number}", markersize=4, label=name)
    double_along_x(axes, SHOWN)
    axes.set_yscale("log", base=10)
    axes.yaxis.set_major_formatter(EngFormatter(unit))  # 1 k, 1 M, 1 G
    axes.minorticks_off()
    axes.set(xlabel="tokens", ylabel=ylabel)
    axes.grid(visible=True)
    axes.legend()
    return axes


def picture_operations(learner, figure):
    """Operations of a layer by the number of tokens, for 512 features

    Both axes double step by step. Attention is the steepest line, since its cost has the square of the length. It is
    the cheapest one of short texts, and the dearest one of long ones.
    """
    curves = {
        "attention": [learner.attention_operations(n, D_MODEL) for n in LENGTHS],
        "its projections": [learner.projection_operations(n, D_MODEL) for n in LENGTHS],
        "recurrent": [learner.recurrent_operations(n, D_MODEL) for n in LENGTHS],
        "convolution, k = 3": [learner.convolution_operations(n, D_MODEL, KERNEL) for n in LENGTHS],
    }
    counted = {name: [count(value, f"The function for {name}") for value in curve] for name, curve in curves.items()}

    draw_curves(figure, counted, "operations")


def picture_longest_path(learner, figure):
    """Steps between the first token and the last output

    In attention every token is one step away. A recurrent layer takes as many steps as there are tokens, convolutions
    fewer, and with growing gaps few enough to count on one's fingers.
    """
    layers = ("attention", "recurrent", "convolution", "dilated")
    curves = {
        layer: [count(learner.longest_path(layer, n, KERNEL), "longest_path") for n in LENGTHS] for layer in layers
    }

    draw_curves(figure, curves, "longest path")


def picture_memory(learner, figure):
    """What the attention weights of one layer take in memory

    In float32. Twice the text takes four times the memory, and every head has weights of its own.
    """
    curves = {
        f"{heads} heads": [count(learner.attention_memory(n, heads, 4), "attention_memory") for n in LENGTHS]
        for heads in (4, 16)
    }

    draw_curves(figure, curves, "memory", "B")
