"""Hidden suite: scores"""

import math

import pytest
import torch

from grader.suite import expect, expect_close, expect_gradient, expect_tensor, expect_unchanged

SCORES = ("batch", "seq_q", "seq_k")
NAMES = {
    "dot_score": ("query", "key"),
    "scaled_dot_score": ("query", "key"),
    "general_score": ("query", "key", "weight"),
    "additive_score": ("query", "key", "w_query", "w_key", "v"),
}

# Correct forms differ from the float64 reference by up to 4e-6 in float32 (measured over the forms in wheats/scores,
# 20 seeds, scores of up to 30); 1e-4 leaves room for other machines, and mistakes are larger by orders of magnitude.
ATOL = 1e-4


# ---- Inputs and the right answer ------------------------------------------------------------------------------------


def draw_sizes(draw, *, same_features=True):
    """Pairwise different sizes, 2 to 9; as many features in queries as in keys unless said otherwise."""
    size = draw.sizes("batch", "seq_q", "seq_k", "d_q", "d_k", "d_attn", low=2, high=9)
    if same_features:
        size.d_q = size.d_k
        draw.remember(d_q=size.d_q)
    return size


def draw_arguments(draw, name, size, factor=1.0):
    """Standard normal arguments for one of the functions; queries and keys times a factor."""
    query = draw.normal(size.batch, size.seq_q, size.d_q) * factor
    key = draw.normal(size.batch, size.seq_k, size.d_k) * factor
    if name == "general_score":
        return query, key, draw.normal(size.d_q, size.d_k)
    if name == "additive_score":
        return (
            query,
            key,
            draw.normal(size.d_attn, size.d_q),
            draw.normal(size.d_attn, size.d_k),
            draw.normal(size.d_attn),
        )
    return query, key


def right_scores(name, query, key, *parameters):
    """The scores in float64."""
    query, key, *parameters = (x.double() for x in (query, key, *parameters))
    if name == "additive_score":
        w_query, w_key, v = parameters
        hidden = (
            torch.einsum("bqf,af->bqa", query, w_query)[:, :, None] + torch.einsum("bkf,af->bka", key, w_key)[:, None]
        )
        return torch.einsum("bqka,a->bqk", hidden.tanh(), v)
    if name == "general_score":
        return torch.einsum("bqf,fg,bkg->bqk", query, parameters[0], key)
    scores = torch.einsum("bqf,bkf->bqk", query, key)
    return scores / math.sqrt(query.shape[-1]) if name == "scaled_dot_score" else scores


def expect_right(learner, name, arguments, what, atol=ATOL, hint=""):
    """Compare the learner's scores with the reference."""
    got = getattr(learner, name)(*arguments)
    expect_close(got, right_scores(name, *arguments).float(), what, SCORES, atol=atol, hint=hint)
    return got


def expect_no_limit(learner, name, arguments, what):
    """Compare scores of some hundreds: those of large queries, and additive ones of a large v. Rounding grows, too."""
    if name == "additive_score":
        *others, v = arguments
        large = [*others, v * (500 / v.abs().sum())]
    else:
        query, *others = arguments
        large = [100 * query, *others]
    expect_right(learner, name, large, f"large {what}", atol=100 * ATOL, hint="Nothing limits a score.")


# ---- Claims that are made of each of the four -----------------------------------------------------------------------
# One mistake must not cost more than its own criterion, so these compare the learner's scores with each other, for
# related arguments, and leave the values to the checks of values. Queries and keys have equally many features here;
# different numbers are a criterion of their own.


def expect_compares_pairs(learner, draw, name):
    """Scores are (batch, seq_q, seq_k), and entry [b, i, j] depends on query i and key j of sample b alone."""
    size = draw_sizes(draw)
    arguments = draw_arguments(draw, name, size)
    function = getattr(learner, name)
    sample, row, column = (draw.integers(0, n) for n in (size.batch, size.seq_q, size.seq_k))

    before = expect_tensor(function(*arguments), "scores", (size.batch, size.seq_q, size.seq_k), SCORES, torch.float32)
    for place, index, what in ((0, row, "a query"), (1, column, "a key")):
        other = list(arguments)
        other[place] = arguments[place].clone()
        other[place][sample, index] = -2 * other[place][sample, index] + 1
        changed = (function(*other) - before).abs() > 1e-6  # an answer computed twice is the same to the last bit
        own = changed[sample, index] if place == 0 else changed[sample, :, index]
        expect(bool(own.any()), f"scores do not depend on {what}: with another one they are the very same.")
        own.fill_(False)  # a view: what is left are the scores that have nothing to do with it
        expect(not bool(changed.any()), f"Changing {what} changes scores of other pairs than its own.")


