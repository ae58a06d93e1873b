"""Hidden suite: positional"""

import math
from itertools import pairwise

import pytest
import torch

from grader.sandbox.remote import RemoteModule
from grader.suite import (
    expect,
    expect_close,
    expect_equal,
    expect_gradient,
    expect_raises,
    expect_tensor,
    expect_unchanged,
)

TABLE = ("position", "column")
TOKENS = ("batch", "seq_len", "d_model")

# The table and the module are judged apart: the module is compared with the learner's own table, so that a mistake in
# the formula costs nothing there. And the table is read with everything forgiven that another check judges (shape,
# dtype, first position, order of the columns), so that one mistake costs one criterion.
#
# float32 tables: the angle is rounded to a few parts in 10^7 of itself, so that the error grows with the position.
# Over the forms exp(-log), 1 / pow, 10000 **, complex, sin(x + π/2) and a double computation that is cast, it was at
# most 7e-6 up to position 128, 2e-4 up to position 2000 and 4e-4 up to position 5000. Half precision is off by 2e-4
# from the first rows on.
EARLY = 5e-5
LATE = 2e-3


def formula(max_len, d_model, first=0):
    """The table in double precision, for the positions from ``first`` on and an even d_model."""
    position = torch.arange(first, first + max_len, dtype=torch.float64).unsqueeze(1)
    angle = position / 10000.0 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def layouts(table):
    """The same columns in the orders that people write: interleaved or as halves, sine or cosine first."""
    sine, cosine = table[:, 0::2], table[:, 1::2]
    return (
        table,
        torch.stack([cosine, sine], dim=-1).flatten(1),
        torch.cat([sine, cosine], dim=1),
        torch.cat([cosine, sine], dim=1),
    )


def nearest_form(table, d_model):
    """The right table in the column order, and counted from the first position, that come nearest to this one."""
    forms = [form for first in (0, 1) for form in layouts(formula(len(table), d_model, first))]
    return min(forms, key=lambda form: float((table - form).abs().nan_to_num(nan=math.inf).max()))


def are_waves(table, early=None):
    """Whether each column is a sine wave, 1 high at most, of any frequency and phase: x[p - 1] + x[p + 1] is the same
    multiple of x[p].

    The multiple is fitted to the rows before ``early``. The tolerance of 0.05 is a hundred times the rounding of half
    precision; random columns miss it by about 1.
    """
    fitted = table[:early]
    bounded = bool((table.abs() < 1.01).all())
    multiple = ((fitted[:-2] + fitted[2:]) * fitted[1:-1]).sum(0) / (fitted[1:-1] ** 2).sum(0).clamp(min=1e-30)
    return bounded and bool(((table[:-2] + table[2:] - multiple * table[1:-1]).abs() < 0.05).all())


def read_table(learner, max_len, d_model):
    """The learner's table (max_len, d_model) in double precision, refused if it is no table of positions at all.

    No constant, no zeros and no random tensor gets through: the rows have to differ, and the columns must be waves,
    or at least start with a column that depends neither on max_len nor on d_model.
    """
    table = read_rows(learner, max_len, d_model)
    varied = bool((table - table[:1]).abs().max() > 0.1)
    expect(varied, "sinusoidal_encoding gives (nearly) the same row for every position.")
    if not are_waves(table):
        first_column = read_rows(learner, max_len + 3, d_model + 4)[:max_len, 0]
        expect(
            torch.equal(first_column, table[:, 0]),
            "The columns of sinusoidal_encoding are no waves: sines and cosines of an angle that grows steadily.",
        )
    return table


def read_rows(learner, max_len, d_model):
    """What sinusoidal_encoding returned; swapped arguments and a leading axis are judged elsewhere."""
    what = "sinusoidal_encoding(max_len, d_model)"
    got = expect_tensor(learner.sinusoidal_encoding(max_len, d_model), what)
    if tuple(got.shape) == (d_model, max_len):
        got = expect_tensor(learner.sinusoidal_encoding(d_model, max_len), what)
    if tuple(got.shape) == (1, max_len, d_model):
        got = got[0]
    return expect_tensor(got, what, (max_len, d_model), TABLE).to(torch.float64)


