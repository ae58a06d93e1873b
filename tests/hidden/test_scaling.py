"""Hidden suite: scaling"""

import math

import pytest
import torch

from grader.suite import (
    expect,
    expect_close,
    expect_finite,
    expect_gradient,
    expect_pair,
    expect_tensor,
    expect_unchanged,
)

WEIGHTS = ("batch", "num_heads", "seq_q", "seq_k")
OUTPUT = ("batch", "num_heads", "seq_q", "d_v")
NAMES = ("query", "key", "value", "mask")

# Correct forms of the computation differ from the reference by up to 6e-7 in float32 on standard normal inputs
# (measured over the forms in wheats/scaling, 20 seeds); 1e-5 leaves room for other machines, and mistakes are larger
# by orders of magnitude.
ATOL = 1e-5


# ---- Inputs ---------------------------------------------------------------------------------------------------------


def draw_sizes(draw, **fixed):
    """Pairwise different sizes, 3 to 9; d_model = num_heads * d_k is at least 12, larger than each of them."""
    names = [name for name in ("batch", "num_heads", "seq_q", "seq_k", "d_k", "d_v") if name not in fixed]
    size = draw.sizes(*names, low=3, high=9, **fixed)
    draw.remember(d_model=size.num_heads * size.d_k)
    return size


def draw_inputs(draw, size, dtype=torch.float32, query_factor=1.0):
    """Standard normal query, key and value with the axes (batch, num_heads)."""
    leading = (size.batch, size.num_heads)
    query = draw.normal(*leading, size.seq_q, size.d_k, dtype=dtype) * query_factor
    key = draw.normal(*leading, size.seq_k, size.d_k, dtype=dtype)
    value = draw.normal(*leading, size.seq_k, size.d_v, dtype=dtype)
    return query, key, value


def draw_mask(draw, size):
    """A bool mask (batch, 1, seq_q, seq_k) in which every query may attend to two keys or more, but not to all."""
    rank = draw.uniform(size.batch, size.seq_q, size.seq_k).argsort(dim=-1).argsort(dim=-1)
    allowed = draw.integers(2, size.seq_k, size.batch, size.seq_q, 1)
    return (rank < allowed).unsqueeze(1)


def draw_padding(draw, size):
    """A bool mask (batch, 1, 1, seq_k) that hides the same keys in every sample, and leaves two or more."""
    hidden = draw.integers(1, size.seq_k - 1)
    kept = draw.permutation(size.seq_k)[hidden:].sort().values
    mask = torch.zeros(size.batch, 1, 1, size.seq_k, dtype=torch.bool)
    mask[..., kept] = True
    return mask, kept


def draw_matches(draw, size, d_k):
    """Draw the key that each query matches; neighbours in batch, heads and queries match different ones."""
    start = draw.integers(0, size.seq_k)
    grid = [torch.arange(length) for length in (size.batch, size.num_heads, size.seq_q)]
    match = (start + grid[0][:, None, None] + grid[1][:, None] + grid[2]) % size.seq_k
    unit = torch.eye(d_k)[: size.seq_k]
    return match, unit[match], unit.expand(size.batch, size.num_heads, size.seq_k, d_k).contiguous()


# ---- The right answer, in float64 -----------------------------------------------------------------------------------


def scores_of(query, key):
    """The dot product of each query with each key, not scaled."""
    return query.double() @ key.double().transpose(-2, -1)


def right_weights(query, key, mask=None, divisor=None):
    """Softmax over the allowed keys of the scores divided by √d_k, or by another divisor."""
    scores = scores_of(query, key) / (math.sqrt(query.shape[-1]) if divisor is None else divisor)
    if mask is None:
        return scores.softmax(dim=-1)
    masked = (mask == 0).expand_as(scores)
    return scores.masked_fill(masked, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(masked, 0.0)


def weighted_sum(weights, value):
    """The output that belongs to these weights, in the dtype of the values."""
    return (weights.double() @ value.double()).to(value.dtype)


# ---- Reading an answer ----------------------------------------------------------------------------------------------
# Each check is about one idea, and a mistake in another must not cost it. So most checks work on the weights that the
# learner's code uses, wherever they are found, and compare them with the learner's own weights for related inputs, or
# with the reference under the learner's own scale.


def attend(function, query, key, value, mask=None):
    """
    Return (output, attention_weights) as the learner's code computes them.

    A pair in the wrong order and an output without usable weights are judged by one check, and read all the same by the
    others: with unit vectors as values the output is the weights. So is code that hides the future without being asked:
    the others hand it a mask that hides nothing.
    """
    output, weights = attend_as_asked(function, query, key, value, mask)
    future = torch.ones(weights.shape[-2:], dtype=torch.bool).triu(1)
    if mask is None and future.any() and not weights[..., future].any():
        return attend_as_asked(function, query, key, value, torch.ones_like(future))
    return output, weights


def attend_as_asked(function, query, key, value, mask=None):
    """Return (output, attention_weights) as the learner's code computes them for this mask, or for none."""
    arguments = () if mask is None else (mask,)
    shape = (*query.shape[:-1], key.shape[-2])
    tensors = _tensors(function(query, key, value, *arguments))
    if len(tensors) == 2 and tuple(tensors[1].shape) == shape:
        return tensors[0], tensors[1]
    if len(tensors) == 2 and tuple(tensors[0].shape) == shape:
        return tensors[1], tensors[0]
    unit = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-1], key.shape[-2]).contiguous()
    weights = _tensors(function(query, key, unit, *arguments))[0]
    return tensors[0], expect_tensor(weights, "attention_weights", shape, WEIGHTS if len(shape) == len(WEIGHTS) else ())


