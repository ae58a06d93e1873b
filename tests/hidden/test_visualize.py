"""Hidden suite: visualize"""

import re
from types import SimpleNamespace

import pytest
import torch

from grader.suite import CheckFailed, expect, expect_close, expect_picture, expect_raises, expect_unchanged

CELLS = ("queries", "keys")
WORDS = ["animal", "because", "cross", "did", "it", "not", "street", "tired", "was", "too"]

# float32 holds a weight to 6e-8, and some forms pass through it: 1e-6 is far more than that, and no visible colour.
ATOL = 1e-6
# A label belongs to a cell if it stands nearer to its middle than to its edge.
NEAR = 0.25


# ---- Inputs ---------------------------------------------------------------------------------------------------------


def draw_weights(draw, *, low=4, high=7):
    """
    Draw one head's weights, and tokens for them: ``(batch, num_heads, seq_len, seq_len)``.

    All samples and heads are the same, so that a mistake in choosing one of them costs nothing where something else is
    asked about. There are more samples than heads, so that the number of a head is also one of a sample.
    """
    size = draw.sizes("num_heads", low=2, high=3)
    size.batch = size.num_heads + draw.integers(1, 3)
    size.seq_len = draw.integers(low + 1, high + 1)
    draw.remember(seq_len=size.seq_len)
    one = (2 * draw.normal(size.seq_len, size.seq_len)).softmax(dim=-1)
    return one.expand(size.batch, size.num_heads, -1, -1).contiguous(), draw_tokens(draw, size.seq_len)


def draw_tokens(draw, count):
    """Draw different words."""
    return [WORDS[index] for index in draw.permutation(len(WORDS))[:count].tolist()]


# ---- Reading a picture ----------------------------------------------------------------------------------------------
# Each check is about one idea, and a mistake in another must not cost it. So most checks first find out how the picture
# lies, turned or mirrored, and ask their question of it as it should lie.


def look(picture, weights):
    """
    Return the picture as it should lie: image (queries, keys), labels of queries and of keys as (text, place).

    Of all ways in which it may lie, the one is taken in which it is most like these weights (seq_q, seq_k).
    """
    picture, image = expect_picture(picture, "The heatmap")
    best = None
    for turned in (False, True):
        upright = image.T if turned else image
        if upright.shape != weights.shape:
            continue
        for flips in ((), (0,), (1,), (0, 1)):
            likeness = correlation(upright.flip(flips), weights)
            if best is None or likeness > best[0] + 1e-9:
                best = likeness, turned, flips, upright.flip(flips)
    if best is None:
        raise CheckFailed("The heatmap has another number of cells than there are weights in a head.")
    _, turned, flips, upright = best
    of_queries, of_keys = (picture.across, picture.down) if turned else (picture.down, picture.across)
    return SimpleNamespace(
        image=upright,
        as_drawn=image,
        lies_right=not turned and not flips,
        of_queries=places(of_queries, weights.shape[0] if 0 in flips else None),
        of_keys=places(of_keys, weights.shape[1] if 1 in flips else None),
    )


def correlation(image, weights):
    """How alike two matrices are, whatever their scale."""
    a, b = (x.double().nan_to_num() - x.double().nan_to_num().mean() for x in (image, weights))
    return float((a * b).sum() / (a.norm() * b.norm()).clamp_min(1e-12))


def places(ticks, mirrored):
    """Return labels as (text, place), in the order of their places, for an axis that may run the other way."""
    found = [(tick.text, tick.at if mirrored is None else mirrored - 1 - tick.at) for tick in ticks]
    return sorted(found, key=lambda label: label[1])


def texts(labels):
    """The words of labels, in their order."""
    return [text for text, _ in labels]


def cell_of(place, count):
    """The number of the cell that a label stands at."""
    return min(max(round(place), 0), count - 1)


def image_of(picture):
    """Return the image of a picture."""
    return expect_picture(picture, "The heatmap")[1]


# ---- One head, cell by cell -----------------------------------------------------------------------------------------