def expect_any_shape(learner, draw, name):
    """Axes of size one stay, and it does not matter how the numbers lie in memory."""
    size = draw_sizes(draw)
    query, key, *parameters = draw_arguments(draw, name, size)
    function = getattr(learner, name)
    whole = expect_tensor(function(query, key, *parameters), "scores")

    cases = (
        ("a batch of one", query[:1], key[:1], whole[:1]),
        ("one query", query[:, :1], key, whole[:, :1]),
        ("one key", query, key[:, :1], whole[:, :, :1]),
        ("one pair", query[:1, :1], key[:1, :1], whole[:1, :1, :1]),
    )
    for what, some_queries, some_keys, expected in cases:
        got = function(some_queries.contiguous(), some_keys.contiguous(), *parameters)
        expect_close(got, expected, f"scores for {what}", SCORES, atol=ATOL)
    elsewhere = [x.transpose(0, 1).contiguous().transpose(0, 1) for x in (query, key)]
    turned = [x.mT.contiguous().mT if x.dim() == 2 else x for x in parameters]
    got = function(*elsewhere, *turned)
    expect_close(got, whole, "scores of transposed arguments", SCORES, atol=ATOL)


def expect_no_traces(learner, draw, name):
    """No argument is changed, not even its shape."""
    arguments = draw_arguments(draw, name, draw_sizes(draw))

    observed = getattr(learner, name).observe(*arguments)

    expect_tensor(observed.value, "scores")
    expect_unchanged(observed, NAMES[name])


def expect_dtypes(learner, draw, name):
    """
    half, bfloat16 and double come back as they went in, with the values that they have in float32.

    The arguments are small, so that scores are about 1 and have the rounding of their type: 2⁻¹¹ in half and 2⁻⁸ in
    bfloat16, a few times over. Correct forms differ by up to 0.008 and 0.06 (wheats, 20 seeds).
    """
    arguments = draw_arguments(draw, name, draw_sizes(draw), factor=0.5)
    function = getattr(learner, name)

    for dtype, atol in ((torch.float16, 0.03), (torch.bfloat16, 0.25), (torch.float64, ATOL)):
        narrow = [x.to(dtype) for x in arguments]
        expected = expect_tensor(function(*(x.float() for x in narrow)), "scores")
        expect_close(function(*narrow), expected.to(dtype), f"scores of {dtype} arguments", SCORES, atol=atol)


def expect_stays_on_device(learner, draw, name):
    """Scores are where the arguments are, with the values of the CPU."""
    arguments = draw_arguments(draw, name, draw_sizes(draw))
    expected = expect_tensor(getattr(learner, name)(*arguments), "scores")

    observed = getattr(learner.on("pretend"), name).observe(*arguments)

    expect(
        all(device == "pretend" for device in observed.devices),
        "The scores came back on the CPU although the arguments were on an accelerator.",
    )
    expect_close(observed.value, expected, "scores on an accelerator", SCORES, atol=ATOL)


def expect_gradients(learner, draw, name):
    """
    Every argument gets the gradient that the learner's own scores have.

    The gradient is held against the slope of the scores along it: half the difference of the scores a step ahead and a
    step behind. The steps are of length 0.02; what bends less than a tanh gives a slope that is right to three digits,
    and 5 % is allowed. Wrong scores have a gradient of their own, so they cost nothing here.
    """
    arguments = draw_arguments(draw, name, draw_sizes(draw), factor=0.5)
    function = getattr(learner, name)
    along = draw.normal(*right_scores(name, *arguments).shape)

    gradients = function.gradients(*arguments, along=along)

    for place, what in enumerate(NAMES[name]):
        gradient = expect_gradient(gradients.arguments[place], what).double()
        length = float(gradient.norm())
        expect(length > 0, f"The gradient of {what} is zero: the scores do not depend on it.")
        step = (gradient / length * 0.02).float()
        ahead, behind = (
            function(*arguments[:place], arguments[place] + sign * step, *arguments[place + 1 :]) for sign in (1, -1)
        )
        slope = float(((ahead.double() - behind.double()) * along.double()).sum()) / 0.04
        expect(abs(slope - length) <= 0.05 * length, f"The gradient of {what} is not the slope of the scores.")