def find_pairs(table):
    """The columns (first, second) of each pair: neighbours, or half a row apart if only those lie on circles."""
    neighbours = table[:, 0::2], table[:, 1::2]
    halves = table[:, : table.shape[1] // 2], table[:, table.shape[1] // 2 :]
    on_circles = [bool(((a**2 + b**2 - 1).abs() < 0.05).all()) for a, b in (neighbours, halves)]
    return halves if on_circles == [False, True] else neighbours


def draw_table_sizes(draw):
    """An even d_model, and always fewer columns than rows."""
    size = draw.sizes("max_len", low=20, high=40, d_model=2 * draw.integers(4, 8))
    return size.max_len, size.d_model


def test_table_has_a_row_for_each_position(learner, draw):
    """sinusoidal_encoding(max_len, d_model) is (max_len, d_model), with more rows than columns and with fewer.

    The table does not know of batches: the axis for them is added by whoever needs it.
    """
    max_len, d_model = draw_table_sizes(draw)
    read_table(learner, max_len, d_model)

    for rows, columns in ((max_len, d_model), (5, d_model)):
        got = learner.sinusoidal_encoding(rows, columns)
        expect_tensor(got, "sinusoidal_encoding(max_len, d_model)", (rows, columns), TABLE)


def test_counting_begins_at_position_zero(learner, draw):
    """Row 0 is the encoding of position 0, where each sine is 0 and each cosine is 1.

    Counted from 1, every row is the encoding of the position after it.
    """
    max_len, d_model = draw_table_sizes(draw)
    table = read_table(learner, max_len, d_model)

    # Exact but for the form sin(x + π/2), which is off by one rounding.
    expected = table[0].round().abs().clamp(max=1)
    hint = "At position 0 each angle is 0, so there are only zeros (sines) and ones (cosines)."
    expect_close(table[0], expected, "row 0 of the table", ("column",), atol=1e-6, hint=hint)


def test_sine_comes_first(learner, draw):
    """Of each pair of columns the first is the sine and the second the cosine.

    From one position to the next a hand turns from the cosine's axis towards the sine's; exchanged, it turns the
    other way.
    """
    max_len, d_model = draw_table_sizes(draw)
    table = read_table(learner, max_len, d_model)

    first, second = find_pairs(table)
    turn = first[1] * second[0] - second[1] * first[0]  # (pair,): sine of the angle from row 0 to row 1

    turning = turn[turn.abs() > 1e-6]
    expect(len(turning) > 0, "The pairs of columns do not turn between positions 0 and 1.")
    expect(bool(turning[0] > 0), "The cosine stands before the sine: columns 0, 2, 4 … are the sines.")


def test_neighbouring_columns_are_a_pair(learner, draw):
    """Columns 2i and 2i + 1 are sine and cosine of one and the same angle: their squares add up to 1 in every row.

    With two different angles, or with all sines before all cosines, the neighbours are no hand of a clock.
    """
    max_len, d_model = draw_table_sizes(draw)
    table = read_table(learner, max_len, d_model)

    squares = table[:, 0::2] ** 2 + table[:, 1::2] ** 2

    # Up to 2e-3 comes from a table rounded to half, which is judged elsewhere.
    expect_close(
        squares,
        torch.ones_like(squares),
        "column 2i squared plus column 2i + 1 squared",
        ("position", "pair"),
        atol=1e-2,
    )


def test_first_step_is_that_of_the_worked_example(learner):
    """With d_model = 4 the angles at position 1 are 1 and 0.01, as in the worked example.

    A small case that can be followed by hand. The order of the columns and the first position have checks of their
    own; here the right table is taken in the learner's own order, so that what differs is the angle.
    """
    table = read_rows(learner, 2, 4)

    expect_close(table, nearest_form(table, 4), "sinusoidal_encoding(2, 4)", TABLE, atol=EARLY)


def test_table_follows_the_formula(learner, draw):
    """Each pair of columns turns with the angle position / 10000^(2i / d_model).

    So the exponents are evenly spaced from 0 to just below 1, and all of them are compared.
    """
    max_len, d_model = draw_table_sizes(draw)
    table = read_table(learner, max_len, d_model)

    expect_close(table, nearest_form(table, d_model), "sinusoidal_encoding(max_len, d_model)", TABLE, atol=EARLY)


def test_late_positions_follow_the_formula(learner, draw):
    """Positions 1500 to 2000 have their right angles too.

    Far out a small error of the frequency has grown: it shows that the base is exactly 10000.
    """
    max_len, d_model = 2000 + draw.integers(0, 40), 2 * draw.integers(4, 8)
    draw.remember(max_len=max_len, d_model=d_model)
    table = read_table(learner, max_len, d_model)

    expected = nearest_form(table, d_model)

    expect_close(table[1500:], expected[1500:], "the rows from position 1500 on", TABLE, atol=LATE)


def test_wavelengths_reach_from_two_pi_to_ten_thousand_two_pi(learner, draw, observe):
    """The fastest pair repeats after 2π positions, the slowest after 10000^((d_model - 2) / d_model) · 2π.

    Fast pairs tell neighbours apart and repeat soon; the slow ones do not repeat within any text and tell far
    positions apart. 10000 · 2π is where the slowest gets to as d_model grows.
    """
    max_len, d_model = draw_table_sizes(draw)
    table = read_table(learner, max_len, d_model)

    first, second = find_pairs(table)
    angle = torch.atan2(first, second)
    turn = torch.remainder(angle.diff(dim=0) + math.pi, 2 * math.pi) - math.pi  # back into -π … π
    speed = turn.mean(dim=0).abs()
    wavelength = 2 * math.pi / speed.clamp(min=1e-12)

    expected = 2 * math.pi * 10000.0 ** (1 - 2 / d_model)
    observe(
        "A pair of columns repeats after its wavelength: the fastest after 2π positions, the slowest after nearly "
        "10000 · 2π where d_model is large.",
        fastest=float(wavelength.min()),
        slowest=float(wavelength.max()),
        slowest_by_the_formula=expected,
    )
    # The slowest hand turns by more than 0.005 in all, and float32 has errors of 1e-7: 1 in 10000 is right in any
    # form.
    expect(
        math.isclose(float(wavelength.min()), 2 * math.pi, rel_tol=1e-3),
        "The fastest pair has a wavelength other than 2π.",
    )
    expect(
        math.isclose(float(wavelength.max()), expected, rel_tol=1e-3),
        "The slowest pair has another wavelength than 10000^((d_model - 2) / d_model) · 2π.",
    )


def test_odd_d_model_ends_with_a_sine(learner, draw):
    """With an odd d_model the last column is a sine, and its cosine is left out.

    The assignment to columns 1, 3, 5 … then has one column fewer than the sines.
    """
    max_len, d_model = 25 + draw.integers(0, 9), 2 * draw.integers(3, 6) + 1
    draw.remember(max_len=max_len, d_model=d_model)
    table = read_table(learner, max_len, d_model)

    # At position 0 a sine is 0 and a cosine 1. Columns 0 and 1 are left out, as they are far from there already at
    # position 1 for somebody who counts from 1; the orders of columns that are judged elsewhere are granted.
    kinds = table[0, 2:].round()
    sines = torch.zeros(1, d_model + 1)
    sines[:, 1::2] = 1
    interleaved, exchanged, _, _ = (form[0, :d_model] for form in layouts(sines))
    sines_first = (torch.arange(d_model) > d_model // 2).float()
    orders = (interleaved, exchanged, sines_first, 1 - sines_first.flip(0))
    granted = any(torch.equal(kinds, order[2:].to(kinds.dtype)) for order in orders)
    expect(granted, "With an odd d_model there must be one sine more than cosines, and the last column is a sine.")
    expect(
        bool(table[:, -1].max() > table[:, -1].min()),
        "With an odd d_model the last column does not change with the position.",
    )


def test_module_takes_an_odd_d_model(learner, draw):
    """PositionalEncoding works with an odd d_model as well."""
    expect_works(
        learner, draw, draw.sizes("batch", "seq_len", low=2, high=7, d_model=2 * draw.integers(4, 7) + 1, max_len=17)
    )


def test_late_rows_differ_from_their_neighbours(learner, draw):
    """Beyond position 2048 each row still turns on by one step.

    Half precision has no whole numbers between 2048 and 2050: positions kept in it give neighbours the same row,
    while the first thousands look right. The step is fitted to the first rows, so a wrong frequency costs nothing
    here.
    """
    max_len = 2600 + draw.integers(0, 40)
    draw.remember(max_len=max_len, d_model=4)
    table = read_rows(learner, max_len, 4)

    step = (table[1:] - table[:-1]).abs().amax(dim=1)
    expect(bool((step > 1e-5).all()), "Two neighbouring late positions have the same row.")
    expect(are_waves(table, early=100), "Late rows do not go on as the first ones began.")


def test_table_is_float32(learner, draw):
    """The table is float32, whatever it was computed in.

    A float64 table, which is what NumPy gives, makes everything that it is added to float64.
    """
    max_len, d_model = draw_table_sizes(draw)
    read_table(learner, max_len, d_model)

    expect_tensor(learner.sinusoidal_encoding(max_len, d_model), "sinusoidal_encoding", dtype=torch.float32)


# The module. Its checks are about what it does with its table, whatever that holds, and leave the dropout out
# (probability 0, evaluation mode) except where they are about it.


def make_module(learner, d_model, max_len, dropout=0.0):
    """The learner's module in evaluation mode."""
    return expect_module(learner.PositionalEncoding(d_model, max_len, dropout)).eval()


def expect_module(got):
    """Expect that the class gave a module, and return it."""
    expect(isinstance(got, RemoteModule), "PositionalEncoding(d_model, max_len, dropout) should be an nn.Module.")
    return got


def module_output(module, x):
    """What the module gives for x; a table without x, which is judged elsewhere, is taken as one for each sequence."""
    got = expect_tensor(module(x), "the output")
    return got.expand(x.shape) if tuple(got.shape) == (1, *x.shape[1:]) else got


def plain_output(learner, x, max_len):
    """What a fresh module of the learner gives for x without dropout."""
    return module_output(make_module(learner, x.shape[-1], max_len), x)


def expect_works(learner, draw, size):
    """Refuse a module that does nothing: a constant, a copy of x and random numbers get no further.

    Each sequence of the output must depend on its own x without being x, and must do so evenly (out(x + v) + out(x -
    v) = 2 · out(x)), as adding and also multiplying do; or else it must at least be a table of waves.
    """
    x, v = draw_tokens(draw, size), draw_tokens(draw, size)
    v[0] = 0
    at_x, above, below = (plain_output(learner, tokens, size.max_len).double() for tokens in (x, x + v, x - v))
    expect_tensor(at_x, "the output", x.shape, TOKENS)
    expect(at_x.shape == above.shape == below.shape, "The shape of the output depends on the values of x.")
    moved = (above - at_x).abs().amax(dim=(1, 2)) > 1e-3
    only_its_own = moved.tolist() == [sample > 0 for sample in range(size.batch)]
    follows = bool(((above + below - 2 * at_x).abs() < 1e-3).all()) and only_its_own
    table_alone = are_waves(at_x[0]) and bool((at_x[0] - at_x[0, :1]).abs().max() > 0.1)
    expect(
        (follows and bool((at_x - x).abs().max() > 1e-3)) or table_alone,
        "The output is not x with something added that depends on the position.",
    )


def draw_token_sizes(draw):
    """Pairwise different sizes with an even d_model."""
    return draw.sizes(
        "batch", "seq_len", low=3, high=9, d_model=2 * draw.integers(5, 8), max_len=17 + draw.integers(0, 9)
    )


def draw_tokens(draw, size):
    """Embeddings (batch, seq_len, d_model)."""
    return draw.normal(size.batch, size.seq_len, size.d_model)


def test_positions_make_a_difference(learner, draw):
    """The output follows x and is not x.

    A module that answers with a constant, with x itself or with random numbers adds no positions. All other checks of
    the module take for granted that it does something of the kind.
    """
    expect_works(learner, draw, draw_token_sizes(draw))


def test_rows_are_added_to_x(learner, draw):
    """The output is x plus rows of the table.

    Neither multiplied by it, nor the table alone, nor x scaled first: the embedding stays as it is, and what is added
    is read off by subtracting it. Which row goes where is the next check's question.
    """
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)

    got = plain_output(learner, x, size.max_len)

    table = read_table(learner, size.max_len, size.d_model)
    expect_tensor(got, "the output", x.shape, TOKENS)
    added = got.double() - x.double()
    distance = (added.unsqueeze(2) - table).abs().amax(dim=-1)  # (batch, seq_len, max_len)
    nearest = table[distance.argmin(dim=-1)]
    # x + row rounds once, to 3e-7 for numbers up to 8; a table computed twice in two forms differs by EARLY.
    expect_close(added, nearest, "what is added to x", TOKENS, atol=EARLY)


def test_token_t_gets_row_t(learner, draw):
    """Token t of every sequence gets row t, for each length of sequence.

    The first axis is the batch, so a module that counts along it gives all tokens of one sequence the same row. Every
    token of x is the same here, so that only the position can make a difference.
    """
    size = draw_token_sizes(draw)
    table = read_table(learner, size.max_len, size.d_model)

    for seq_len in (size.seq_len, size.seq_len + 5):
        x = torch.ones(size.batch, seq_len, size.d_model)
        got = plain_output(learner, x, size.max_len)

        expect_tensor(got, "the output", x.shape, TOKENS)
        moved = got.double() - got[:, :1].double()
        expected = (table[:seq_len] - table[:1]).expand(size.batch, -1, -1)
        what = "the output at token t minus that at token 0, all tokens being alike"
        expect_close(moved, expected, what, TOKENS, atol=EARLY)


def test_longest_sequence_uses_every_row(learner, draw):
    """A sequence of exactly max_len tokens is taken, and its last token gets the last row."""
    size = draw_token_sizes(draw)
    table = read_table(learner, size.max_len, size.d_model)
    x = torch.ones(size.batch, size.max_len, size.d_model)

    got = plain_output(learner, x, size.max_len)

    expect_tensor(got, "the output", x.shape, TOKENS)
    moved = got.double() - got[:, :1].double()
    expected = (table - table[:1]).expand(size.batch, -1, -1)
    expect_close(
        moved, expected, "the output at token t minus that at token 0, all tokens being alike", TOKENS, atol=EARLY
    )


@pytest.mark.depends_on("positions_make_a_difference")
def test_float32_stays_float32(learner, draw):
    """float32 tokens give float32 tokens.

    A float64 table makes the sum float64: twice the memory, and an error in the next layer.
    """
    size = draw_token_sizes(draw)

    got = plain_output(learner, draw_tokens(draw, size), size.max_len)

    expect_tensor(got, "the output", dtype=torch.float32)


def read_pe(module):
    """The buffer that the stub promises, in double precision."""
    buffers = module.buffers()
    expect("pe" in buffers, "PositionalEncoding has no buffer named pe: register_buffer keeps it with the module.")
    return buffers["pe"].to(torch.float64)


def test_pe_is_a_buffer_that_holds_the_table(learner, draw):
    """The module has a buffer pe (1, max_len, d_model) that holds the table.

    Only a buffer goes along with ``.to(...)`` without being trained. The axis of size 1 is for the batch.
    """
    size = draw_token_sizes(draw)

    pe = read_pe(make_module(learner, size.d_model, size.max_len))

    table = read_table(learner, size.max_len, size.d_model)
    expect_close(pe, table.unsqueeze(0), "pe", ("1", *TABLE), atol=EARLY)


@pytest.mark.depends_on("positions_make_a_difference")
def test_table_is_not_trained(learner, draw):
    """Nothing in the module requires a gradient.

    A parameter would drift during training, and sines would not stay sines.
    """
    size = draw_token_sizes(draw)
    module = make_module(learner, size.d_model, size.max_len)

    trained = sorted(module.trainable())

    expect(not trained, "PositionalEncoding has parameters that training would change; the table is to be a buffer.")
    read_pe(module)


def test_default_length_is_5000(learner, draw):
    """Without max_len the table has 5000 rows."""
    rows, d_model = 20 + draw.integers(0, 20), 4
    table = read_table(learner, rows, d_model)

    pe = read_pe(expect_module(learner.PositionalEncoding(d_model)))

    expect_tensor(pe, "pe of PositionalEncoding(d_model)", (1, 5000, d_model), ("1", *TABLE))
    expect_close(pe[0, :rows], table, "the first rows of pe", TABLE, atol=EARLY)


@pytest.mark.depends_on("positions_make_a_difference")
def test_gradient_passes_to_x(learner, draw):
    """The gradient of the output with respect to x says how the output moves when x moves.

    For x plus a table it is the gradient that comes in, unchanged. It is compared with what a step along v does,
    number by number, so that multiplying instead of adding is not counted twice; detached, the layer below stops
    learning.
    """
    size = draw_token_sizes(draw)
    x, v, direction = draw_tokens(draw, size), draw_tokens(draw, size), draw_tokens(draw, size)

    found = make_module(learner, size.d_model, size.max_len).gradients(x, along=direction)

    before = plain_output(learner, x, size.max_len).double()
    after = plain_output(learner, x + v, size.max_len).double()
    gradient = expect_tensor(expect_gradient(found.arguments[0], "x"), "the gradient of x", x.shape, TOKENS)
    expect(before.shape == after.shape == x.shape, "The output does not always have the shape of x.")
    # Each number of the output depends on one number of x, in a straight line. Numbers up to about 5 · 5, rounded in
    # float32.
    expect_close(
        gradient.double() * v, direction * (after - before), "the gradient of x times a step", TOKENS, atol=1e-4
    )
    expect(bool((gradient != 0).any()), "The gradient of x is zero everywhere.")


@pytest.mark.depends_on("positions_make_a_difference")
def test_too_long_a_sequence_is_refused(learner, draw):
    """A sequence of more than max_len tokens raises.

    Cut or started again from position 0 in silence, the module would give tokens a wrong position or lose them.
    """
    size = draw_token_sizes(draw)
    max_len = draw.integers(3, 7)
    draw.remember(max_len=max_len)

    for seq_len in (max_len + 1, 2 * max_len):
        # As many sequences as tokens and more: counted along the wrong axis, which is judged elsewhere, they do not
        # fit either.
        x = draw.normal(2 * max_len + 1, seq_len, size.d_model)
        module = make_module(learner, size.d_model, max_len)
        expect_raises(
            lambda module=module, x=x: module(x),
            "PositionalEncoding accepted a sequence longer than max_len without an error.",
        )
    # Refusing every sequence would be no merit.
    fits = draw.normal(2, max_len - 1, size.d_model)
    expect_tensor(plain_output(learner, fits, max_len), "the output", fits.shape, TOKENS)


@pytest.mark.depends_on("positions_make_a_difference")
def test_batch_of_one_keeps_its_axis(learner, draw):
    """One sequence alone gives what it gives as the first of a batch, and keeps its axis."""
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)

    alone = plain_output(learner, x[:1], size.max_len)

    in_batch = plain_output(learner, x, size.max_len)
    # Exact, but for forms that reduce or fuse differently for other shapes.
    expect_close(alone, in_batch[:1], "the output for a batch of one", TOKENS, atol=1e-5)


