"""Hidden suite: multihead

Three habits keep one mistake from costing many criteria:

- Known weights go in through the promised layers, chosen so that all but one idea does not matter: with one head
  nothing can be split wrongly, with one key every softmax gives 1, with a far look-up any positive scale finds the same
  key.
- Where a check is about a property (dtype, device, order, memory), a module is compared with itself. That it is
  attention at all is the first check's news, and all others depend on it.
- Query and key are equally long wherever the check is not about cross-attention.

Sizes are pairwise different in any case. The criterion `together` is the net below: ordinary data against a reference.
"""

import math

import pytest
import torch

from grader.model.report import Mismatch
from grader.sandbox.remote import RemoteModule
from grader.suite import (
    CheckFailed,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_pair,
    expect_raises,
    expect_slope,
    expect_tensor,
    expect_unchanged,
)

LAYERS = ("W_q", "W_k", "W_v", "W_o")
OUTPUT = ("batch", "seq_q", "d_model")
WEIGHTS = ("batch", "num_heads", "seq_q", "seq_k")
ROWS = ("batch", "seq_q", "seq_k")

# Of a look-up: how much higher the right key scores than any other. A softmax turns 40 into a weight of 1 - 4e-18, and
# a scale that is wrong by a factor of 3 still finds the key.
FAR = 40.0

# Correct forms (fused, einsum, loops over heads, online softmax) differ from a float64 reference by at most 1.2e-6 on
# unit-variance data at the sizes used here: measured over 16 forms with 6 draws each.
CLOSE = 1e-5

# What an answer must move by when what it depends on is drawn anew. Right forms move by 0.02 and more.
MOVES = 1e-3


# --- talking to the learner's module --------------------------------------------------------------


def make(learner, draw, num_heads, d_k):
    """A module in evaluation mode; its sizes become known to diagnoses."""
    draw.remember(num_heads=num_heads, d_k=d_k, d_model=num_heads * d_k)
    module = learner.MultiHeadAttention(num_heads * d_k, num_heads)
    if not isinstance(module, RemoteModule):
        found = Mismatch(kind="type", what="a call of MultiHeadAttention", expected="an nn.Module", got="no nn.Module")
        raise CheckFailed("MultiHeadAttention should be a class that inherits nn.Module.", found)
    return module.eval()


def inject(module, **weights):
    """Give promised layers these weights, and a bias of zero where they have one."""
    names = module.parameters()
    values = {f"{layer}.weight": weight for layer, weight in weights.items()}
    biases = {f"{layer}.bias": torch.zeros(len(weight)) for layer, weight in weights.items()}
    module.load(values | {name: bias for name, bias in biases.items() if name in names})
    return module


def fill(module, draw):
    """Give every parameter that there is an ordinary random value, whatever its name; return what was loaded."""
    values = {name: ordinary(draw, *parameter.shape) for name, parameter in module.parameters().items()}
    if values:
        module.load(values)
    return values


def ordinary(draw, *shape):
    """Random values of a layer's parameter: a weight keeps unit variance, a bias is smaller."""
    return draw.normal(*shape) * (1 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.3)


def in_order(first, second):
    """The pair as (output, weights): that it came the other way round is news for one check only."""
    return (second, first) if first.dim() == 4 and second.dim() == 3 else (first, second)


def attend(module, *args):
    """Call the module; return output and weights, in this order: numbers, of a shape that can be talked about."""
    output, weights = in_order(*expect_pair(module(*args)))
    for tensor, what in ((output, "output"), (weights, "attention_weights")):
        expect(tensor.is_floating_point(), f"{what} should hold floating-point numbers.")
        expect(tensor.numel() > 0, f"{what} is empty.")
    expect(output.dim() in (2, 3), "output should have the axes (batch, seq_q, d_model).")
    expect(output.shape[-1] == args[0].shape[-1], "output should have d_model features.")
    expect(weights.dim() in (3, 4), "attention_weights should have the axes (batch, num_heads, seq_q, seq_k).")
    return output, weights


def self_attend(module, x, *mask):
    """Call the module for self-attention."""
    return attend(module, x, x, x, *mask)


def over_heads(weights):
    """Weights averaged over the heads, (batch, seq_q, seq_k), also where they came without an axis for heads."""
    wide = weights.to(torch.float64)
    return wide.mean(dim=1) if wide.dim() == 4 else wide


def moved(before, after):
    """Largest absolute difference; infinite between different shapes or where one of them is not finite."""
    if before.shape != after.shape:
        return math.inf
    gap = (before.to(torch.float64) - after.to(torch.float64)).abs().max()
    return float(gap) if bool(torch.isfinite(gap)) else math.inf


# --- the reference, in float64 --------------------------------------------------------------------


def reference(values, num_heads, query, key, value, mask=None, *, biases=True):
    """Multi-head attention written head by head in float64: (output, attention_weights)."""
    wide = {name: tensor.to(torch.float64) for name, tensor in values.items()}

    def project(layer, x):
        bias = wide.get(f"{layer}.bias") if biases else None
        projected = x.to(torch.float64) @ wide[f"{layer}.weight"].T
        return projected if bias is None else projected + bias

    q, k, v = project("W_q", query), project("W_k", key), project("W_v", value)
    d_k = q.shape[-1] // num_heads
    allowed = torch.ones(1, 1, 1, 1, dtype=torch.bool) if mask is None else mask.bool()
    allowed = allowed.expand(len(query), 1, query.shape[1], key.shape[1])[:, 0]
    contexts, weights = [], []
    for head in range(num_heads):
        own = slice(head * d_k, (head + 1) * d_k)
        scores = q[..., own] @ k[..., own].mT / math.sqrt(d_k)
        scores = torch.where(allowed, scores, torch.full_like(scores, -torch.inf))
        weights.append(torch.nan_to_num(scores.softmax(dim=-1)))
        contexts.append(weights[-1] @ v[..., own])
    return project("W_o", torch.cat(contexts, dim=-1)), torch.stack(weights, dim=1)


def expect_reference(module, draw, num_heads, query, key, value, *mask):
    """Expect output and weights of the reference, with ordinary weights in all four layers."""
    d_model = query.shape[-1]
    names = module.parameters()
    values = {f"{layer}.weight": ordinary(draw, d_model, d_model) for layer in LAYERS}
    biases = {f"{layer}.bias": ordinary(draw, d_model) for layer in LAYERS}
    values |= {name: bias for name, bias in biases.items() if name in names}
    module.load(values)

    output, weights = attend(module, query, key, value, *mask)

    # A layer may have a bias and be used through its weight alone, so both readings are right.
    answers = [reference(values, num_heads, query, key, value, *mask, biases=biases) for biases in (True, False)]
    expected_output, expected_weights = min(answers, key=lambda answer: moved(answer[0], output))
    expect_close(output, expected_output.float(), "output", OUTPUT, atol=CLOSE)
    expect_close(weights, expected_weights.float(), "attention_weights", WEIGHTS, atol=CLOSE)