# ---- Dot ------------------------------------------------------------------------------------------------------------


def test_dot_compares_each_query_with_each_key(learner, draw):
    """dot_score gives one row for each query and one column for each key, and each entry compares just these two.

    Everything else about it takes this for granted.
    """
    expect_compares_pairs(learner, draw, "dot_score")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_is_the_sum_of_products(learner, draw):
    """dot_score adds up query times key over the features, and does nothing else."""
    arguments = draw_arguments(draw, "dot_score", draw_sizes(draw))
    expect_right(learner, "dot_score", arguments, "dot scores")
    expect_no_limit(learner, "dot_score", arguments, "dot scores")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_the_spread_of_dot_scores_grows(learner, draw, observe):
    """With 64 times as many features, dot products spread 8 times as far.

    A sum of d_k products of variance 1 has variance d_k. A softmax of scores that far apart puts everything on one key.
    """
    few, many = (draw.normal(4, 24, d_k) for d_k in (4, 256))
    few_keys, many_keys = (draw.normal(4, 24, d_k) for d_k in (4, 256))

    narrow = expect_right(learner, "dot_score", (few, few_keys), "dot scores of 4 features")
    # The sums are sixty times as long and the scores eight times as large, and so is what rounding leaves.
    wide = expect_right(learner, "dot_score", (many, many_keys), "dot scores of 256 features", atol=10 * ATOL)
    observe(
        "The spread of dot products grows with the root of d_k: 64 times the features, 8 times the spread.",
        spread_at_d_k_4=float(narrow.double().std()),
        spread_at_d_k_256=float(wide.double().std()),
    )


# ---- Scaled dot -----------------------------------------------------------------------------------------------------