@pytest.mark.depends_on("positions_make_a_difference")
def test_sequence_of_one_keeps_its_axis(learner, draw):
    """A sequence of a single token keeps its axis: this is how text is generated, one token at a time."""
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)[:, :1]

    got = plain_output(learner, x, size.max_len)

    expect_tensor(got, "the output for a sequence of one", x.shape, TOKENS)


@pytest.mark.depends_on("positions_make_a_difference")
def test_any_memory_layout_is_read(learner, draw):
    """A transposed x gives what its contiguous copy gives.

    Where the numbers lie in memory is nobody's business: x may come from a transpose or a slice.
    """
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)
    sequence_first = x.transpose(0, 1).contiguous().transpose(0, 1)
    features_first = x.transpose(1, 2).contiguous().transpose(1, 2)

    transposed = plain_output(learner, sequence_first, size.max_len)
    strided = plain_output(learner, features_first, size.max_len)

    expected = plain_output(learner, x, size.max_len)
    expect_close(transposed, expected, "the output for a transposed x", TOKENS)
    expect_close(strided, expected, "the output for a strided x", TOKENS)


@pytest.mark.depends_on("positions_make_a_difference")
def test_input_is_left_alone(learner, draw):
    """The module does not change the tensor that it is given.

    ``x += …`` writes into the caller's embeddings; where they are a parameter it raises, and elsewhere it changes
    them for others.
    """
    size = draw_token_sizes(draw)

    observed = make_module(learner, size.d_model, size.max_len).observe(draw_tokens(draw, size))

    expect_unchanged(observed, ("x",))