def place_of_output(function, arguments):
    """Return where the output is in what the learner's function returns: first, or second in a swapped pair."""
    query, key = arguments[:2]
    tensors = _tensors(function(*arguments))
    swapped = len(tensors) == 2 and tuple(tensors[0].shape) == (*query.shape[:-1], key.shape[-2])
    return int(swapped)


def _tensors(got):
    found = [item for item in (got if isinstance(got, (tuple, list)) else [got]) if isinstance(item, torch.Tensor)]
    if not found:
        expect_pair(got)  # which says what came back instead
    expect(
        all(tensor.is_floating_point() for tensor in found),
        "output and attention_weights should hold floating-point numbers, as query, key and value do.",
    )
    return found


def interaction(x):
    """
    What is left of x (batch, num_heads, seq_q, seq_k) when the mean along each axis is taken away.

    A softmax adds one number per row to the scores (before the exponential), along whichever axis it runs; here these
    numbers cancel, so that the scores can be read from weights of any normalisation.
    """
    for dim in range(x.dim()):
        x = x - x.mean(dim=dim, keepdim=True)
    return x


def log_weights(weights):
    """Logarithm in float64; what is zero or less becomes the smallest positive number."""
    return weights.double().clamp_min(torch.finfo(weights.dtype).tiny).log()


def divisor_of(weights, query, key):
    """The number by which the learner divides the scores, read from the weights."""
    scores, seen = interaction(scores_of(query, key)), interaction(log_weights(weights))
    return float((scores * scores).sum() / (seen * scores).sum())


def is_softmax_over_keys(weights, query, key):
    """Whether the weights are right up to the scale."""
    divisor = divisor_of(weights, query, key)
    return math.isfinite(divisor) and torch.allclose(
        weights.double(), right_weights(query, key, None, divisor), rtol=0, atol=ATOL
    )


def is_right(output, weights, query, key, value):
    """Whether output and weights are the promised ones."""
    right = right_weights(query, key)
    expected = weighted_sum(right, value)
    return (
        torch.allclose(weights.double(), right, rtol=0, atol=ATOL)
        and output.shape == expected.shape
        and torch.allclose(output, expected, rtol=0, atol=ATOL)
    )


# ---- Conventions ----------------------------------------------------------------------------------------------------


def test_it_attends(learner, draw):
    """The weights depend on the query, and the same question gets the same answer.

    Zeros, even weights, random numbers and copies of an argument do not. All other checks take for granted that this
    is attention of some kind.
    """
    query, key, value = draw_inputs(draw, draw_sizes(draw))

    _, weights = attend(learner.scaled_dot_product_attention, query, key, value)
    # All of them, since code that hides something without being asked may leave a single query one key or none.
    _, moved = attend(learner.scaled_dot_product_attention, -2 * query, key, value)
    _, again = attend(learner.scaled_dot_product_attention, query, key, value)

    change = (moved.double() - weights.double()).abs().amax()
    noise = (again.double() - weights.double()).abs().amax()
    expect(
        bool(change > 1e-4), "attention_weights do not depend on the query: another query gets the very same weights."
    )
    expect(
        bool(noise < 0.1 * change),
        "attention_weights are others when the same question is asked again: look for dropout that is always on.",
    )