def one_hot(rows, width):
    """Row i is 1 at feature i and 0 elsewhere, (rows, width)."""
    return torch.eye(width)[:rows]


# --- conventions ----------------------------------------------------------------------------------


def test_it_attends(learner, draw):
    """The output changes with the query and with key and value, and the same call gives the same answer.

    A copy of the query does not see the keys and values; a copy or an average of the values does not see the query;
    and random numbers are others each time. All other checks take for granted that this is attention of some kind, if
    only of the query to itself.
    """
    # So many tokens that dropout which is always on drops something each time.
    size = draw.sizes("num_heads", "d_k", low=2, high=5, seq_len=9)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    query, other_query, memory, other_memory = (draw.normal(1, size.seq_len, d_model) for _ in range(4))

    output, weights = attend(module, query, memory, memory)
    output_again, weights_again = attend(module, query, memory, memory)
    asked_otherwise, _ = attend(module, other_query, memory, memory)
    found_otherwise, _ = attend(module, query, other_memory, other_memory)

    # Weights or output have to be the same again, not both: that one of them is not is news for a check of its own.
    again = min(moved(output, output_again), moved(weights, weights_again))
    expect(again < CLOSE, "The same call gives another answer each time: look for dropout that is always on.")
    expect(moved(output, asked_otherwise) > MOVES, "The output stays the same when the query changes.")
    if moved(output, found_otherwise) < MOVES:
        query[:, -1] = other_query[:, -1]
        last_token_changed, _ = attend(module, query, memory, memory)
        follows = moved(output[:, :1], last_token_changed[:, :1]) > MOVES
        expect(follows, "The output stays the same when key and value change.")
    identity = moved(asked_otherwise, output + (other_query - query)) > MOVES
    expect(identity, "The output follows the query directly, without attention.")


@pytest.mark.depends_on("it_attends")
def test_the_four_layers_are_registered(learner, draw):
    """W_q, W_k, W_v and W_o are layers of the module, each (d_model, d_model).

    What is no attribute of the module, or lies in a plain Python list, is neither trained nor saved nor moved to a GPU
    with it, and nothing says so.
    """
    size = draw.sizes("num_heads", "d_k", low=2, high=5)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    found = module.parameters()

    for layer in LAYERS:
        # A parameter with two of these names is listed under one of them.
        what = f"The module has no parameter {layer}.weight of its own: "
        expect(f"{layer}.weight" in found, what + f"{layer} is no layer of it, or is the same layer as another.")
        expect_tensor(found[f"{layer}.weight"], f"{layer}.weight", (d_model, d_model), ("features_out", "features_in"))
    fill(module, draw)


@pytest.mark.depends_on("it_attends")
def test_calls_leave_the_layers_alone(learner, draw):
    """A call uses the layers that are there and makes no new ones.

    Layers that are made in forward are random anew at every call: whatever is learnt is thrown away, and what was
    loaded or trained is never used.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=2, high=6)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    loaded = fill(module, draw)
    expect(len(loaded) >= len(LAYERS), "The module has fewer parameters than the four layers need.")

    self_attend(module, draw.normal(1, size.seq_len, d_model))
    found = module.parameters()

    expect(set(found) == set(loaded), "A call adds parameters to the module, or takes some away.")
    for name, value in loaded.items():
        expect_equal(found[name], value, name)


@pytest.mark.depends_on("it_attends")
def test_forward_returns_output_then_weights(learner, draw):
    """forward returns (output, attention_weights), in this order.

    Whoever calls the module unpacks the pair; the other order gives weights where vectors are expected.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(size.batch, size.seq_len, d_model)

    first, second = expect_pair(module(x, x, x))

    expect(not (first.dim() == 4 and second.dim() == 3), "The pair comes the other way round: weights, then output.")


@pytest.mark.depends_on("it_attends")
def test_weights_are_kept_apart_for_each_head(learner, draw):
    """The weights have an axis for the heads, and the heads differ.

    Averaged over heads they no longer show what any single head looks at.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)

    x = draw.normal(size.batch, size.seq_len, d_model)
    _, weights = self_attend(module, x)

    shape = (size.batch, size.num_heads, size.seq_len, size.seq_len)
    expect_tensor(weights, "attention_weights", shape, WEIGHTS)
    expect(moved(weights[:, 0], weights[:, 1]) > MOVES, "All heads return the same weights.")


@pytest.mark.depends_on("it_attends")
def test_returned_weights_are_those_used(learner, draw):
    """The weights that are returned are those that made the output, mask included.

    With one head, identity layers and values that are 1 at one feature each, the output spells out the weights that
    were used. Weights from before the mask would say that padding is looked at.
    """
    size = draw.sizes("seq_len", low=4, high=6, d_model=draw.integers(7, 10))
    eye = torch.eye(size.d_model)
    module = inject(make(learner, draw, 1, size.d_model), W_q=eye, W_k=eye, W_v=eye, W_o=eye)
    query = draw.uniform(1, size.seq_len, size.d_model, high=2.0)
    memory = one_hot(size.seq_len, size.d_model)[None]
    mask = random_mask(draw, size.seq_len)

    output, weights = attend(module, query, memory, memory, mask)

    used = output[..., : size.seq_len]
    expect_close(
        over_heads(weights).to(used.dtype), used, "attention_weights, beside those in the output", ROWS, atol=CLOSE
    )


def random_mask(draw, seq_len):
    """A mask (seq_len, seq_len) that allows something in every row and column, and is not symmetric."""
    mask = draw.uniform(seq_len, seq_len) < 0.5
    mask = mask | torch.eye(seq_len, dtype=torch.bool)
    mask[0, -1], mask[-1, 0] = False, True
    return mask


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_self_attention_returns_one_vector_per_token(learner, draw):
    """Self-attention maps (batch, seq_len, d_model) to the same shape.

    Only so can attention layers be stacked and added to their own input.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(size.batch, size.seq_len, d_model)

    output, _ = self_attend(module, x)

    expect_tensor(output, "output", (size.batch, size.seq_len, d_model), OUTPUT)