@pytest.mark.depends_on("positions_make_a_difference")
def test_calls_do_not_disturb_each_other(learner, draw):
    """The same x gives the same answer after other calls, and a longer sequence may follow a shorter one.

    Nothing of a call may stay in the module: no position reached so far, no table cut to the last length.
    """
    size = draw_token_sizes(draw)
    short = draw_tokens(draw, size)
    long = draw.normal(size.batch, size.seq_len + 4, size.d_model)
    module = make_module(learner, size.d_model, size.max_len)

    first, then, again = (module_output(module, x) for x in (short, long, short))

    of_a_fresh_module = plain_output(learner, long, size.max_len)
    expect_equal(then, of_a_fresh_module, "the output for a longer sequence after a shorter one", TOKENS)
    expect_equal(again, first, "the output for the first sequence, asked for again", TOKENS)


@pytest.mark.depends_on("positions_make_a_difference")
def test_nothing_is_dropped_in_evaluation(learner, draw):
    """In evaluation mode the output is that of a module without dropout, whatever the probability.

    Dropout that goes on makes predictions random and worse.
    """
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)

    outputs = [module_output(make_module(learner, size.d_model, size.max_len, dropout), x) for dropout in (0.4, 0.8)]

    without_dropout = plain_output(learner, x, size.max_len)
    for got in outputs:
        # Two ways to write "nothing is dropped" differ by a rounding at most.
        expect_close(got, without_dropout, "the output in evaluation mode", TOKENS, atol=1e-6)