def test_it_draws(learner, draw):
    """The call draws an image that depends on the weights, the same one for the same weights.

    All other checks take for granted that this is a picture of the weights of some kind.
    """
    weights, tokens = draw_weights(draw)
    other = weights.flip(-1).contiguous()

    image = image_of(learner.plot_attention.picture(weights, tokens, 0))
    again = image_of(learner.plot_attention.picture(weights, tokens, 0))
    moved = image_of(learner.plot_attention.picture(other, tokens, 0))

    expect(
        image.shape == weights.shape[2:], "The heatmap has another number of cells than there are weights in a head."
    )
    expect(bool(((moved - image).abs() > 1e-3).any()), "The heatmap does not depend on the weights.")
    expect(
        image.shape == again.shape and bool(torch.allclose(image, again, equal_nan=True)),
        "The heatmap is another one when the same weights are drawn again.",
    )


@pytest.mark.depends_on("it_draws")
def test_the_cells_hold_the_weights(learner, draw, observe):
    """Each cell shows the weight itself, not rounded, rescaled, ranked or blurred.

    So what is drawn for a query sums to one over the keys, as the softmax made it; over the queries nothing does. That
    tells which way to read a heatmap whose axes nobody named.
    """
    weights, tokens = draw_weights(draw)

    picture = learner.plot_attention.picture(weights, tokens, 1)

    seen = look(picture, weights[0, 1])
    rows, columns = seen.image.sum(dim=1), seen.image.sum(dim=0)
    observe(
        "A row is one query, which shares out a weight of one; a column is what one key got from all queries together.",
        sum_of_the_first_row=float(rows[0]),
        sum_of_a_column=float(columns[int((columns - 1).abs().argmax())]),
    )
    expect_close(seen.image, weights[0, 1].double(), "the heatmap", CELLS, atol=ATOL)
    expect(not picture.blurred, "The cells are blurred: their colours run into each other.")


@pytest.mark.depends_on("it_draws")
def test_that_head_of_the_first_sample_is_drawn(learner, draw):
    """What other heads and samples hold does not change the picture; without a number it is that of head 0.

    Heads specialise: an average over them, or the head of a batch mate, shows what no head does.
    """
    alike, tokens = draw_weights(draw)
    other = (2 * draw.normal(*alike.shape)).softmax(dim=-1)
    head = draw.integers(1, alike.shape[1])
    expected = image_of(learner.plot_attention.picture(alike, tokens, head))

    for number, arguments in ((head, (head,)), (0, ())):
        weights = other.clone()
        weights[0, number] = alike[0, number]
        image = image_of(learner.plot_attention.picture(weights, tokens, *arguments))
        expect(
            image.shape == expected.shape and bool(torch.allclose(image, expected, rtol=0, atol=ATOL, equal_nan=True)),
            "The heatmap shows something of other heads, or of other samples of the batch."
            if arguments
            else "Without a number, the heatmap does not show head 0 of the first sample.",
        )


# ---- How it lies ----------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_draws")
def test_queries_run_down_and_keys_across(learner, draw, observe):
    """Row i is query i, the first one on top; column j is key j, the first one on the left.

    So the future lies above the diagonal from the upper left to the lower right, and a causal mask leaves it empty:
    whoever knows where to look sees a leaking mask at once.
    """
    weights, tokens = draw_weights(draw)
    weights = weights.tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)

    seen = look(learner.plot_attention.picture(weights, tokens, 0), weights[0, 0])

    observe(
        "Above the diagonal lies the future: a causal mask leaves it empty.",
        weight_above_the_diagonal=float(seen.as_drawn.triu(1).sum()),
        weight_below_the_diagonal=float(seen.as_drawn.tril(-1).sum()),
    )
    expect(
        seen.lies_right,
        "The heatmap is turned or mirrored: queries should run down from the top, keys across from the left.",
    )