@pytest.mark.depends_on("it_attends")
def test_returns_output_and_weights(learner, draw):
    """The function returns the pair (output, attention_weights), one row for each query in both.

    The output has the features of the values, the weights have one column for each key; heads stay apart in both.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)

    output, weights = expect_pair(learner.scaled_dot_product_attention(query, key, value))
    expect_tensor(output, "output", (size.batch, size.num_heads, size.seq_q, size.d_v), OUTPUT)
    expect_tensor(weights, "attention_weights", (size.batch, size.num_heads, size.seq_q, size.seq_k), WEIGHTS)
    other, _ = attend(learner.scaled_dot_product_attention, query, key, value * 2)
    expect(bool(((other - output).abs() > 1e-3).any()), "output does not depend on the values.")


# ---- Scores ---------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_scores_are_dot_products(learner, draw):
    """What goes into the softmax is proportional to the dot product of query and key.

    The scores are read back from the logarithm of the weights, so the factor does not matter here, nor where you scale.
    """
    size = draw_sizes(draw)
    # Small queries keep the logarithm accurate for every scale.
    query, key, value = draw_inputs(draw, size, query_factor=0.3)
    _, weights = attend(learner.scaled_dot_product_attention, query, key, value)
    divisor = divisor_of(weights, query, key)

    expect(
        math.isfinite(divisor) and divisor > 0, "attention_weights do not grow with the dot product of query and key."
    )
    # float32 weights have a relative error of 1e-6 at most, their logarithm an absolute one; 1e-4 is a hundred times
    # that.
    expected = interaction(scores_of(query, key) / divisor)
    expect_close(interaction(log_weights(weights)), expected, "the scores behind attention_weights", WEIGHTS, atol=1e-4)
    sums_to_one = torch.allclose(weights.double().sum(dim=-1), torch.ones((), dtype=torch.float64), rtol=0, atol=1e-4)
    if sums_to_one:
        # Also nothing that adds to a key's score for all queries alike, which the reading above cannot see.
        expect_close(
            weights.double(), right_weights(query, key, None, divisor), "attention_weights", WEIGHTS, atol=ATOL
        )


@pytest.mark.depends_on("it_attends")
def test_a_query_finds_its_key(learner, draw, observe):
    """A query that points at one key gives most weight to that key: attention is a soft look-up.

    Keys are unit vectors here, and each query is a long vector along one of them.
    """
    size = draw_sizes(draw, d_k=16)
    match, unit, key = draw_matches(draw, size, size.d_k)
    value = draw.normal(size.batch, size.num_heads, size.seq_k, size.d_v)

    _, weights = attend(learner.scaled_dot_product_attention, unit * 20, key, value)

    own = weights.gather(-1, match.unsqueeze(-1)).squeeze(-1)
    others = weights.scatter(-1, match.unsqueeze(-1), -math.inf).amax(dim=-1)
    observe(
        "The match of query and key decides how much is taken from each value: the matching key gets most of it.",
        weight_of_the_matching_key=float(own.double().mean()),
        largest_weight_of_another_key=float(others.double().mean()),
    )
    expect(bool((own > others).all()), "A query that points at one key gives another key as much weight or more.")


@pytest.mark.depends_on("it_attends")
def test_weights_follow_their_keys(learner, draw):
    """Putting the keys (with their values) in another order puts the weights in that order and leaves the output alone.

    Attention sees a set of keys, not a sequence; position has to be added to the inputs.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    order = draw.permutation(size.seq_k)
    _, weights = attend(learner.scaled_dot_product_attention, query, key, value)

    _, permuted = attend(learner.scaled_dot_product_attention, query, key[:, :, order], value[:, :, order])

    expect_close(permuted, weights[..., order], "attention_weights for keys in another order", WEIGHTS, atol=ATOL)


# ---- Softmax --------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_a_zero_query_attends_evenly(learner, draw):
    """A query of zeros scores every key alike, so each of seq_k keys gets 1 / seq_k.

    The softmax has to run over the keys: over queries, heads or samples these weights would be other fractions. Without
    a mask no key is hidden.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)

    _, weights = attend_as_asked(learner.scaled_dot_product_attention, torch.zeros_like(query), key, value)

    expect_close(
        weights, torch.full_like(weights, 1 / size.seq_k), "attention_weights of a zero query", WEIGHTS, atol=1e-6
    )


@pytest.mark.depends_on("it_attends")
def test_weights_are_shares(learner, draw):
    """No weight is negative, and the weights of each query sum to one over the keys."""
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    _, weights = attend(learner.scaled_dot_product_attention, query, key, value)

    expect(bool((weights >= 0).all()), "attention_weights has negative entries.")
    total = weights.sum(dim=-1)
    expect_close(total, torch.ones_like(total), "the sum of attention_weights over the keys", WEIGHTS[:3], atol=ATOL)


@pytest.mark.depends_on("it_attends")
def test_each_query_is_answered_by_itself(learner, draw):
    """Changing one query changes its own row of weights and no other row.

    Queries do not compete; a softmax over them would make them.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    row = draw.integers(0, size.seq_q)
    _, before = attend(learner.scaled_dot_product_attention, query, key, value)

    changed = query.clone()
    changed[:, :, row] = -2 * query[:, :, row]
    _, after = attend(learner.scaled_dot_product_attention, changed, key, value)

    expect(bool(((after - before)[:, :, row].abs() > 1e-4).any()), "A changed query keeps its weights.")
    others = [index for index in range(size.seq_q) if index != row]
    expect_close(
        after[:, :, others], before[:, :, others], "attention_weights of the other queries", WEIGHTS, atol=1e-6
    )