@pytest.mark.depends_on("it_attends")
def test_axes_of_size_one_stay(learner, draw):
    """A batch of one, a single token and a single head keep their axes.

    A squeeze() without an axis works in every test with larger sizes and fails with the first short sentence.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    for batch, seq_len, num_heads in (
        (1, size.seq_len, size.num_heads),
        (size.batch, 1, size.num_heads),
        (size.batch, size.seq_len, 1),
    ):
        d_model = num_heads * size.d_k
        module = make(learner, draw, num_heads, size.d_k)
        fill(module, draw)
        x = draw.normal(batch, seq_len, d_model)

        output, _ = self_attend(module, x)

        expect_tensor(output, "output", (batch, seq_len, d_model), OUTPUT)
        other, _ = self_attend(module, x + draw.normal(batch, seq_len, d_model))
        expect(moved(output, other) > MOVES, "The output stays the same when the input changes.")


@pytest.mark.depends_on("it_attends")
def test_any_memory_layout_gives_the_same_answer(learner, draw):
    """Inputs that do not lie in one piece in memory are answered like any others.

    Slices and transposed tensors are such inputs, and view() refuses them where reshape() does not.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    scattered = [draw.normal(size.seq_len, size.batch, d_model).transpose(0, 1) for _ in range(3)]
    scattered[1] = draw.normal(size.batch, d_model, size.seq_len).mT
    together = [x.contiguous() for x in scattered]

    expected, _ = attend(module, *together)
    output, _ = attend(module, *scattered)

    expect_close(output, expected, "output", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_cross_attention_returns_one_row_per_query(learner, draw):
    """With seq_q != seq_k the output has seq_q rows, and each row of weights has seq_k entries.

    A decoder asks as often as it has tokens, however long the sentence is that it asks about.
    """
    size = draw.sizes("batch", "seq_q", "seq_k", "num_heads", "d_k", low=2, high=8)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    query = draw.normal(size.batch, size.seq_q, d_model)
    memory = draw.normal(size.batch, size.seq_k, d_model)

    output, weights = attend(module, query, memory, memory)

    expect_tensor(output, "output", (size.batch, size.seq_q, d_model), OUTPUT)
    expect(
        tuple(weights.shape[-2:]) == (size.seq_q, size.seq_k), "The weights do not have seq_q rows of seq_k entries."
    )


@pytest.mark.depends_on("it_attends")
def test_cross_attention_finds_keys_in_the_other_sequence(learner, draw):
    """Each query finds the key that equals it in another, longer or shorter, sequence.

    One head, identity layers, and each query far above all keys but one: only which input goes where matters.
    """
    d_model = 9
    eye = torch.eye(d_model)
    for seq_q, seq_k in ((3, 7), (8, 4)):
        draw.remember(seq_q=seq_q, seq_k=seq_k)
        module = inject(make(learner, draw, 1, d_model), W_q=eye, W_k=eye, W_v=eye)
        memory = one_hot(seq_k, d_model)[None]
        wanted = draw.integers(0, seq_k, seq_q)
        query = memory[:, wanted] * FAR * math.sqrt(d_model)

        _, weights = attend(module, query, memory, memory)

        rows = expect_tensor(over_heads(weights), "attention_weights", (1, seq_q, seq_k), ROWS)
        expect_equal(rows[0].argmax(dim=-1), wanted, "the key with the largest weight", ("seq_q",))


# --- softmax and scale ----------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_the_weights_of_each_query_sum_to_one(learner, draw):
    """Each query spreads a weight of 1 over the keys, in every head.

    The softmax runs over the keys, the last axis. Over queries or heads the columns sum to one instead, and no row
    does.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)

    _, weights = self_attend(module, draw.normal(1, size.seq_len, d_model))

    expect_finite(weights, "attention_weights", WEIGHTS)
    expect(bool((weights >= 0).all()), "Some weights are negative.")
    sums = weights.to(torch.float64).sum(dim=-1)
    expect_close(sums, torch.ones_like(sums), "the sum of a query's weights", atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_a_zero_query_attends_evenly(learner, draw):
    """A token whose query is zero scores every key alike, so it attends evenly to all.

    One head, so that nothing but the axis of the softmax matters.
    """
    size = draw.sizes("seq_len", "d_model", low=3, high=9)
    weight_q, weight_k = (ordinary(draw, size.d_model, size.d_model) for _ in range(2))
    module = inject(make(learner, draw, 1, size.d_model), W_q=weight_q, W_k=weight_k)
    x = draw.normal(1, size.seq_len, size.d_model)
    token = draw.integers(0, size.seq_len - 1)  # not the last, which sees everything in any case
    x[:, token] = 0.0

    _, weights = self_attend(module, x)

    row = expect_tensor(over_heads(weights), "attention_weights", (1, size.seq_len, size.seq_len), ROWS)[:, token]
    expect_close(row, torch.full((1, size.seq_len), 1 / size.seq_len, dtype=torch.float64), "its weights", atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_scores_are_divided_by_the_root_of_d_k(learner, draw):
    """Scores are divided by the square root of d_k, the size of one head.

    The ratio of two weights in a row tells the difference of their scores, and so what it was divided by. There are
    two kinds of token, all heads see the same, and each token prefers its own kind by the same known difference:
    neither the axis of the softmax nor the way in which heads are cut changes the ratio.
    """
    for num_heads, d_k in ((3, (4, 8)[draw.integers(0, 2)]), (5, (6, 8)[draw.integers(0, 2)])):
        d_model = num_heads * d_k
        eye = torch.eye(d_model)
        module = inject(make(learner, draw, num_heads, d_k), W_q=eye, W_k=eye, W_v=eye)
        difference = float(draw.uniform(1, low=1.5, high=2.5))
        half = torch.arange(d_k) < d_k // 2
        kinds = torch.stack([half, ~half]).float() * math.sqrt(difference / (d_k // 2))
        x = kinds.repeat(num_heads, num_heads)[None]

        _, weights = self_attend(module, x)

        rows = over_heads(expect_finite(weights, "attention_weights", WEIGHTS))
        highest, lowest = rows.amax(dim=-1), rows.amin(dim=-1)
        expect(bool((lowest > 0).all()), "Some weights are zero although nothing is masked and scores are small.")
        divisors = difference / (highest / lowest).log()
        # In float32 a difference of scores that is 0.5 or more is known to 1e-6, and the divisor to 1e-5.
        expected = torch.full_like(divisors, math.sqrt(d_k))
        expect_close(divisors, expected, "the number that scores are divided by", ("batch", "seq_q"), atol=1e-3)


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_masked_keys_get_no_weight(learner, draw):
    """Where the mask holds False, and only there, a key is not looked at.

    True means may attend. One head, queries of zero, so that all keys score alike, and values that are 1 at one feature
    each: the output spells out the weights that were used.
    """
    size = draw.sizes("seq_len", low=3, high=6, d_model=draw.integers(7, 10))
    seq_len, eye = size.seq_len, torch.eye(size.d_model)
    module = inject(make(learner, draw, 1, size.d_model), W_q=eye, W_k=eye, W_v=eye, W_o=eye)
    query = draw.zeros(1, seq_len, size.d_model)
    memory = one_hot(seq_len, size.d_model)[None]
    pairs = random_mask(draw, seq_len)
    padding = torch.arange(seq_len)[None, None, None] < draw.integers(1, seq_len)
    both = (pairs & padding) | torch.eye(seq_len, dtype=torch.bool)  # (1, 1, seq_len, seq_len)

    for mask in (pairs, padding, both):
        output, _ = attend(module, query, memory, memory, mask)

        used = expect_finite(output, "output", OUTPUT)[..., :seq_len]
        # An allowed key has a weight of 1 / seq_len at least; a fill of -1e4 or less leaves exactly zero.
        expect_equal(used > 1e-6, mask.expand(1, 1, seq_len, seq_len)[:, 0], "which keys are looked at", ROWS)
    fill(module, draw)


@pytest.mark.depends_on("it_attends")
def test_what_is_masked_changes_nothing(learner, draw):
    """What other tokens get does not depend on masked keys and values.

    The mask belongs before the softmax: afterwards, the masked scores have already taken their share of the sum.
    """
    size = draw.sizes("seq_len", "d_model", low=4, high=9)
    module = make(learner, draw, 1, size.d_model)
    fill(module, draw)
    x = draw.normal(1, size.seq_len, size.d_model)
    length = draw.integers(2, size.seq_len)
    mask = (torch.arange(size.seq_len) < length)[None, None, None]
    garbage = x.clone()
    garbage[:, length:] = 100.0 * draw.normal(1, size.seq_len - length, size.d_model)

    unmasked, _ = self_attend(module, x)
    clean, _ = self_attend(module, x, mask)
    output, _ = self_attend(module, garbage, mask)

    expect_tensor(output, "output", x.shape, OUTPUT)
    expect_close(output[:, :length], clean[:, :length], "output of the other tokens", OUTPUT, atol=CLOSE)
    expect(moved(clean[:, :length], unmasked[:, :length]) > MOVES, "The mask changes nothing.")


@pytest.mark.depends_on("it_attends")
def test_decoding_step_by_step_equals_the_masked_pass(learner, draw, observe):
    """A token that is decoded with only its past gets what one pass with a causal mask gives it.

    So training sees all positions at once, and writing one token after the other still works the same way.
    """
    size = draw.sizes("seq_len", "d_model", low=4, high=9)
    module = make(learner, draw, 1, size.d_model)
    fill(module, draw)
    x = draw.normal(1, size.seq_len, size.d_model)
    causal_mask = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril()

    seeing_all, _ = self_attend(module, x)
    steps = [self_attend(module, x[:, : end + 1])[0].reshape(-1, size.d_model)[-1:] for end in range(size.seq_len)]
    whole, _ = self_attend(module, x, causal_mask)
    stepwise = torch.stack(steps, dim=1)
    for answer in (seeing_all, whole, stepwise):
        expect_finite(expect_tensor(answer, "output", x.shape, OUTPUT), "output", OUTPUT)

    observe(
        "Step by step and in one masked pass the outputs are the same; without the mask they would not be.",
        difference_with_mask=moved(stepwise, whole),
        difference_without_mask=moved(stepwise, seeing_all),
    )
    expect_close(whole, stepwise, "output", OUTPUT, atol=CLOSE)
    expect(moved(whole, seeing_all) > MOVES, "The mask changes nothing.")


@pytest.mark.depends_on("it_attends")
def test_each_sample_has_a_mask_of_its_own(learner, draw):
    """Sentences in one batch are masked as each of them is alone.

    A mask that is repeated for the heads in the wrong order, or taken from the first sample, works for a batch of one.
    A mask (seq_q, seq_k) holds for all samples, also where the batch has as many of them as there are queries.
    """
    size = draw.sizes("batch", "num_heads", "d_k", low=3, high=5, seq_len=draw.integers(6, 9))
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    lengths = draw.lengths(size.batch, size.seq_len)
    padding = torch.arange(size.seq_len)[None, None, None] < lengths[:, None, None, None]
    # The past is hidden and not the future, which code may hide unasked: that is for another check.
    pairs = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).triu()

    # As many sentences as tokens in the second batch: there a mask (seq_q, seq_k) has the shape of one (batch, seq_k).
    for batch, mask in ((size.batch, padding), (size.seq_len, pairs)):
        x = draw.normal(batch, size.seq_len, d_model)
        own = mask if mask.dim() == 4 else mask.expand(batch, 1, -1, -1)

        unmasked, _ = self_attend(module, x)
        output, weights = self_attend(module, x, mask)
        alone = [self_attend(module, x[sample : sample + 1], own[sample : sample + 1])[1] for sample in range(batch)]

        expect(moved(output, unmasked) > MOVES, "The mask changes nothing.")
        expect_close(weights, torch.cat(alone), "attention_weights", WEIGHTS, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_masks_of_numbers_mean_the_same(learner, draw):
    """A mask of integer or float 1 and 0 means the same as one of True and False.

    Masks come from comparisons, from files and from tril(torch.ones(...)); ~ inverts only the first kind.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(1, size.seq_len, d_model)
    mask = random_mask(draw, size.seq_len)

    unmasked, _ = self_attend(module, x)
    expected, _ = self_attend(module, x, mask)

    expect(moved(expected, unmasked) > MOVES, "The mask changes nothing.")
    for dtype in (torch.int64, torch.float32):
        output, _ = self_attend(module, x, mask.to(dtype))
        expect_close(output, expected, "output", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_masks_of_numbers_are_left_alone(learner, draw):
    """A mask of integer or float 1 and 0 is not changed by the call.

    Turning it into 0 and -inf in place saves no time, and gives the next layer another mask.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    mask = random_mask(draw, size.seq_len)

    for dtype in (torch.int64, torch.float32):
        inputs = [draw.normal(1, size.seq_len, d_model) for _ in range(3)]
        expect_unchanged(module.observe(*inputs, mask.to(dtype)), ("query", "key", "value", "mask"))


# --- heads ----------------------------------------------------------------------------------------


def seen_per_head(module, num_heads, d_model, query, key):
    """What each head sees, (batch, num_heads, seq_q, …): its weights.

    Where the weights came without heads it is each head's part of the output.
    """
    output, weights = attend(module, query, key, key)
    if weights.dim() == 4:
        return weights
    inject(module, W_v=torch.eye(d_model), W_o=torch.eye(d_model))
    output, _ = attend(module, query, key, key)
    expect_tensor(output, "output", query.shape, OUTPUT)
    return output.unflatten(-1, (num_heads, -1)).transpose(1, 2)


@pytest.mark.depends_on("it_attends")
def test_each_head_looks_with_its_own_features(learner, draw, observe):
    """Head i compares only the features i * d_k … (i + 1) * d_k, so the heads of one token look at different keys.

    That is what several heads are for. Each head is given features that point at another key.
    """
    num_heads, seq_len, d_k = draw.integers(2, 5), draw.integers(5, 7), draw.integers(7, 9)
    d_model = num_heads * d_k
    eye = torch.eye(d_model)
    module = inject(make(learner, draw, num_heads, d_k), W_q=eye, W_k=eye, W_v=eye)
    # Looking up shift - t from t is its own inverse, and no two heads look at the same key.
    shifts = draw.permutation(seq_len)[:num_heads]
    wanted = (shifts[:, None] - torch.arange(seq_len)) % seq_len  # (num_heads, seq_len)
    codes = one_hot(seq_len, d_k)
    key = codes.repeat(1, num_heads)[None]
    query = codes[wanted].transpose(0, 1).reshape(1, seq_len, d_model) * FAR * math.sqrt(d_k)

    seen = seen_per_head(module, num_heads, d_model, query, key)

    found = seen[0].argmax(dim=-1)
    observe(
        "The heads of token 0 look at different keys at the same time.",
        key_seen_by_head_0=int(found[0, 0]) if found.numel() else -1,
        key_seen_by_head_1=int(found[1, 0]) if len(found) > 1 and found.numel() else -1,
    )
    expect_equal(found, wanted, "the key that a head looks at", ("num_heads", "seq_q"))


@pytest.mark.depends_on("it_attends")
def test_a_head_does_not_see_the_features_of_others(learner, draw):
    """Changing the query in the features of one head changes what that head sees, and no other.

    Cut in another way, a head holds features or tokens that belong to others.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    eye = torch.eye(d_model)
    module = inject(make(learner, draw, size.num_heads, size.d_k), W_q=eye, W_k=eye, W_v=eye)
    query, key = (draw.normal(1, size.seq_len, d_model) for _ in range(2))
    head = draw.integers(0, size.num_heads)
    own = slice(head * size.d_k, (head + 1) * size.d_k)
    changed_query = query.clone()
    changed_query[..., own] = draw.normal(1, size.seq_len, size.d_k)

    before = seen_per_head(module, size.num_heads, d_model, query, key)
    after = seen_per_head(module, size.num_heads, d_model, changed_query, key)

    expect(before.shape[1] == size.num_heads and after.shape == before.shape, "The weights have no axis of num_heads.")
    for other in range(size.num_heads):
        change = moved(before[:, other], after[:, other])
        if other == head:
            expect(change > MOVES, "A head does not see the features that it owns.")
        else:
            expect(change < CLOSE, "A head sees features that belong to another.")


@pytest.mark.depends_on("it_attends")
def test_each_token_keeps_its_row(learner, draw):
    """Token t of the output is what token t gathered, from all of its heads.

    Each token looks only at itself, in every head, and all layers are the identity: so it gets itself back. A merge
    that only renames the shape deals the parts out to other tokens.
    """
    # With d_k a prime above num_heads, heads that own every num_heads-th feature see the same: that is for another
    # check.
    num_heads, seq_len, d_k = draw.integers(2, 5), draw.integers(5, 7), (7, 11)[draw.integers(0, 2)]
    d_model = num_heads * d_k
    eye = torch.eye(d_model)
    module = inject(make(learner, draw, num_heads, d_k), W_q=eye, W_k=eye, W_v=eye, W_o=eye)
    x = one_hot(seq_len, d_k).repeat(1, num_heads)[None]

    output, _ = attend(module, x * FAR * math.sqrt(d_k), x, x)

    # The other keys keep less than 1e-5 together even where scores are divided by d_k, which is for another check.
    expect_close(output, x, "output", OUTPUT, atol=1e-4)


@pytest.mark.depends_on("it_attends")
def test_permuting_the_tokens_permutes_the_output(learner, draw, observe):
    """Without positions attention does not see order: permuted tokens give the same outputs, permuted.

    Which is why positions have to be added to the tokens. Where outputs change in another way, tokens got mixed up.
    """
    size = draw.sizes("num_heads", "d_k", low=2, high=4, seq_len=draw.integers(5, 9))
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(1, size.seq_len, d_model)
    # One on, round a circle: whichever tokens a wrong split puts together, this takes them apart.
    order = torch.arange(size.seq_len).roll(1)

    output, _ = self_attend(module, x)
    of_permuted, _ = self_attend(module, x[:, order])
    for answer in (output, of_permuted):
        expect_finite(expect_tensor(answer, "output", x.shape, OUTPUT), "output", OUTPUT)

    observe(
        "Permuting the tokens only permutes the outputs.",
        difference_after_permuting_back=moved(of_permuted, output[:, order]),
        difference_as_they_stand=moved(of_permuted, output),
    )
    expect_close(of_permuted, output[:, order], "output of the permuted tokens", OUTPUT, atol=CLOSE)
    expect(moved(of_permuted, output) > MOVES, "All tokens get the same output.")


# --- projections ----------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_query_and_key_have_projections_of_their_own(learner, draw):
    """W_q, and it alone, makes queries; W_k, and it alone, makes keys.

    With one and the same projection A would look at B exactly as much as B looks at A. Here W_q undoes a rotation
    of the tokens, and W_k undoes it and moves every token on by one in a circle: so each token finds its neighbour.
    """
    seq_len, d_model = 8, draw.integers(9, 13)
    rotation = torch.linalg.qr(draw.normal(d_model, d_model, dtype=torch.float64)).Q.float()
    circle = draw.permutation(seq_len)
    neighbour = torch.empty(seq_len, dtype=torch.int64)
    neighbour[circle] = circle.roll(1)  # the key that each query is to find
    moves_on = torch.cat([neighbour, torch.arange(seq_len, d_model)])
    weight_k = torch.empty(d_model, d_model)
    # Feature f of the projected key is where the tokens' feature f's neighbour was.
    weight_k[torch.arange(d_model)] = rotation[moves_on]
    module = inject(make(learner, draw, 1, d_model), W_q=rotation, W_k=weight_k)
    # Negative numbers come out of both projections: what cuts them off (a ReLU, say) is no projection.
    x = -math.sqrt(FAR * math.sqrt(d_model)) * rotation[:seq_len][None]

    _, weights = self_attend(module, x)

    rows = expect_tensor(over_heads(weights), "attention_weights", (1, seq_len, seq_len), ROWS)
    expect_equal(rows[0].argmax(dim=-1), neighbour, "the key with the largest weight", ("seq_q",))


def test_values_go_through_their_own_projection(learner, draw):
    """What is handed over is the value, projected once by W_v and by nothing else.

    With a single key its weight is 1 whatever the scores are, and W_o is the identity: the output is W_v of the value.
    """
    num_heads, d_k = draw.integers(2, 5), draw.integers(5, 8)
    d_model = num_heads * d_k
    weight = ordinary(draw, d_model, d_model)
    module = inject(make(learner, draw, num_heads, d_k), W_v=weight, W_o=torch.eye(d_model))
    query, key, value = (draw.normal(1, 1, d_model) for _ in range(3))

    output, _ = attend(module, query, key, value)

    expected = (value[0, 0].double() @ weight.double().T).float()
    expect_close(output.reshape(-1), expected, "output of a single token", ("d_model",), atol=CLOSE)
    other, _ = attend(module, query, key, draw.normal(1, 1, d_model))
    expect(moved(other, output) > MOVES, "The output stays the same when the value changes.")


def test_the_output_goes_through_w_o(learner, draw):
    """The merged heads go through W_o, once.

    With a single key and identity layers elsewhere the output is W_o of the value.
    """
    num_heads, d_k = draw.integers(2, 5), draw.integers(5, 8)
    d_model = num_heads * d_k
    eye, weight = torch.eye(d_model), ordinary(draw, d_model, d_model)
    module = inject(make(learner, draw, num_heads, d_k), W_q=eye, W_k=eye, W_v=eye, W_o=weight)
    x = draw.uniform(1, 1, d_model, low=0.5, high=2.0)

    output, _ = self_attend(module, x)

    expected = (x[0, 0].double() @ weight.double().T).float()
    expect_close(output.reshape(-1), expected, "output of a single token", ("d_model",), atol=CLOSE)


def test_w_o_mixes_the_heads(learner, draw, observe):
    """What one head found reaches every feature of the output.

    This is what W_o is for: without it each part of the output would know the findings of one head only.
    """
    num_heads, d_k = draw.integers(2, 5), draw.integers(5, 8)
    d_model = num_heads * d_k
    eye, weight = torch.eye(d_model), draw.uniform(d_model, d_model, low=0.2, high=1.0)
    module = inject(make(learner, draw, num_heads, d_k), W_q=eye, W_k=eye, W_v=eye, W_o=weight)
    value = draw.uniform(1, 1, d_model, low=0.5, high=2.0)
    changed_value = value.clone()
    changed_value[..., :d_k] += 1.0

    output, _ = self_attend(module, value)
    changed, _ = self_attend(module, changed_value)

    expect(changed.shape == output.shape, "Two calls with inputs of one shape give outputs of different shapes.")
    change = (changed - output).reshape(-1)
    moved_features = int((change.abs() > MOVES).sum())
    observe("A change in head 0 reaches every feature.", features_of_head_0=d_k, features_that_move=moved_features)
    expect(moved_features == d_model, "What head 0 found does not reach every feature of the output.")
    expected = weight[:, :d_k].double().sum(dim=1).to(change.dtype)
    # Differences of numbers up to 50, each right to 1e-6 of its size.
    expect_close(change, expected, "the change of the output", ("d_model",), atol=2e-4)


# --- everything together --------------------------------------------------------------------------


def test_self_attention_gives_the_right_numbers(learner, draw):
    """Self-attention with ordinary weights gives the right outputs and weights.

    Everything that the checks before looked at one by one, at once.
    """
    for _ in range(2):
        size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=8)
        x = draw.normal(size.batch, size.seq_len, size.num_heads * size.d_k)
        module = make(learner, draw, size.num_heads, size.d_k)

        expect_reference(module, draw, size.num_heads, x, x, x)


def test_masked_self_attention_gives_the_right_numbers(learner, draw):
    """Self-attention with a causal mask that also keeps padding out gives the right outputs and weights.

    A decoder trains with exactly this.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=3, high=8)
    x = draw.normal(size.batch, size.seq_len, size.num_heads * size.d_k)
    lengths = draw.lengths(size.batch, size.seq_len)
    padding = torch.arange(size.seq_len)[None, None, None] < lengths[:, None, None, None]
    mask = padding & torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril()  # (batch, 1, seq_len, seq_len)
    module = make(learner, draw, size.num_heads, size.d_k)

    expect_reference(module, draw, size.num_heads, x, x, x, mask)


def test_masked_cross_attention_gives_the_right_numbers(learner, draw):
    """Cross-attention to padded sentences, with key and value from different tensors, gives the right numbers.

    Query, key and value are all different here, so whatever is taken from the wrong one shows.
    """
    size = draw.sizes("batch", "seq_q", "seq_k", "num_heads", "d_k", low=3, high=8)
    d_model = size.num_heads * size.d_k
    query = draw.normal(size.batch, size.seq_q, d_model)
    key, value = (draw.normal(size.batch, size.seq_k, d_model) for _ in range(2))
    lengths = draw.lengths(size.batch, size.seq_k)
    mask = torch.arange(size.seq_k)[None, None, None] < lengths[:, None, None, None]
    module = make(learner, draw, size.num_heads, size.d_k)

    expect_reference(module, draw, size.num_heads, query, key, value, mask)


# --- samples and calls ----------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_each_sample_is_answered_alone(learner, draw):
    """A sample gets the same answer alone as in a batch.

    Otherwise a sentence would be understood differently depending on which others it happens to be read with.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(size.batch, size.seq_len, d_model)

    output, _ = self_attend(module, x)

    alone = torch.cat([self_attend(module, x[sample : sample + 1])[0] for sample in range(size.batch)])
    expect_close(output, alone, "output", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_equal_samples_get_equal_answers(learner, draw):
    """The same sentence twice in a batch, in evaluation mode, gets the same answer twice.

    Dropout that is still at work after eval() would give it two.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(1, size.seq_len, d_model).repeat(size.batch, 1, 1)

    output, _ = self_attend(module, x)

    expect_tensor(output, "output", x.shape, OUTPUT)
    expect_close(output, output[:1].expand_as(output), "output", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_earlier_calls_leave_no_trace(learner, draw):
    """A call gets the same answer whatever the module was asked before.

    A mask, keys or a length that is kept from the last call is used for the wrong sentence in the next.
    """
    size = draw.sizes("seq_len", "other_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    values = fill(module, draw)
    x, y = draw.normal(1, size.seq_len, d_model), draw.normal(1, size.other_len, d_model)
    mask = random_mask(draw, size.seq_len)

    first, _ = self_attend(module, x)
    self_attend(module, y)
    self_attend(module, draw.normal(1, size.seq_len, d_model), mask.mT.contiguous())
    again, _ = self_attend(module, x)
    masked, _ = self_attend(module, x, mask)

    expect_close(again, first, "output", OUTPUT, atol=CLOSE)
    if values:
        # A module that has not been asked yet, of files that have just been loaded. (Without any values to load the two
        # would differ in any case.) The mask before was another one, because none that is drawn is symmetric.
        learner.forget()
        fresh = make(learner, draw, size.num_heads, size.d_k).load(values)
        expected, _ = self_attend(fresh, x, mask)
        expect_close(masked, expected, "output with a mask", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_training_gives_the_same_answer(learner, draw):
    """In training mode the answer is the one of evaluation mode.

    There is no dropout in this exercise: the blocks around the attention drop what is to be dropped.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(2, size.seq_len, size.num_heads * size.d_k)

    expected, _ = self_attend(module, x)
    output, _ = self_attend(module.train(), x)

    expect_close(output, expected, "output in training mode", OUTPUT, atol=CLOSE)


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_gradients_reach_query_key_and_value(learner, draw):
    """The gradients of query, key and value are those of the output that was computed.

    They are compared with what the output really does when an input moves a little. A detach, .data or NumPy on the way
    leaves the output right and stops the learning.
    """
    size = draw.sizes("num_heads", "d_k", low=2, high=4, batch=2, seq_len=5)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    module.to(torch.float64)
    inputs = [draw.normal(size.batch, size.seq_len, d_model, dtype=torch.float64) for _ in range(3)]
    # Each query may attend to its own key and the next, so that there is a choice.
    mask = torch.eye(size.seq_len, dtype=torch.bool)
    mask = mask | mask.roll(1, dims=1)
    along = draw.normal(size.batch, size.seq_len, d_model, dtype=torch.float64)

    found = module.gradients(*inputs, mask, along=along, of=output_position(module(*inputs, mask)))

    reached = []
    for position, name in enumerate(("query", "key", "value")):

        def answer(moved_input, position=position):
            arguments = [*inputs[:position], moved_input, *inputs[position + 1 :]]
            return attend(module, *arguments, mask)[0]

        slope = expect_slope(answer, inputs[position], found.arguments[position], along, name, draw)
        reached.append(slope > MOVES)
    expect(reached[0] and reached[1], "The output does not depend on both query and key.")


def output_position(got):
    """Where in the returned pair the output is."""
    first, second = expect_pair(got)
    return 1 if in_order(first, second)[0] is second else 0


@pytest.mark.depends_on("it_attends")
def test_gradients_reach_every_layer(learner, draw):
    """The gradient of every parameter is that of the output that was computed.

    A layer without a gradient never learns. (The bias of W_k has a gradient of zero: it moves all scores of a row
    alike.)
    """
    size = draw.sizes("num_heads", "d_k", low=2, high=4, batch=2, seq_len=5)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    module.to(torch.float64)
    inputs = [draw.normal(size.batch, size.seq_len, d_model, dtype=torch.float64) for _ in range(3)]
    along = draw.normal(size.batch, size.seq_len, d_model, dtype=torch.float64)
    parameters = module.parameters()

    found = module.gradients(*inputs, along=along, of=output_position(module(*inputs)))

    reached = 0
    for name, parameter in parameters.items():

        def answer(moved_parameter, name=name):
            return attend(module.load({name: moved_parameter}), *inputs)[0]

        start = parameter.to(torch.float64)
        slope = expect_slope(answer, start, found.parameters.get(name), along, name, draw)
        module.load({name: parameter})
        reached += name.endswith("weight") and slope > MOVES
    expect(reached >= len(LAYERS) - 1, "Some layers do not change the output at all.")


# --- robustness -----------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_a_query_without_keys_finds_nothing(learner, draw):
    """A query that may attend to nothing finds nothing, and the others find what they always do.

    A softmax over nothing but -inf is 0 / 0, and the NaN that comes out spreads to everything after it. One head and
    values that are 1 at one feature each: the output spells out the weights that were used.
    """
    size = draw.sizes("seq_len", low=4, high=6, d_model=draw.integers(7, 10))
    seq_len, eye = size.seq_len, torch.eye(size.d_model)
    module = inject(make(learner, draw, 1, size.d_model), W_q=eye, W_k=eye, W_v=eye, W_o=eye)
    memory = one_hot(seq_len, size.d_model)[None]
    mask, empty = mask_with_an_empty_row(draw, seq_len)

    output, _ = attend(module, draw.uniform(1, seq_len, size.d_model), memory, memory, mask)

    found = expect_finite(output, "output", OUTPUT).abs().amax(dim=-1) > 1e-6
    expected = (torch.arange(seq_len) != empty)[None]
    expect_equal(found, expected, "which queries find something", ("batch", "seq_q"))


def mask_with_an_empty_row(draw, seq_len):
    """A mask (seq_len, seq_len) with one row, but no column, that allows nothing; and the number of that row."""
    mask, empty = random_mask(draw, seq_len), draw.integers(1, seq_len - 1)
    mask[empty], mask[0] = False, True
    return mask, empty


def test_a_sample_without_keys_gets_the_bias_of_w_o(learner, draw):
    """A sentence that is all padding has outputs equal to the bias of W_o, and not NaN.

    It finds nothing, so nothing but what W_o adds to everything can come out; real batches hold such sentences.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    bias = fill(module, draw).get("W_o.bias")
    x = draw.normal(1, size.seq_len, d_model)
    no_keys, all_keys = (torch.full((1, 1, 1, size.seq_len), allowed) for allowed in (False, True))

    output, weights = self_attend(module, x, no_keys)
    usual, _ = self_attend(module, x, all_keys)
    # A layer may have a bias and be used through its weight alone: then nothing changes without it, and zero is right.
    constant = torch.zeros(d_model)
    if bias is not None:
        module.load({"W_o.bias": torch.zeros_like(bias)})
        without_bias, _ = self_attend(module, x, all_keys)
        constant = bias if moved(usual, without_bias) > MOVES else constant

    expect_equal(over_heads(weights), draw.zeros(1, size.seq_len, size.seq_len).double(), "attention_weights", ROWS)
    expect_finite(output, "output", OUTPUT)
    expect_close(output, constant.expand_as(x).contiguous(), "output", OUTPUT, atol=CLOSE)
    expect(moved(usual, output) > MOVES, "A sentence with keys gets the same output as one without.")


@pytest.mark.depends_on("it_attends")
def test_no_nan_reaches_a_gradient(learner, draw):
    """A query that may attend to nothing lets no NaN into any gradient.

    Writing zeros over a NaN afterwards repairs the output alone: on the way back 0 * NaN is NaN again, and one such row
    spoils every parameter.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    mask, _ = mask_with_an_empty_row(draw, size.seq_len)
    inputs = [draw.normal(1, size.seq_len, d_model) for _ in range(3)]
    along = draw.normal(1, size.seq_len, d_model)

    found = module.gradients(*inputs, mask, along=along, of=output_position(module(*inputs, mask)))

    gradients = dict(zip(("query", "key", "value"), found.arguments, strict=False)) | found.parameters
    there = {name: gradient for name, gradient in gradients.items() if gradient is not None}
    for name, gradient in there.items():
        expect_finite(expect_gradient(gradient, name), f"the gradient of {name}")
    expect(any(float(gradient.abs().max()) > MOVES for gradient in there.values()), "No gradient reaches anything.")


@pytest.mark.depends_on("it_attends")
def test_inputs_are_left_alone(learner, draw):
    """A call changes neither query, key and value nor the mask.

    The caller still needs them: for the residual connection, for the next layer, for the next head of the model.
    """
    size = draw.sizes("seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    length = draw.integers(1, size.seq_len)
    padding = (torch.arange(size.seq_len) < length)[None, None, None]

    for mask in ((), (padding,), (random_mask(draw, size.seq_len),)):
        inputs = [draw.normal(1, size.seq_len, d_model) for _ in range(3)]
        expect_unchanged(module.observe(*inputs, *mask), ("query", "key", "value", "mask"))


@pytest.mark.depends_on("it_attends")
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """Making a module whose d_model cannot be divided by num_heads raises.

    Otherwise features are dropped in silence, or the first call fails with a message about shapes.
    """
    num_heads, d_k = draw.integers(3, 6), draw.integers(3, 6)

    expect_raises(
        lambda: learner.MultiHeadAttention(num_heads * d_k + draw.integers(1, num_heads), num_heads),
        "A d_model that num_heads does not divide is accepted.",
    )


# --- numerics and devices -------------------------------------------------------------------------


def expect_dtype(learner, draw, dtype, atol):
    """Expect output and weights in the dtype of the inputs, close to the module's own float32 answer."""
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module, converted = (make(learner, draw, size.num_heads, size.d_k) for _ in range(2))
    values = fill(module, draw)
    if values:
        converted.load(values)
    converted.to(dtype)
    x = draw.normal(size.batch, size.seq_len, d_model)
    causal_mask = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril()

    for mask in ((), (causal_mask,)):
        expected, _ = self_attend(module, x, *mask)
        output, weights = self_attend(converted, x.to(dtype), *mask)
        expect_tensor(output, "output", expected.shape, OUTPUT, dtype)
        expect_tensor(weights, "attention_weights", dtype=dtype)
        expect_close(output, expected.to(dtype), "output", OUTPUT, atol=atol)


@pytest.mark.depends_on("it_attends")
def test_double_in_gives_double_out(learner, draw):
    """A float64 module given float64 inputs answers in float64.

    A tensor that is made without a dtype is float32, and mixing the two raises or rounds.
    """
    # The module's own float32 answer is right to 1.2e-6.
    expect_dtype(learner, draw, torch.float64, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_half_in_gives_half_out(learner, draw):
    """A float16 module given float16 inputs answers in float16.

    Large models run like this. A constant such as -1e9 does not fit into float16, whose largest number is 65504.
    """
    # float16 has 11 bits; correct forms differ from their own float32 answer by up to 4e-3 (16 forms, 6 draws).
    expect_dtype(learner, draw, torch.float16, atol=0.03)


@pytest.mark.depends_on("it_attends")
def test_bfloat16_in_gives_bfloat16_out(learner, draw):
    """A bfloat16 module given bfloat16 inputs answers in bfloat16.

    It has the range of float32 and the precision of 8 bits.
    """
    # 8 bits; correct forms differ from their own float32 answer by up to 2.4e-2 (16 forms, 6 draws).
    expect_dtype(learner, draw, torch.bfloat16, atol=0.25)


@pytest.mark.depends_on("it_attends")
def test_large_scores_stay_finite(learner, draw):
    """Scores of several hundred give finite weights, the same as in double precision.

    exp(100) does not fit into float32. A softmax subtracts the largest score first, which changes nothing else.
    """
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=3, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(size.batch, size.seq_len, d_model)
    # The largest score is about 12 * 12 * sqrt(d_k), up to 400: too much for exp in float32, not in float64.
    x = 12.0 * x / x.square().mean(dim=-1, keepdim=True).sqrt()

    output, weights = self_attend(module, x)
    module.to(torch.float64)
    own_output, own_weights = self_attend(module, x.double())

    expect_finite(weights, "attention_weights", WEIGHTS)
    # Scores of 400 are known to 5e-5 in float32; weights came out right to 3e-5 and outputs to 4e-4 (16 forms).
    expect_close(weights, own_weights.to(weights.dtype), "attention_weights", WEIGHTS, atol=2e-3)
    expect_close(output, own_output.to(output.dtype), "output", OUTPUT, atol=2e-2)


def expect_device(learner, draw, device, atol):
    """Expect the module's own answers on another device, with and without a mask."""
    size = draw.sizes("batch", "seq_len", "num_heads", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    module = make(learner, draw, size.num_heads, size.d_k)
    fill(module, draw)
    x = draw.normal(size.batch, size.seq_len, d_model)
    causal_mask = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril()

    for mask in ((), (causal_mask,)):
        expected_output, expected_weights = self_attend(module, x, *mask)
        observed = module.on(device).observe(x, x, x, *mask)
        output, weights = in_order(*expect_pair(observed.value))
        expect_close(output, expected_output, "output", OUTPUT, atol=atol)
        expect_close(weights, expected_weights, "attention_weights", WEIGHTS, atol=atol)
        expect("cpu" not in observed.devices, "The results were left on the CPU.")


@pytest.mark.depends_on("it_attends")
def test_a_pretended_accelerator_gives_the_same_numbers(learner, draw):
    """On another device nothing is left behind on the CPU.

    A tensor that is made without device=... is on the CPU, and so is a layer that is not registered: on a GPU both
    raise.
    """
    expect_device(learner, draw, "pretend", CLOSE)


@pytest.mark.accelerator
@pytest.mark.depends_on("it_attends")
def test_a_real_accelerator_gives_the_same_numbers(learner, draw):
    """On a real accelerator the answers are those of the CPU.

    Only where this machine has one.
    """
    # Sums run in another order there, and some cards round the inputs of a matrix product to 10 bits (TF32).
    expect_device(learner, draw, "accelerator", 1e-2)


# --- concepts -------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_heads_cost_no_parameters(learner, draw, observe):
    """The number of parameters does not depend on the number of heads.

    Four layers of d_model * d_model weights serve any number of heads, each getting thinner as they get more.
    """
    d_model = 12 * draw.integers(1, 4)
    counts = {}
    for num_heads in (1, 2, 3, 6):
        module = learner.MultiHeadAttention(d_model, num_heads).eval()
        counts[num_heads] = sum(parameter.numel() for parameter in module.parameters().values())

    observe(
        "Six heads have as many parameters as one: each has a sixth of the features.",
        parameters_with_1_head=counts[1],
        parameters_with_6_heads=counts[6],
    )
    expect(len(set(counts.values())) == 1, "The number of parameters changes with the number of heads.")
    with_biases = 4 * d_model * (d_model + 1)
    expect(
        4 * d_model**2 <= counts[1] <= with_biases, "There are not the parameters of four layers (d_model, d_model)."
    )