def draw_many_tokens(draw):
    """12 000 numbers, enough to measure a probability: (3, 50, 80)."""
    draw.remember(d_model=80, max_len=60)
    return draw.normal(3, 50, 80)


# The share of zeros among n = 9 000 independent numbers or more misses the probability by 0.04 with a probability of
# at most 2 · exp(-2 · n · 0.04²) = 6e-13 (Hoeffding).
SHARE = 0.04


def test_training_drops_numbers_of_the_sum(learner, draw):
    """In training mode each number of the sum is 0 with the given probability, and else divided by (1 - dropout).

    So the mean stays what it is in evaluation mode. Dropped from the table or from x alone, the other would still
    shine through.
    """
    x = draw_many_tokens(draw)
    dropout = draw.integers(25, 36) / 100
    draw.remember(dropout=dropout)
    module = expect_module(learner.PositionalEncoding(80, 60, dropout))

    got = expect_tensor(module_output(module.train(), x), "the output", x.shape, TOKENS).double()

    whole = expect_tensor(plain_output(learner, x, 60), "the output", x.shape, TOKENS).double()
    seen = whole.abs() > 0.02  # a number that is 0 anyway cannot be seen to be dropped
    expect(int(seen.sum()) > 9_000, "Without dropout most of the output is zero already.")
    zero = got == 0
    share = float(zero[seen].double().mean())
    expect(share > 0, "In training mode nothing is dropped: no number of the output is 0.")
    kept = seen & ~zero
    # One division by (1 - dropout), or one multiplication by its inverse: a few roundings of float32.
    expect_close(
        torch.where(kept, got, 0.0),
        torch.where(kept, whole / (1 - dropout), 0.0),
        "the numbers that stay in training mode",
        TOKENS,
        atol=1e-5,
        rtol=1e-5,
        hint="They are those of the sum, divided by (1 - dropout).",
    )
    expect(abs(share - dropout) < SHARE, "In training mode another share of the numbers is dropped than asked for.")
    # A token of 80 numbers is dropped as a whole with a probability below 0.36^80 = 3e-36.
    expect(not bool(zero.all(dim=-1).any()), "Whole tokens are dropped; dropout takes each number by itself.")
    # Thousands of independent numbers fall alike with a probability of 0.64^1000 at most.
    for axis, along in enumerate(("sentences", "positions", "features")):
        first_zero, first_seen = zero.narrow(axis, 0, 1), seen.narrow(axis, 0, 1)
        alike = (zero == first_zero)[seen & first_seen].all()
        expect(not alike, f"The same numbers are dropped in all {along}; dropout takes each number by itself.")
    again = expect_tensor(module_output(module, x), "the output", x.shape, TOKENS)
    alike = (zero == (again == 0))[seen].all()
    expect(not alike, "The same numbers are dropped in every call; dropout takes others each time.")