# ---- Tokens ---------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_draws")
def test_each_token_labels_its_row_and_its_column(learner, draw, observe):
    """Token i stands beside row i and token i at column i, in the middle of the cell.

    Then one can read where a pronoun looks: in its row the brightest cell is in the column of its noun. A label in the
    wrong place tells a wrong story about a right head.
    """
    weights, tokens = draw_weights(draw)
    noun, pronoun = draw.permutation(len(tokens))[:2].tolist()
    tokens = [word if word != "animal" else "bird" for word in tokens]
    tokens[noun], tokens[pronoun] = "animal", "it"
    weights[:, :, pronoun] = 0.4 / (len(tokens) - 1)
    weights[:, :, pronoun, noun] = 0.6

    seen = look(learner.plot_attention.picture(weights, tokens, 0), weights[0, 0])

    rows = {text: cell_of(place, len(tokens)) for text, place in seen.of_queries}
    columns = {text: cell_of(place, len(tokens)) for text, place in seen.of_keys}
    if "it" in rows and {"animal", "it"} <= columns.keys():
        row = seen.image[rows["it"]]
        observe(
            "The row of “it” is brightest at “animal”: that is the token which its value mostly comes from.",
            weight_of_animal_for_it=float(row[columns["animal"]]),
            weight_of_it_for_itself=float(row[columns["it"]]),
        )
    for side, labels in (("rows", seen.of_queries), ("columns", seen.of_keys)):
        expect(labels, f"The {side} of the heatmap have no labels.")
        expect(texts(labels) == tokens, f"The labels of the {side} are not the tokens in their order.")
        expect(
            all(abs(at - index) < NEAR for index, (_, at) in enumerate(labels)),
            f"The labels of the {side} do not stand in the middle of their cells.",
        )


@pytest.mark.depends_on("it_draws")
def test_tokens_may_repeat_and_be_in_any_script(learner, draw):
    """Every token is a label as it is: the second “the” too, and words of other scripts.

    Positions are what is labelled, and they are all different even where the words are not.
    """
    weights, _ = draw_weights(draw, low=5)
    tokens = ["the", "猫", "the", "кот", "ねこ", "été", "the"][: weights.shape[-1]]

    seen = look(learner.plot_attention.picture(weights, tokens, 0), weights[0, 0])

    labelled = [texts(labels) for labels in (seen.of_queries, seen.of_keys) if set(texts(labels)) & set(tokens)]
    expect(labelled, "The tokens label nothing.")
    for labels in labelled:
        expect(labels == tokens, "Tokens that occur twice, or in another script, are not all there as they are.")


@pytest.mark.depends_on("it_draws")
def test_two_tokens_are_a_sentence(learner, draw):
    """A list of two strings labels two rows and two columns: it is a short sentence, and no pair of sentences.

    One token is a sentence, too.
    """
    weights, _ = draw_weights(draw)
    weights = weights[..., :2, :2].contiguous()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    tokens = draw_tokens(draw, 2)

    seen = look(learner.plot_attention.picture(weights, tokens, 0), weights[0, 0])

    labels = [text for text in (*texts(seen.of_queries), *texts(seen.of_keys)) if text in tokens]
    expect(labels[:2] == tokens, "A sentence of two tokens does not label its rows and columns.")
    alone = learner.plot_attention.picture(torch.ones_like(weights[..., :1, :1]), tokens[:1], 0)
    expect(alone is not None, "Nothing is drawn of a sentence of one token.")


@pytest.mark.depends_on("it_draws")
def test_a_pair_of_lists_labels_queries_and_keys_apart(learner, draw):
    """In cross-attention queries and keys are two sequences: the first list labels rows, the second one columns."""
    # Five tokens at least: fewer cells get so many ticks that labels without places all find one.
    size = draw.sizes("seq_q", "seq_k", low=5, high=8, batch=4, num_heads=3)

    for seq_k in (size.seq_q, size.seq_k):  # two sentences may be equally long, too
        one = (2 * draw.normal(size.seq_q, seq_k)).softmax(dim=-1)
        weights = one.expand(size.batch, size.num_heads, -1, -1).contiguous()
        of_queries = draw_tokens(draw, size.seq_q)
        of_keys = [f"{word}-" for word in draw_tokens(draw, seq_k)]
        seen = look(learner.plot_attention.picture(weights, (of_queries, of_keys), 0), one)
        expect(
            texts(seen.of_queries) == of_queries and texts(seen.of_keys) == of_keys,
            "For a pair (query_tokens, key_tokens), the rows are not labelled with the first list and the columns with"
            " the second.",
        )


@pytest.mark.depends_on("it_draws")
def test_tokens_that_do_not_fit_are_refused(learner, draw):
    """One token too few or too many raises: nobody could tell which label belongs where."""
    weights, tokens = draw_weights(draw)

    for wrong in (tokens[:-1], [*tokens, "end"]):
        expect_raises(
            lambda wrong=wrong: learner.plot_attention(weights, wrong, 0),
            "Tokens of another number than rows and columns should be refused with an exception.",
        )