@pytest.mark.depends_on("it_attends")
def test_samples_and_heads_do_not_mix(learner, draw):
    """Changing one sample, or one head, leaves the weights of all others alone.

    What a sentence gets must not depend on its batch mates, or batches of another size give other answers.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    sample, head = draw.integers(0, size.batch), draw.integers(0, size.num_heads)
    _, before = attend(learner.scaled_dot_product_attention, query, key, value)

    for what, place in (("sample", (sample,)), ("head", (slice(None), head))):
        changed_query, changed_key = query.clone(), key.clone()
        changed_query[place], changed_key[place] = -2 * query[place], key[place].flip(-2)
        _, after = attend(learner.scaled_dot_product_attention, changed_query, changed_key, value)
        expect(bool(((after - before)[place].abs() > 1e-4).any()), f"A changed {what} keeps its weights.")
        others = after.clone()
        others[place] = before[place]
        expect_close(others, before, f"attention_weights when only another {what} changes", WEIGHTS, atol=1e-6)


# ---- Scale ----------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_scores_are_divided_by_the_root_of_d_k(learner, draw):
    """The scores are divided by √d_k, d_k being the number of features of a query and a key.

    The divisor is read back from the weights, for three sizes, so that no other size and no fixed number can stand in.
    """
    for fixed in ({}, {"d_k": 16}, {"d_k": 50}):
        size = draw_sizes(draw, **fixed)
        query, key, value = draw_inputs(draw, size, query_factor=0.1)
        _, weights = attend(learner.scaled_dot_product_attention, query, key, value)
        divisor = divisor_of(weights, query, key)
        # Read from float32 weights the divisor is accurate to 1e-6 (measured); neighbouring sizes differ by 1 %
        # or more.
        expect_close(
            torch.tensor(divisor, dtype=torch.float64),
            torch.tensor(math.sqrt(size.d_k), dtype=torch.float64),
            "the number that the scores are divided by",
            rtol=1e-3,
            atol=0.0,
        )


def draw_narrow_and_wide(draw):
    """Yield inputs for d_k = 4 and d_k = 256, in float64, so that large scores do not vanish in the softmax."""
    size = draw.sizes("batch", "num_heads", low=2, high=4, seq_q=30, seq_k=31, d_v=10)
    for d_k in (4, 256):
        size.d_k = d_k
        draw.remember(d_k=d_k, d_model=size.num_heads * d_k)
        yield draw_inputs(draw, size, torch.float64)


@pytest.mark.depends_on("it_attends")
def test_the_spread_of_scores_stays(learner, draw, observe):
    """The scores have a standard deviation of about 1, whatever d_k is.

    A dot product of d_k terms with variance 1 has variance d_k; dividing by its root brings the spread back to 1.
    """
    spread = []
    for query, key, value in draw_narrow_and_wide(draw):
        _, weights = attend(learner.scaled_dot_product_attention, query, key, value)
        freedom = math.prod(1 - 1 / length for length in weights.shape)
        seen = interaction(log_weights(weights))
        spread.append(math.sqrt(float((seen * seen).mean()) / freedom))

    observe(
        "The spread of the scores stays near 1 as d_k grows; without the scale it would be √d_k, here 2 and 16.",
        spread_at_d_k_4=spread[0],
        spread_at_d_k_256=spread[1],
    )
    # Over at least 5000 scores the spread varies by 7 % from draw to draw (measured); a wrong scale is off by factors.
    expect(
        all(0.7 < found < 1.4 for found in spread),
        "The scores behind attention_weights do not keep a standard deviation of about 1 when d_k grows.",
    )


@pytest.mark.depends_on("it_attends")
def test_wide_keys_do_not_saturate_the_softmax(learner, draw, observe):
    """The sum of p (1 - p) over a query's weights, the size of the softmax's gradient, does not shrink as d_k grows.

    A softmax that puts all on one key passes no gradient: nothing is learned about what to look at.
    """
    slope = []
    for query, key, value in draw_narrow_and_wide(draw):
        _, weights = attend(learner.scaled_dot_product_attention, query, key, value)
        weights = weights.double() / weights.double().sum(dim=-1, keepdim=True)
        slope.append(float((weights * (1 - weights)).sum(dim=-1).mean()))

    observe(
        "The softmax keeps its slope as d_k grows; without the scale the sum of p (1 - p) would fall to hundredths.",
        slope_at_d_k_4=slope[0],
        slope_at_d_k_256=slope[1],
    )
    expect(slope[0] != 0, "attention_weights are all zero or one: such weights have no slope at all.")
    expect(
        0.9 < slope[1] / slope[0] < 1.1, "The softmax behind attention_weights gets steeper or flatter as d_k grows."
    )


# ---- Weighted sum ---------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_output_is_the_weighted_sum_of_the_values(learner, draw):
    """The output of a query is the sum of all values, each times the query's weight for it.

    Judged with your own weights, so that a mistake in them does not count twice.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)

    output, weights = attend(learner.scaled_dot_product_attention, query, key, value)

    expect_close(output, weighted_sum(weights, value), "output", OUTPUT, atol=ATOL)


@pytest.mark.depends_on("it_attends")
def test_values_never_change_the_weights(learner, draw, observe):
    """Other values give another output with the same weights.

    Query and key decide how much is taken, the value is what is taken: the two meet in the last product only.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    output, weights = attend(learner.scaled_dot_product_attention, query, key, value)
    other_value = draw.normal(*value.shape) * 3

    other_output, other_weights = attend(learner.scaled_dot_product_attention, query, key, other_value)

    expect_tensor(other_output, "output", output.shape)
    observe(
        "Query and key decide how much is taken; the value is what is taken, and has no say in it.",
        largest_change_of_a_weight=float((other_weights - weights).abs().max()),
        largest_change_of_the_output=float((other_output - output).abs().max()),
    )
    expect_close(other_weights, weights, "attention_weights for other values", WEIGHTS, atol=1e-6)
    expect_close(other_output, weighted_sum(weights, other_value), "output for other values", OUTPUT, atol=ATOL * 3)


# ---- Mask -----------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_masked_keys_get_no_weight(learner, draw):
    """Where the mask is False the weight is zero; where it is True it is positive, and all the weight goes there.

    True means "may attend". The mask differs from sample to sample and from query to query.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    mask = draw_mask(draw, size)
    _, open_weights = attend(learner.scaled_dot_product_attention, query, key, value)

    _, weights = attend(learner.scaled_dot_product_attention, query, key, value, mask)

    expect_finite(weights, "attention_weights", WEIGHTS)
    allowed = mask.expand_as(weights)
    # 1e-7 is what a fill of log(1e-9) may leave; the mildest real leak, a fill of -10, leaves 1e-6 and more.
    expect_close(weights * ~allowed, torch.zeros_like(weights), "attention_weights of masked keys", WEIGHTS, atol=1e-7)
    expect(bool((weights[allowed] > 0).all()), "attention_weights is zero for a key that the query may attend to.")
    if is_softmax_over_keys(open_weights, query, key):
        expected = right_weights(query, key, mask, divisor_of(open_weights, query, key)).to(weights.dtype)
        expect_close(weights, expected, "attention_weights under a mask", WEIGHTS, atol=ATOL)