def test_dropout_is_a_tenth_unless_asked_otherwise(learner, draw):
    """Without an argument the probability is 0.1."""
    x = draw_many_tokens(draw)

    module = expect_module(learner.PositionalEncoding(80, 60))
    got = expect_tensor(module_output(module.train(), x), "the output", x.shape, TOKENS)

    # 12 000 numbers, so the bound of SHARE holds. A table that multiplies x adds zeros of its own at position 0: half
    # a row of 50.
    share = float((got == 0).double().mean())
    expect(abs(share - 0.1) < SHARE, "Without an argument another share of the numbers is dropped than 0.1.")


def test_dropout_comes_back_after_evaluation(learner, draw):
    """A module that was in evaluation mode drops again when it is back in training mode.

    Training goes on after each validation; switched off for good, dropout would only have worked until the first one.
    """
    x = draw_many_tokens(draw)
    module = make_module(learner, 80, 60, 0.3)
    module_output(module, x)

    got = expect_tensor(module_output(module.train(), x), "the output", x.shape, TOKENS)

    share = float((got == 0).double().mean())
    expect(abs(share - 0.3) < SHARE, "Back in training mode another share of the numbers is dropped than asked for.")


@pytest.mark.depends_on("positions_make_a_difference")
def test_runs_on_another_device(learner, draw):
    """Moved to another device, the module gives the same numbers there.

    This runs on a pretend device, so it needs no GPU: a table that stays on the CPU raises just as it would there.
    """
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)

    observed = make_module(learner, size.d_model, size.max_len).on("pretend").observe(x)

    on_cpu = plain_output(learner, x, size.max_len)
    got = expect_tensor(observed.value, "the output")
    # The pretend device computes on the CPU: the same operations give the same numbers.
    expect_close(
        got.expand(x.shape) if got.shape[:1] == (1,) else got, on_cpu, "the output on another device", TOKENS, atol=1e-6
    )
    expect(set(observed.devices) == {"pretend"}, "The output is not on the device of x.")