# ---- Colours and title ----------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_draws")
def test_an_even_head_looks_even(learner, draw, observe):
    """The colours run from 0 to 1 for every head, so that a head that spreads evenly looks so.

    Colours that stretch from the smallest weight to the largest make noise look like a pattern.
    """
    sharp, tokens = draw_weights(draw)
    even = (0.02 * draw.normal(*sharp.shape)).softmax(dim=-1)

    used = []
    for weights in (sharp, even):
        picture, image = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")
        lowest, highest = picture.colour_limits
        span = max(highest - lowest, 1e-9)
        used.append((float(image.max() - image.min()) / span, lowest, highest))

    observe(
        "A head that spreads its weight evenly uses a small part of the colours; a sharp one uses most of them.",
        share_of_colours_of_a_sharp_head=used[0][0],
        share_of_colours_of_an_even_head=used[1][0],
    )
    expect(
        all(abs(lowest) < ATOL and abs(highest - 1) < ATOL for _, lowest, highest in used),
        "The colours do not run from 0 to 1 for every head.",
    )


@pytest.mark.depends_on("it_draws")
def test_one_colour_bar_tells_the_weights(learner, draw):
    """Beside the heatmap stands one colour bar, with the heatmap's colours; without it a colour is no number."""
    weights, tokens = draw_weights(draw)
    # No weight is near 0 or 1 then, so colours that run from the smallest to the largest are not those from 0 to 1.
    weights = (weights + 1 / weights.shape[-1]) / 2

    picture, _ = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")

    expect(picture.colour_bars == 1, "The heatmap does not have exactly one colour bar.")
    expect(picture.bars_agree, "The colour bar gives weights other colours than the heatmap does.")


@pytest.mark.depends_on("it_draws")
def test_the_title_names_the_head(learner, draw):
    """The title of the axes holds the number of the head, counted from 0 as in the call."""
    weights, tokens = draw_weights(draw)
    head = weights.shape[1] - 1

    picture, _ = expect_picture(learner.plot_attention.picture(weights, tokens, head), "The heatmap")

    expect(picture.title, "The axes of the heatmap have no title.")
    numbers = {int(number) for number in re.findall(r"\d+", picture.title)}
    expect(head in numbers, "The title does not name the head by its number, counted from 0.")


@pytest.mark.depends_on("it_draws")
def test_the_whole_head_is_in_view(learner, draw):
    """The axes show every cell, and none of them by half."""
    weights, tokens = draw_weights(draw)

    picture, image = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")

    rows, columns = image.shape
    left, right, top, bottom = picture.view
    expect(
        left < 0.01 and top < 0.01 and right > columns - 0.01 and bottom > rows - 0.01,
        "Some cells are cut off: the limits of the axes leave out a part of the heatmap.",
    )


# ---- Where it is drawn, and what is left behind ---------------------------------------------------------------------


@pytest.mark.depends_on("it_draws")
def test_given_axes_are_drawn_on_and_nothing_else(learner, draw):
    """With ax, the heatmap is on these axes; their neighbour stays empty, and no further figure is opened.

    That is how several heads come to stand side by side in one figure.
    """
    weights, tokens = draw_weights(draw)

    picture = learner.plot_attention.picture(weights, tokens, 0, axes_at=3)

    is_beside = picture is not None and picture.image is None and picture.disturbs
    expect(not is_beside, "The heatmap is on axes beside the ones that were handed over.")
    picture, _ = expect_picture(picture, "The heatmap")
    expect(picture.place == "given", "The heatmap is not on the axes that were handed over.")
    expect(not picture.disturbs, "Something is drawn on axes beside the ones that were handed over.")
    expect(picture.stray_figures == 0, "A further figure is opened although axes were handed over.")