@pytest.mark.depends_on("it_attends")
def test_padding_equals_slicing(learner, draw):
    """Masking padded keys gives the others the weights that they have when the padding is cut off.

    Masked keys may not take part in the sum that the softmax divides by either.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    mask, kept = draw_padding(draw, size)
    function = learner.scaled_dot_product_attention
    _, open_weights = attend(function, query, key, value)

    _, weights = attend(function, query, key, value, mask)
    _, sliced = attend(function, query, key[:, :, kept].contiguous(), value[:, :, kept].contiguous())

    if is_softmax_over_keys(open_weights, query, key):
        # The divisor that all keys showed: whether it may depend on how many there are is judged elsewhere.
        divisor = divisor_of(open_weights, query, key)
        sliced = right_weights(query, key[:, :, kept], None, divisor).to(weights.dtype)
    expect_close(weights[..., kept], sliced, "attention_weights of the keys that are no padding", WEIGHTS, atol=ATOL)
    padded = weights.clone()
    padded[..., kept] = 0
    expect_close(padded, torch.zeros_like(padded), "attention_weights of the padding", WEIGHTS, atol=1e-7)


@pytest.mark.depends_on("it_attends")
def test_what_padding_holds_does_not_matter(learner, draw):
    """Large numbers in masked keys and values change no weight.

    Padding holds whatever was there before; it must not be seen, however large it is.
    """
    size = draw_sizes(draw)
    _, key, value = draw_inputs(draw, size)
    mask, kept = draw_padding(draw, size)
    # Whole numbers with an odd sum, whatever their signs: so each padded score is 300 or more away from zero, and takes
    # all from the others or nothing.
    query = 1 - 2 * draw.integers(0, 2, size.batch, size.num_heads, size.seq_q, size.d_k).float()
    query[..., 0] *= 2 - size.d_k % 2
    sign = 1 - 2 * draw.integers(0, 2, *key.shape).float()
    littered_key, littered_value = sign * 1e3, torch.full_like(value, 1e3)
    littered_key[:, :, kept], littered_value[:, :, kept] = key[:, :, kept], value[:, :, kept]

    _, clean = attend(learner.scaled_dot_product_attention, query, key, value, mask)
    _, littered = attend(learner.scaled_dot_product_attention, query, littered_key, littered_value, mask)

    expect(bool((clean[..., kept] > 0).all()), "attention_weights is zero for a key that the query may attend to.")
    expect_close(littered, clean, "attention_weights beside other padding", WEIGHTS, atol=ATOL)


@pytest.mark.depends_on("it_attends")
def test_the_past_does_not_see_the_future(learner, draw):
    """Under a causal mask (seq_q, seq_k) future keys change nothing for the queries before them.

    Queries and keys are as many here, as when a sequence attends to itself.
    """
    size = draw_sizes(draw)
    length = size.seq_q + 1
    query = draw.normal(size.batch, size.num_heads, length, size.d_k)
    key = draw.normal(size.batch, size.num_heads, length, size.d_k)
    value = draw.normal(size.batch, size.num_heads, length, size.d_v)
    mask = torch.ones(length, length, dtype=torch.bool).tril()
    now = draw.integers(1, length - 1)

    _, before = attend(learner.scaled_dot_product_attention, query, key, value, mask)
    other = key.clone()
    other[:, :, now:] = draw.normal(*key[:, :, now:].shape)
    _, after = attend(learner.scaled_dot_product_attention, query, other, value, mask)

    expect_close(after[:, :, :now], before[:, :, :now], "attention_weights of the past", WEIGHTS, atol=ATOL)
    expect(bool(((after - before)[:, :, now:].abs() > 1e-4).any()), "The present does not see its own keys.")


@pytest.mark.depends_on("it_attends")
def test_masks_of_ones_and_zeros_work_alike(learner, draw):
    """An integer or float mask of ones and zeros gives the weights of the bool mask.

    ``~`` flips the bits of an integer and refuses a float; comparing with zero works for all of them.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    mask = draw_mask(draw, size)
    _, expected = attend(learner.scaled_dot_product_attention, query, key, value, mask)

    for dtype in (torch.int64, torch.int32, torch.uint8, torch.float32):
        _, weights = attend(learner.scaled_dot_product_attention, query, key, value, mask.to(dtype))
        expect_close(weights, expected, f"attention_weights under a {dtype} mask", WEIGHTS, atol=ATOL)


def draw_mask_with_empty_rows(draw, size):
    """Draw a mask in which some queries may attend to nothing, and say which these are, (batch, seq_q)."""
    mask = draw_mask(draw, size)
    empty = torch.zeros(size.batch, size.seq_q, dtype=torch.bool)
    for sample in range(size.batch):
        empty[sample, draw.permutation(size.seq_q)[: draw.integers(1, size.seq_q)]] = True
    return mask & ~empty[:, None, :, None], empty