@pytest.mark.depends_on("positions_make_a_difference")
def test_keeps_the_dtype_that_it_is_moved_to(learner, draw):
    """Moved to half, bfloat16 or float64, the module answers in that dtype.

    What ``.to(...)`` does not reach, such as a plain attribute, stays float32 and turns half tokens into float32
    ones.
    """
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)

    dtypes = (torch.float16, torch.bfloat16, torch.float64)
    outputs = [
        module_output(make_module(learner, size.d_model, size.max_len).to(dtype), x.to(dtype)) for dtype in dtypes
    ]

    expected = plain_output(learner, x, size.max_len).float()
    # x, the table and the sum are rounded once each, by 1 in 2048 of a number in half and 1 in 256 in bfloat16.
    for got, dtype, tolerance in zip(outputs, dtypes, (1e-2, 6e-2, 1e-5), strict=True):
        expect_tensor(got, "the output", dtype=dtype)
        what = f"the output in {str(dtype).removeprefix('torch.')}"
        expect_close(got.float(), expected, what, TOKENS, atol=tolerance, rtol=tolerance)


@pytest.mark.depends_on("positions_make_a_difference")
@pytest.mark.accelerator
def test_a_real_accelerator_gives_the_same_numbers(learner, draw):
    """The accelerator of this machine gives the numbers that the CPU gives."""
    size = draw_token_sizes(draw)
    x = draw_tokens(draw, size)
    on_cpu = plain_output(learner, x, size.max_len)

    observed = make_module(learner, size.d_model, size.max_len).on("accelerator").observe(x)

    # One addition of float32 numbers is the same everywhere; 1e-5 is for a table that is computed on the device.
    got = expect_tensor(observed.value, "the output")
    expect_close(
        got.expand(x.shape) if got.shape[:1] == (1,) else got,
        on_cpu,
        "the output on the accelerator",
        TOKENS,
        atol=1e-5,
    )