@pytest.mark.depends_on("given_axes_are_drawn_on_and_nothing_else")
def test_given_axes_get_all_that_new_ones_get(learner, draw):
    """With ax, the heatmap has its labels, title and colour bar as it has them without.

    Whoever puts heads side by side needs them more than anybody.
    """
    weights, tokens = draw_weights(draw)
    # Whether they are right is for other checks: what new axes lack is not asked for here.
    head = weights.shape[1] - 1
    new, given = (learner.plot_attention.picture(weights, tokens, head, **where) for where in ({}, {"axes_at": 3}))

    seen = [look(picture, weights[0, head]) for picture in (new, given)]
    for side, labels in (("rows", [each.of_queries for each in seen]), ("columns", [each.of_keys for each in seen])):
        expect(
            texts(labels[0]) != tokens or texts(labels[1]) == tokens,
            f"On axes that were handed over, the tokens do not label the {side}.",
        )
    names_it = [str(head) in re.findall(r"\d+", picture.title) for picture in (new, given)]
    expect(names_it[1] or not names_it[0], "On axes that were handed over, the title does not name the head.")
    bars = [picture.colour_bars for picture in (new, given)]
    expect(bars[0] != 1 or bars[1] == 1, "On axes that were handed over, the heatmap does not have one colour bar.")


@pytest.mark.depends_on("it_draws")
def test_without_axes_a_new_figure_is_made(learner, draw):
    """Without ax, the heatmap has a figure of its own, and what was open before stays as it was."""
    weights, tokens = draw_weights(draw)

    picture, _ = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")

    expect(picture.place == "new", "The heatmap is drawn into a figure that was open before.")
    expect(not picture.disturbs and picture.stray_figures == 0, "More than one new figure is left behind.")


@pytest.mark.depends_on("it_draws")
def test_the_axes_are_returned(learner, draw):
    """The function returns the Axes of the heatmap, on which the caller can go on."""
    weights, tokens = draw_weights(draw)

    picture, _ = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")

    expect(picture.is_returned, "What is returned is not the Axes of the heatmap.")


@pytest.mark.depends_on("it_draws")
def test_the_figure_is_left_open_and_unshown(learner, draw):
    """The figure is neither shown nor saved nor closed: the caller decides when it is done."""
    weights, tokens = draw_weights(draw)

    picture, _ = expect_picture(learner.plot_attention.picture(weights, tokens, 0), "The heatmap")

    expect(not picture.shown, "The figure is shown: a program would wait here until somebody closes the window.")
    expect(not picture.saved, "The figure is saved: each call writes a file, which nobody asked for.")
    expect(not picture.closed, "The figure is closed before the caller could use it.")


@pytest.mark.depends_on("it_draws")
def test_the_weights_are_left_alone(learner, draw):
    """The call does not change the weights: drawing is only looking."""
    weights, tokens = draw_weights(draw)

    expect_unchanged(learner.plot_attention.observe(weights, tokens, 0), ("attention_weights",))


# ---- Weights as they come from a model ------------------------------------------------------------------------------


def expect_drawn(picture, weights, what):
    """Expect a picture that is like these weights; whether it shows just them is judged elsewhere."""
    seen = look(picture, weights)
    expect(correlation(seen.image, weights) > 0.5, f"The heatmap of {what} does not show them.")


@pytest.mark.depends_on("it_draws")
def test_weights_that_require_a_gradient_are_drawn(learner, draw):
    """Weights of a model in training are part of a graph, which NumPy refuses to read."""
    weights, tokens = draw_weights(draw)

    picture = learner.plot_attention.picture(weights, tokens, 0, in_graph=True)

    expect_drawn(picture, weights[0, 0], "weights that require a gradient")


@pytest.mark.depends_on("it_draws")
def test_weights_of_any_precision_are_drawn(learner, draw):
    """bfloat16, in which models run, is drawn like any other dtype; NumPy does not know it."""
    weights, tokens = draw_weights(draw)

    for dtype in (torch.bfloat16, torch.float64):
        picture = learner.plot_attention.picture(weights.to(dtype), tokens, 0)
        expect_drawn(picture, weights[0, 0], f"{dtype} weights")


@pytest.mark.depends_on("it_draws")
def test_weights_on_an_accelerator_are_drawn(learner, draw):
    """Weights that lie on an accelerator are brought to the CPU, where matplotlib reads."""
    weights, tokens = draw_weights(draw)

    picture = learner.on("pretend").plot_attention.picture(weights, tokens, 0)

    expect_drawn(picture, weights[0, 0], "weights on an accelerator")