def hides_where_true(function, query, key, value, mask):
    """Whether the learner's code takes True for "is hidden"; that costs its own criterion and no other."""
    _, weights = attend(function, query, key, value, mask)
    allowed = mask.expand_as(weights)
    return bool((weights[allowed] == 0).all() and (weights[~allowed] > 0).all())


@pytest.mark.depends_on("it_attends")
def test_a_query_without_keys_gets_zero(learner, draw):
    """A query whose keys are all masked gets weights of zero and an output of zero; the others get theirs.

    Softmax of nothing but -inf is NaN, and of equal large negative numbers a plain average of what must not be seen.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    full, (mask, empty) = draw_mask(draw, size), draw_mask_with_empty_rows(draw, size)
    function = learner.scaled_dot_product_attention
    open_output, open_weights = attend(function, query, key, value)
    if hides_where_true(function, query, key, value, full):
        mask = ~mask

    output, weights = attend(function, query, key, value, mask)

    expect_finite(weights, "attention_weights", WEIGHTS)
    expect_finite(output, "output", OUTPUT)
    rows = weights.transpose(0, 1)[:, empty]
    expect_close(rows, torch.zeros_like(rows), "attention_weights of a query without keys", atol=1e-7)
    sums = weighted_sum(open_weights, value)
    if open_output.shape == sums.shape and torch.allclose(open_output, sums, rtol=0, atol=ATOL):
        answers = output.transpose(0, 1)[:, empty]
        expect_close(answers, torch.zeros_like(answers), "output of a query without keys", atol=1e-6)
    others = weights.transpose(0, 1)[:, ~empty]
    expect(bool((others.sum(dim=-1) > 0).all()), "A query that may attend to some keys gets no weight.")


# ---- Gradients ------------------------------------------------------------------------------------------------------


def expect_gradient_is_slope(function, arguments, position, draw):
    """
    Compare a gradient with how much the learner's own output changes.

    (R * output).sum() is differentiated by one argument and compared with central differences along three random
    directions, in float64. Steps of 1e-3 leave an error of 1e-6 of the third derivative; answers in float32 add 1e-3 of
    rounding. 2 % of the gradient's length is far above both, and a cut or forgotten path changes a gradient by much
    more.
    """
    output, _ = attend_as_asked(function, *arguments)
    along = draw.normal(*output.shape, dtype=torch.float64)
    of = place_of_output(function, arguments)
    gradients = function.gradients(*arguments, along=along, of=of, wrt=(position,))
    gradient = expect_gradient(gradients.arguments[position], NAMES[position])
    what = f"the gradient of {NAMES[position]}"
    expect_finite(expect_tensor(gradient, what, arguments[position].shape), what)
    step, slopes = 1e-3, []
    for _ in range(3):
        direction = draw.normal(*gradient.shape, dtype=torch.float64)
        ends = []
        for sign in (1, -1):
            moved = [*arguments]
            moved[position] = arguments[position] + sign * step * direction
            answer, _ = attend_as_asked(function, *moved)
            ends.append(float((along * expect_tensor(answer, "output", output.shape).double()).sum()))
        slopes.append((ends[0] - ends[1]) / (2 * step))
        seen = float((gradient.double() * direction).sum())
        expect(
            abs(seen - slopes[-1]) <= 0.02 * float(gradient.double().norm()) + 1e-6,
            f"{what} is not how the output changes with {NAMES[position]}: part of the way to it is cut off.",
        )
    expect(any(abs(slope) > 1e-3 for slope in slopes), f"output does not change with {NAMES[position]}.")


def draw_for_gradients(draw, learner):
    """Draw float64 arguments and a mask that leaves every query some keys."""
    size = draw_sizes(draw)
    arguments = draw_inputs(draw, size, torch.float64)
    return arguments, draw_mask(draw, size)


@pytest.mark.depends_on("it_attends")
def test_values_get_their_gradient(learner, draw):
    """The gradient of the output with respect to the values is how the output changes with them.

    Without it, what a token hands over is never learned.
    """
    arguments, _ = draw_for_gradients(draw, learner)

    expect_gradient_is_slope(learner.scaled_dot_product_attention, arguments, 2, draw)


@pytest.mark.depends_on("it_attends")
def test_queries_and_keys_get_their_gradient(learner, draw):
    """The gradient of the output with respect to queries and keys runs through softmax and scores.

    Without it, what to look at is never learned, although every value is right and the loss falls.
    """
    arguments, _ = draw_for_gradients(draw, learner)

    expect_gradient_is_slope(learner.scaled_dot_product_attention, arguments, 0, draw)
    expect_gradient_is_slope(learner.scaled_dot_product_attention, arguments, 1, draw)


@pytest.mark.depends_on("it_attends")
def test_gradients_respect_the_mask(learner, draw):
    """Under a mask, too, gradients are how the output changes."""
    arguments, mask = draw_for_gradients(draw, learner)

    for position in range(3):
        expect_gradient_is_slope(learner.scaled_dot_product_attention, (*arguments, mask), position, draw)


@pytest.mark.depends_on("it_attends")
def test_no_gradient_is_nan_beside_a_query_without_keys(learner, draw):
    """A query whose keys are all masked lets no NaN into any gradient.

    One NaN in the gradient of the values or the keys destroys the weights of the whole model at the next step, and it
    comes even where the row that it stems from is thrown away. (A gradient that is missing altogether is judged
    elsewhere.)
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    mask, _ = draw_mask_with_empty_rows(draw, size)
    function = learner.scaled_dot_product_attention
    output, _ = attend(function, query, key, value)
    along = draw.normal(*output.shape)

    of = place_of_output(function, (query, key, value))
    gradients = function.gradients(query, key, value, mask, along=along, of=of, wrt=(0, 1, 2))

    for name, gradient in zip(NAMES, gradients.arguments[:3], strict=False):
        if gradient is not None:
            expect_finite(gradient, f"the gradient of {name} beside a query without keys")