def test_shift_is_a_rotation(learner, draw, observe):
    """One and the same turn of each pair leads from every position p to position p + k.

    It is fitted to the first half of the positions, and then has to hold for those that it has not seen. This is why
    relative position is easy to learn: a linear layer can look k tokens back. (A wrong base turns as well; the
    formula has its own check.)
    """
    max_len, d_model = draw_table_sizes(draw)
    k = draw.integers(2, 7)
    draw.remember(k=k)
    table = read_table(learner, max_len, d_model)

    pairs = torch.stack(find_pairs(table), dim=-1).transpose(0, 1)  # (pair, position, 2)
    here, there = pairs[:, :-k], pairs[:, k:]
    half = here.shape[1] // 2
    turn = torch.linalg.pinv(here[:, :half]) @ there[:, :half]  # (pair, 2, 2)
    unseen = (here[:, half:] @ turn - there[:, half:]).abs().amax()

    observe(
        "PE(p + k) is PE(p) turned, pair by pair, by an angle that depends on k alone.",
        largest_error_at_unseen_positions=float(unseen),
        largest_step_between_neighbours=float((table[1:] - table[:-1]).abs().max()),
    )
    # Right tables: below 1e-5. Rounded to half: 2e-3. Pairs of two different angles: above 0.1.
    expect(bool(unseen < 0.05), "What leads from p to p + k at the first positions does not do so at later ones.")


def test_likeness_depends_on_the_distance_alone(learner, draw, observe):
    """The dot product of two rows depends on how far apart they are, not on where; that of a row with itself is
    d_model / 2.

    So in attention, a query's and a key's positions contribute what their distance says.
    """
    max_len, d_model = draw_table_sizes(draw)
    k = draw.integers(2, 7)
    draw.remember(k=k)
    table = read_table(learner, max_len, d_model)

    itself = (table * table).sum(dim=1)
    apart = (table[:-k] * table[k:]).sum(dim=1)

    observe(
        "The dot product of PE(p) and PE(p + k) is the same for every p.",
        at_the_first_position=float(apart[0]),
        at_a_late_position=float(apart[-1]),
        of_a_row_with_itself=float(itself[0]),
    )
    # Right tables: below 1e-5. Rounded to half: 1e-2. Pairs of two different angles: above 0.2.
    length_is_right = bool((itself - d_model / 2).abs().max() < 0.1)
    expect(length_is_right, "A row's dot product with itself is not d_model / 2 everywhere.")
    expect(
        bool((apart - apart[0]).abs().max() < 0.1),
        "The dot product of two rows at one distance depends on where they are.",
    )


def attend(tokens):
    """Self-attention without weights, (seq_len, d_model) to the same."""
    return (tokens @ tokens.T / math.sqrt(tokens.shape[-1])).softmax(dim=-1) @ tokens


def test_attention_sees_order_through_positions_alone(learner, draw, observe):
    """Shuffled tokens give shuffled outputs, unless a row of the table is added to each.

    Attention compares all with all and knows of no order; what it knows of it comes from the table.
    """
    size = draw_token_sizes(draw)
    table = read_table(learner, size.seq_len, size.d_model)
    tokens, order = draw.normal(size.seq_len, size.d_model).double(), draw.permutation(size.seq_len)

    blind = (attend(tokens[order]) - attend(tokens)[order]).abs().max()
    seeing = (attend(tokens[order] + table) - attend(tokens + table)[order]).abs().max()

    observe(
        "Without positions attention gives shuffled tokens the same outputs, shuffled; with positions it does not.",
        difference_without_positions=float(blind),
        difference_with_your_positions=float(seeing),
    )
    expect(bool(seeing > 0.01), "With the table added, attention still does not see the order of the tokens.")
    gaps = [float((a - b).abs().max()) for a, b in pairwise(table)]
    expect(min(gaps) > 1e-3, "Two neighbouring positions have the same row, so attention cannot tell them apart.")