def test_scaled_compares_each_query_with_each_key(learner, draw):
    """scaled_dot_score gives a row for each query and a column for each key, and each entry compares just these two.

    Everything else about it takes this for granted.
    """
    expect_compares_pairs(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_is_dot_over_the_root_of_d_k(learner, draw):
    """scaled_dot_score is the dot product divided by √d_k, for several d_k."""
    for d_k in (1, 3, 16):
        query, key = (draw.normal(2, length, d_k) for length in (5, 4))
        draw.remember(d_k=d_k)
        expect_right(learner, "scaled_dot_score", (query, key), "scaled scores")
        expect_no_limit(learner, "scaled_dot_score", (query, key), "scaled scores")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_the_spread_of_scaled_scores_stays(learner, draw, observe):
    """The spread of scaled scores is about 1 for 4 features and for 256.

    So the softmax is as decided in wide heads as in narrow ones. 2304 scores tell their spread to a few per cent, and
    20 % are allowed; without the scale it is 2 and 16.
    """
    spreads = []
    for d_k in (4, 256):
        query, key = draw.normal(4, 24, d_k), draw.normal(4, 24, d_k)
        spreads.append(float(expect_tensor(learner.scaled_dot_score(query, key), "scaled scores").double().std()))
    draw.remember(d_k=256)
    observe(
        "Divided by the root of d_k, scores spread by about 1 whatever d_k is.",
        spread_at_d_k_4=spreads[0],
        spread_at_d_k_256=spreads[1],
    )
    expect(all(0.8 < spread < 1.2 for spread in spreads), "The spread of scaled scores should be about 1.")


# ---- General --------------------------------------------------------------------------------------------------------


def test_general_compares_each_query_with_each_key(learner, draw):
    """general_score gives one row for each query and one column for each key, and each entry compares just these two.

    Everything else about it takes this for granted.
    """
    expect_compares_pairs(learner, draw, "general_score")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_puts_a_matrix_between_query_and_key(learner, draw):
    """general_score is queryᵀ · weight · key: the query meets the rows of the weight, the key its columns."""
    arguments = draw_arguments(draw, "general_score", draw_sizes(draw))
    expect_right(learner, "general_score", arguments, "general scores")
    expect_no_limit(learner, "general_score", arguments, "general scores")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_with_the_identity_is_dot(learner, draw, observe):
    """With the identity as weight, general_score is the dot product; with twice the identity, twice that.

    So dot is the special case in which nothing has to be translated, and learning may move away from it.
    """
    size = draw_sizes(draw)
    query, key = draw_arguments(draw, "dot_score", size)
    identity = torch.eye(size.d_k)

    once = expect_right(learner, "general_score", (query, key, identity), "general scores with the identity")
    observe(
        "With the identity as weight the general score is the dot product.",
        general_score_of_the_first_pair=float(once[0, 0, 0]),
        dot_product_of_the_first_pair=float(query[0, 0].double() @ key[0, 0].double()),
    )
    expect_right(learner, "general_score", (query, key, 2 * identity), "general scores with twice the identity")


@pytest.mark.depends_on("general_puts_a_matrix_between_query_and_key")
def test_general_takes_different_sizes(learner, draw):
    """Queries and keys may have different numbers of features, either side the larger one.

    That is what the matrix is for: a decoder's state and an encoder's state need not have the same size.
    """
    size = draw_sizes(draw, same_features=False)
    expect_right(learner, "general_score", draw_arguments(draw, "general_score", size), "general scores")
    size.d_q, size.d_k = size.d_k, size.d_q
    draw.remember(d_q=size.d_q, d_k=size.d_k)
    expect_right(learner, "general_score", draw_arguments(draw, "general_score", size), "general scores")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_lets_gradients_through(learner, draw):
    """Query, key and weight get the gradient of the scores.

    The weight is learned by its gradient; code that is cut from it, or does without it, stays as it is for ever.
    """
    expect_gradients(learner, draw, "general_score")


# ---- Additive -------------------------------------------------------------------------------------------------------


def test_additive_compares_each_query_with_each_key(learner, draw):
    """additive_score gives one row for each query and one column for each key, and each entry compares just these two.

    Everything else about it takes this for granted.
    """
    expect_compares_pairs(learner, draw, "additive_score")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_is_a_small_network(learner, draw):
    """additive_score is v · tanh(w_query · query + w_key · key), with sizes that all differ."""
    arguments = draw_arguments(draw, "additive_score", draw_sizes(draw, same_features=False))
    expect_right(learner, "additive_score", arguments, "additive scores")
    expect_no_limit(learner, "additive_score", arguments, "additive scores")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_stays_bounded(learner, draw, observe):
    """However large query and key are, an additive score stays between -Σ|v| and +Σ|v|.

    tanh gives at most 1, so v alone decides how far scores can go. A dot product of the same tokens has no limit.
    """
    size = draw_sizes(draw)
    arguments = draw_arguments(draw, "additive_score", size, factor=1000.0)
    query, key, *_, v = arguments

    scores = expect_tensor(learner.additive_score(*arguments), "additive scores", dtype=torch.float32)
    observe(
        "Additive scores stay within the sum of |v|; dot products of the same queries and keys do not.",
        largest_additive_score=float(scores.double().abs().amax()),
        sum_of_v=float(v.double().abs().sum()),
        largest_dot_product=float(right_scores("dot_score", query, key).abs().amax()),
    )
    # Almost every tanh is 1 or -1 here. Where one is not, its argument is a difference of large numbers, which float32
    # knows to 1e-3; so may the score differ.
    expect_close(scores, right_scores("additive_score", *arguments).float(), "additive scores", SCORES, atol=1e-2)


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_the_tanh_lets_queries_choose(learner, draw, observe):
    """Two queries give the keys different weights; without the tanh they would give them the same.

    v · (w_query · query + w_key · key) is a number for the query plus a number for the key, and the softmax over the
    keys takes the query's number away.
    """
    size = draw_sizes(draw)
    arguments = draw_arguments(draw, "additive_score", size)
    query, key, w_query, w_key, v = arguments

    weights = expect_tensor(learner.additive_score(*arguments), "additive scores").double().softmax(dim=-1)
    sums = ((query @ w_query.T).unsqueeze(2) + (key @ w_key.T).unsqueeze(1)).double() @ v.double()
    same = sums.softmax(dim=-1)
    observe(
        "With tanh, weights differ from query to query; without it, all queries would share one row of weights.",
        largest_difference_between_queries=float((weights - weights[:, :1]).abs().amax()),
        the_same_without_tanh=float((same - same[:, :1]).abs().amax()),
    )
    expected = right_scores("additive_score", *arguments).softmax(dim=-1)
    expect_close(weights, expected, "the weights that additive scores give", SCORES, atol=ATOL)


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_lets_gradients_through(learner, draw):
    """Query, key, w_query, w_key and v get the gradient of the scores.

    The three parameters are learned by their gradients.
    """
    expect_gradients(learner, draw, "additive_score")


# ---- What all four have to stand -------------------------------------------------------------------------------------


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_lets_gradients_through(learner, draw):
    """Query and key get the gradient of what dot_score returns.

    What comes before attention learns by it.
    """
    expect_gradients(learner, draw, "dot_score")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_takes_any_shape(learner, draw):
    """dot_score works for axes of size one and for any layout in memory.

    ``squeeze`` removes every axis of size one, and ``view`` refuses axes that do not lie together.
    """
    expect_any_shape(learner, draw, "dot_score")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_leaves_its_arguments(learner, draw):
    """dot_score changes none of its arguments.

    Operators such as ``/=`` and methods with a trailing underscore change the caller's tensor.
    """
    expect_no_traces(learner, draw, "dot_score")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_keeps_the_dtype(learner, draw):
    """dot_score gives half, bfloat16 and double back as such.

    A tensor that is made inside without a dtype is float32.
    """
    expect_dtypes(learner, draw, "dot_score")


@pytest.mark.depends_on("dot_compares_each_query_with_each_key")
def test_dot_stays_on_the_device(learner, draw):
    """dot_score gives scores where its arguments are.

    A tensor that is made inside without a device lies on the CPU, which breaks on a GPU only.
    """
    expect_stays_on_device(learner, draw, "dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_lets_gradients_through(learner, draw):
    """Query and key get the gradient of what scaled_dot_score returns.

    What comes before attention learns by it.
    """
    expect_gradients(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_takes_any_shape(learner, draw):
    """scaled_dot_score works for axes of size one and for any layout in memory.

    ``squeeze`` removes every axis of size one, and ``view`` refuses axes that do not lie together.
    """
    expect_any_shape(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_leaves_its_arguments(learner, draw):
    """scaled_dot_score changes none of its arguments.

    Operators such as ``/=`` and methods with a trailing underscore change the caller's tensor.
    """
    expect_no_traces(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_keeps_the_dtype(learner, draw):
    """scaled_dot_score gives half, bfloat16 and double back as such.

    A tensor that is made inside without a dtype is float32.
    """
    expect_dtypes(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("scaled_compares_each_query_with_each_key")
def test_scaled_stays_on_the_device(learner, draw):
    """scaled_dot_score gives scores where its arguments are.

    A tensor that is made inside without a device lies on the CPU, which breaks on a GPU only.
    """
    expect_stays_on_device(learner, draw, "scaled_dot_score")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_takes_any_shape(learner, draw):
    """general_score works for axes of size one and for any layout in memory.

    ``squeeze`` removes every axis of size one, and ``view`` refuses axes that do not lie together.
    """
    expect_any_shape(learner, draw, "general_score")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_leaves_its_arguments(learner, draw):
    """general_score changes none of its arguments.

    Operators such as ``/=`` and methods with a trailing underscore change the caller's tensor.
    """
    expect_no_traces(learner, draw, "general_score")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_keeps_the_dtype(learner, draw):
    """general_score gives half, bfloat16 and double back as such.

    A tensor that is made inside without a dtype is float32.
    """
    expect_dtypes(learner, draw, "general_score")


@pytest.mark.depends_on("general_compares_each_query_with_each_key")
def test_general_stays_on_the_device(learner, draw):
    """general_score gives scores where its arguments are.

    A tensor that is made inside without a device lies on the CPU, which breaks on a GPU only.
    """
    expect_stays_on_device(learner, draw, "general_score")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_takes_any_shape(learner, draw):
    """additive_score works for axes of size one and for any layout in memory.

    ``squeeze`` removes every axis of size one, and ``view`` refuses axes that do not lie together.
    """
    expect_any_shape(learner, draw, "additive_score")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_leaves_its_arguments(learner, draw):
    """additive_score changes none of its arguments.

    Operators such as ``/=`` and methods with a trailing underscore change the caller's tensor.
    """
    expect_no_traces(learner, draw, "additive_score")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_keeps_the_dtype(learner, draw):
    """additive_score gives half, bfloat16 and double back as such.

    A tensor that is made inside without a dtype is float32.
    """
    expect_dtypes(learner, draw, "additive_score")


@pytest.mark.depends_on("additive_compares_each_query_with_each_key")
def test_additive_stays_on_the_device(learner, draw):
    """additive_score gives scores where its arguments are.

    A tensor that is made inside without a device lies on the CPU, which breaks on a GPU only.
    """
    expect_stays_on_device(learner, draw, "additive_score")