# ---- Robustness -----------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_inputs_are_left_alone(learner, draw):
    """The call changes neither query, key and value nor the mask.

    The caller still needs them: the query for the residual connection, the mask for the next layer.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    mask = draw_mask(draw, size)

    for arguments in ((query, key, value), (query, key, value, mask)):
        expect_unchanged(learner.scaled_dot_product_attention.observe(*arguments), NAMES)


@pytest.mark.depends_on("it_attends")
def test_earlier_calls_leave_no_trace(learner, draw):
    """The weights are the same whatever was asked before.

    A scale or a mask that is kept in a global, a cache or a default argument fits the call that made it.
    """
    other = draw_sizes(draw, d_k=16)
    size = draw_sizes(draw)
    function = learner.scaled_dot_product_attention
    question = (*draw_inputs(draw, size), draw_mask(draw, size))

    _, alone = attend(function, *question)
    learner.forget()
    attend(function, *draw_inputs(draw, other), draw_mask(draw, other))
    _, after = attend(function, *question)

    expect(
        bool(torch.allclose(alone.double(), after.double(), rtol=0, atol=ATOL, equal_nan=True)),
        "attention_weights are others when something else was asked before: something is kept between calls.",
    )


@pytest.mark.depends_on("it_attends")
def test_any_number_of_leading_axes(learner, draw):
    """Without heads, and without a batch, the answer is the same for the tokens that are there.

    (batch, seq, d_k) is one head, (seq, d_k) one sentence: count axes from the end.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    function = learner.scaled_dot_product_attention
    output, weights = attend(function, query, key, value)
    right = is_right(output, weights, query, key, value)

    for what, place in (("(batch, seq, d_k)", (slice(None), 0)), ("(seq, d_k)", (0, 0))):
        parts = [x[place].contiguous() for x in (query, key, value)]
        output, weights = attend(function, *parts)
        if right:
            expected = right_weights(*parts[:2])
            expect_close(weights, expected.float(), f"attention_weights for {what}", atol=ATOL)
            expect_close(output, weighted_sum(expected, parts[2]), f"output for {what}", atol=ATOL)
        else:  # What is wrong with the values is judged elsewhere; here only that the axes are there.
            expect(output.dim() == parts[0].dim(), f"output for {what} has {output.dim()} axes.")


@pytest.mark.depends_on("it_attends")
def test_axes_of_size_one_stay(learner, draw):
    """A batch of one, one head, one query, one key, values of one feature: no axis gets lost.

    These are ordinary: one sentence at a time, or one new token that looks at all before it.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    function = learner.scaled_dot_product_attention
    output, weights = attend(function, query, key, value)
    right = is_right(output, weights, query, key, value)

    cases = (
        ("a batch of one", query[:1], key[:1], value[:1]),
        ("one head", query[:, :1], key[:, :1], value[:, :1]),
        ("one query", query[:, :, :1], key, value),
        ("one key", query, key[:, :, :1], value[:, :, :1]),
        ("values of one feature", query, key, value[..., :1]),
        ("one sentence, one head", query[:1, :1], key[:1, :1], value[:1, :1]),
    )
    for what, *parts in cases:
        parts = [part.contiguous() for part in parts]
        output, weights = attend(function, *parts)
        if right:
            expected = right_weights(*parts[:2])
            expect_close(weights, expected.float(), f"attention_weights with {what}", WEIGHTS, atol=ATOL)
            expect_close(output, weighted_sum(expected, parts[2]), f"output with {what}", OUTPUT, atol=ATOL)
        else:
            expect(output.dim() == 4, f"output with {what} has {output.dim()} axes.")


@pytest.mark.depends_on("it_attends")
def test_any_memory_layout(learner, draw):
    """Heads that come from a transpose, as split_heads makes them, give the same weights as their contiguous copies.

    Where the numbers lie in memory is nobody's business; ``view`` refuses axes that do not lie together.
    """
    size = draw_sizes(draw)
    query, key, value = draw_inputs(draw, size)
    _, expected = attend(learner.scaled_dot_product_attention, query, key, value)

    _, weights = attend(
        learner.scaled_dot_product_attention,
        *(x.transpose(1, 2).contiguous().transpose(1, 2) for x in (query, key, value)),
    )

    expect_close(weights, expected, "attention_weights of transposed inputs", WEIGHTS, atol=ATOL)


# ---- Numerics -------------------------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_large_scores_stay_finite(learner, draw):
    """Scores of many hundreds give finite weights, and the right ones.

    exp(89) is beyond float32, so the largest score of each row has to be subtracted before the exponential;
    ``torch.softmax`` does that. Some rows have large scores here and others small ones: subtracting one number from all
    would empty the latter.
    """
    size = draw_sizes(draw, d_k=12)
    _, unit, key = draw_matches(draw, size, size.d_k)
    value = draw.normal(size.batch, size.num_heads, size.seq_k, size.d_v)
    gain = torch.full((size.seq_q, 1), 3.0)
    gain[draw.permutation(size.seq_q)[: size.seq_q // 2]] = 1500.0

    query = unit * gain

    # The same numbers in float64, whose exponential goes up to 709, say what this code computes where nothing
    # overflows.
    _, expected = attend(learner.scaled_dot_product_attention, query.double(), key.double(), value.double())
    output, weights = attend(learner.scaled_dot_product_attention, query, key, value)

    expect_finite(weights, "attention_weights for large scores", WEIGHTS)
    expect_finite(output, "output for large scores")
    # A score of 1000 is rounded by 6e-5 in float32, and a weight by as much.
    expect_close(weights, expected.float(), "attention_weights for large scores", WEIGHTS, atol=1e-3)


def expect_dtype_stays(learner, draw, dtype, atol):
    """Compare the weights for inputs of this dtype with those for the same numbers in float32."""
    size = draw_sizes(draw)
    # Small queries keep the scores of every scale small, so that half types show no rounding but their own.
    inputs = draw_inputs(draw, size, query_factor=0.3)
    mask = draw_mask(draw, size)
    narrow = [x.to(dtype) for x in inputs]

    for form in (None, mask):
        # The same numbers in float32: what the type itself rounds away is no difference.
        _, expected = attend(learner.scaled_dot_product_attention, *(x.float() for x in narrow), form)
        output, weights = attend(learner.scaled_dot_product_attention, *narrow, form)
        expect_tensor(output, f"output of {dtype} inputs", dtype=dtype)
        expect_finite(output, f"output of {dtype} inputs")
        expect_close(weights, expected.to(dtype), f"attention_weights of {dtype} inputs", WEIGHTS, atol=atol)


@pytest.mark.depends_on("it_attends")
def test_half_precision_stays(learner, draw):
    """half in, half out, with and without a mask.

    The largest half is 65504: a fill of -1e9 raises there. 5e-3 is five roundings of a weight; correct forms differ by
    1e-3.
    """
    expect_dtype_stays(learner, draw, torch.float16, 5e-3)


@pytest.mark.depends_on("it_attends")
def test_bfloat16_stays(learner, draw):
    """bfloat16 in, bfloat16 out, with and without a mask.

    It has 8 bits of precision: correct forms differ by 4e-3. 4e-2 is allowed, because a wrong scale, which is judged by
    itself, makes larger scores and with them larger differences.
    """
    expect_dtype_stays(learner, draw, torch.bfloat16, 4e-2)


@pytest.mark.depends_on("it_attends")
def test_double_precision_stays(learner, draw):
    """float64 in, float64 out, with and without a mask: nothing inside makes float32 of it."""
    expect_dtype_stays(learner, draw, torch.float64, ATOL)


# ---- Device ---------------------------------------------------------------------------------------------------------


def expect_stays_on_device(learner, draw, *, masked):
    """Compare the pretend accelerator with the CPU, and see where the results are."""
    size = draw_sizes(draw)
    arguments = draw_inputs(draw, size)
    mask = draw_mask(draw, size) if masked else None
    _, expected = attend(learner.scaled_dot_product_attention, *arguments, mask)
    if masked:
        arguments = (*arguments, mask)

    on_device = learner.on("pretend").scaled_dot_product_attention
    observed = on_device.observe(*arguments)
    _, weights = attend(on_device, *arguments)

    expect(
        all(device == "pretend" for device in observed.devices),
        "A result came back on the CPU although the inputs were on an accelerator.",
    )
    expect_close(weights, expected, "attention_weights on an accelerator", WEIGHTS, atol=ATOL)


@pytest.mark.depends_on("it_attends")
def test_results_stay_on_the_device(learner, draw):
    """Inputs on an accelerator give results there, with the values of the CPU.

    A tensor that is made inside without ``device=query.device`` lies on the CPU, which breaks on a GPU only.
    """
    expect_stays_on_device(learner, draw, masked=False)


@pytest.mark.depends_on("it_attends")
def test_masked_results_stay_on_the_device(learner, draw):
    """With a mask, too, nothing is made on the CPU."""
    expect_stays_on_device(learner, draw, masked=True)


@pytest.mark.depends_on("it_attends")
@pytest.mark.accelerator
def test_a_real_accelerator_gives_the_same_values(learner, draw):
    """This machine's accelerator gives the weights of the CPU.

    Accelerators add in another order; 1e-4 allows for that with full float32 products.
    """
    size = draw_sizes(draw)
    arguments = (*draw_inputs(draw, size), draw_mask(draw, size))
    _, expected = attend(learner.scaled_dot_product_attention, *arguments)

    _, weights = attend(learner.on("accelerator").scaled_dot_product_attention, *arguments)

    expect_close(weights, expected, "attention_weights on the accelerator", WEIGHTS, atol=1e-4)
