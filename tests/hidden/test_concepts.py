"""Hidden suite: concepts"""

import itertools
import math

import torch

from grader.suite import expect, expect_close, expect_pair, expect_tensor

# Predictions (`predicts_…`) are judged by themselves, whatever became of the code. Each experiment is compared with the
# right answer on drawn inputs, and then measures what its questions ask, with the numbers that this learner was asked
# (`measures_…`). Correct forms differ by less than 1e-6 in float32 on inputs of this size; mistakes are larger by
# orders of magnitude, so 1e-4 leaves room.
ATOL = 1e-4


# ---- Reading an answer ----------------------------------------------------------------------------------------------


def numbers_in(got, count, what):
    """The numbers in a tensor, a number, or a tuple or list of numbers: all of these say the same."""
    if isinstance(got, torch.Tensor):
        parts = got.flatten().tolist() if not got.is_complex() else []
    else:
        parts = list(got) if isinstance(got, (tuple, list)) else [got]
        parts = [part.item() if isinstance(part, torch.Tensor) and part.numel() == 1 else part for part in parts]
    real = all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in parts)
    expect(
        real and len(parts) == count,
        f"{what} should be {count} numbers." if count > 1 else f"{what} should be one number.",
    )
    return [float(part) for part in parts]


def expect_number(got, expected, what, tolerance=1e-3):
    """Compare a number; a thousandth is far more than rounding and far less than any known mistake."""
    expect_close(
        torch.tensor(got, dtype=torch.float64),
        torch.tensor(float(expected), dtype=torch.float64),
        what,
        atol=tolerance * max(1.0, abs(float(expected))),
    )


def confirm(answers, observe, question, measured, expected=None):
    """Show what was measured beside what was predicted, if it was, then expect it to be what the idea says."""
    if answers.is_answered(question):
        observe(answers.pose(question).sentence, **answers.beside(question, measured))
    parts = measured if isinstance(measured, tuple) else (measured,)
    right = answers.pose(question).right if expected is None else expected
    for got, wanted in zip(parts, right if isinstance(right, tuple) else (right,), strict=True):
        # What is measured on random numbers scatters by a few thousandths; known mistakes are further away than 6 %.
        expect_number(got, wanted, "what your code measures", tolerance=0.06)


def attention(query, key, value, mask=None):
    """Scaled dot-product attention in float64."""
    scores = query.double() @ key.double().T / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return (weights @ value.double()).float(), weights.float()


def places_changed(before, after):
    """How many rows differ. Tokens are drawn short, so that no key's weight is too small for it to be seen."""
    return int(((before - after).abs().amax(dim=-1) > ATOL).sum())


# ---- Predictions ----------------------------------------------------------------------------------------------------


def test_predicts_spread_of_scores(answers):
    """You predict the spread of scores that are not scaled."""
    answers.expect_right("spread_of_scores")


def test_predicts_spread_when_wider(answers):
    """You predict what more features do to the spread of scores."""
    answers.expect_right("spread_when_wider")


def test_predicts_order_of_sharpness(answers):
    """You predict what the scale does to the largest weight."""
    answers.expect_right("order_of_sharpness")


def test_predicts_fetched_value(answers):
    """You predict which value a query fetches."""
    answers.expect_right("fetched_value")


def test_predicts_zero_query(answers):
    """You predict what a query of zeros fetches."""
    answers.expect_right("zero_query")


def test_predicts_values_and_weights(answers):
    """You predict what values have to do with weights."""
    answers.expect_right("values_and_weights")


def test_predicts_width_of_a_head(answers):
    """You predict how wide a head is."""
    answers.expect_right("width_of_a_head")


def test_predicts_first_row_of_a_head(answers):
    """You predict where in W_Q a head's own projection is."""
    answers.expect_right("first_row_of_a_head")


def test_predicts_weights_of_heads(answers):
    """You predict what heads cost."""
    answers.expect_right("weights_of_heads")


def test_predicts_features_of_one_head(answers):
    """You predict what W_O does with the heads."""
    answers.expect_right("features_of_one_head")


def test_predicts_weights_of_w_o_for_one_head(answers):
    """You predict which part of W_O a head meets."""
    answers.expect_right("weights_of_w_o_for_one_head")


def test_predicts_twin_of_a_sine(answers):
    """You predict why a sine alone is not enough."""
    answers.expect_right("twin_of_a_sine")


def test_predicts_power_of_a_shift(answers):
    """You predict what a shift of positions is."""
    answers.expect_right("power_of_a_shift")


def test_predicts_same_dot_product(answers):
    """You predict what the dot product of two positions depends on."""
    answers.expect_right("same_dot_product")


def test_predicts_weight_among_more_keys(answers):
    """You predict what longer sequences do to a weight."""
    answers.expect_right("weight_among_more_keys")


def test_predicts_advantage_for_half(answers):
    """You predict how far a score must stand out."""
    answers.expect_right("advantage_for_half")


def test_predicts_rotated_tokens(answers):
    """You predict what becomes of shuffled tokens."""
    answers.expect_right("rotated_tokens")


def test_predicts_rows_changed_by_a_swap(answers):
    """You predict what a causal mask knows of order."""
    answers.expect_right("rows_changed_by_a_swap")


def test_predicts_shape_of_cross_weights(answers):
    """You predict the shape of weights in cross-attention."""
    answers.expect_right("shape_of_cross_weights")


def test_predicts_reach_of_cross_attention(answers):
    """You predict what one token reaches in cross-attention."""
    answers.expect_right("reach_of_cross_attention")


def test_predicts_reach_of_self_attention(answers):
    """You predict what one token reaches in self-attention."""
    answers.expect_right("reach_of_self_attention")


def test_predicts_pairs_that_see_each_other(answers):
    """You predict how much a causal mask lets through."""
    answers.expect_right("pairs_that_see_each_other")


def test_predicts_step_by_step_row(answers):
    """You predict training with a mask and decoding step by step."""
    answers.expect_right("step_by_step_row")


def test_predicts_weight_behind_a_zero(answers):
    """You predict a mask that puts zeros among the scores."""
    answers.expect_right("weight_behind_a_zero")


def test_predicts_weight_beside_minus_infinity(answers):
    """You predict what is left for the others beside a masked key."""
    answers.expect_right("weight_beside_minus_infinity")


def test_predicts_largest_additive_score(answers):
    """You predict how large an additive score can become."""
    answers.expect_right("largest_additive_score")


def test_predicts_growth_of_scores(answers):
    """You predict how dot and additive scores grow with the query."""
    answers.expect_right("growth_of_scores")


def test_predicts_where_costs_cross(answers):
    """You predict where mixing costs as much as projecting."""
    answers.expect_right("where_costs_cross")


def test_predicts_cost_of_longer_sequences(answers):
    """You predict what longer sequences cost."""
    answers.expect_right("cost_of_longer_sequences")


# ---- Why scale ------------------------------------------------------------------------------------------------------


def reference_sharpness(query, key, scaled):
    """Standard deviation of all scores, and the mean of each query's largest weight."""
    scores = query.double() @ key.double().T
    scores = scores / math.sqrt(query.shape[-1]) if scaled else scores
    return scores.std().item(), scores.softmax(dim=-1).amax(dim=-1).mean().item()


def sharpness(learner, query, key, scaled):
    """The learner's two numbers."""
    return numbers_in(learner.sharpness(query, key, scaled), 2, "what sharpness returns")


def draw_tokens(draw, d_k):
    """Normal tokens whose variance is exactly one, so many that their scores' spread is known to a few thousandths.

    Of tokens as they are drawn, 12000 numbers have a variance between 0.95 and 1.05 or so, and so have their scores.
    """
    tokens = draw.normal(max(300, 12000 // d_k), d_k)
    return tokens / tokens.square().mean().sqrt()


def test_sharpness_sees_all_scores(learner, draw):
    """`sharpness` gives the spread of all scores and the mean of each query's largest weight.

    Some queries here are longer than others, so that a spread within each row is another number than that of all.
    """
    size = draw.sizes("d_k", low=4, high=9)
    query = draw.normal(24, size.d_k) * torch.tensor([0.3, 1.5]).repeat(12).unsqueeze(1)
    key = draw.normal(40, size.d_k)
    for scaled in (False, True):
        spread, largest = sharpness(learner, query, key, scaled)
        right = reference_sharpness(query, key, scaled)
        name = "scaled" if scaled else "unscaled"
        # 960 scores: dividing by 960 or by 959 is all the same within 1e-3.
        expect_number(spread, right[0], f"the spread of {name} scores", tolerance=2e-3)
        expect_number(largest, right[1], f"the largest weight of {name} scores")


def test_measures_spread_of_scores(learner, draw, answers, observe):
    """Your `sharpness` measures the spread of unscaled scores at your d_k."""
    d_k = answers.numbers("spread_of_scores")["d_k"]
    spread, _ = sharpness(learner, draw_tokens(draw, d_k), draw_tokens(draw, d_k), False)
    confirm(answers, observe, "spread_of_scores", spread)


def test_measures_spread_when_wider(learner, draw, answers, observe):
    """Your `sharpness` measures how the spread grows with d_k, unscaled and scaled."""
    n = answers.numbers("spread_when_wider")
    growth = []
    for scaled in (False, True):
        narrow, wide = (
            sharpness(learner, draw_tokens(draw, d_k), draw_tokens(draw, d_k), scaled)[0]
            for d_k in (n["small"], n["large"])
        )
        growth.append(wide / narrow if narrow else 0.0)
    confirm(answers, observe, "spread_when_wider", tuple(growth))


def test_measures_order_of_sharpness(learner, draw, answers, observe):
    """Your `sharpness` measures the largest weights of the four, in the right order."""
    posed = answers.pose("order_of_sharpness")
    n = posed.numbers
    wide, narrow, key = draw.normal(64, n["large"]), draw.normal(64, n["small"]), draw.normal(16, n["large"])
    largest = (
        sharpness(learner, wide, key, False)[1],
        sharpness(learner, narrow, key[:, : n["small"]].contiguous(), False)[1],
        sharpness(learner, wide, key, True)[1],
        # Divided by √d_k once more, that is by d_k in all.
        sharpness(learner, wide / math.sqrt(n["large"]), key, True)[1],
    )
    shown = dict(zip(("first", "second", "third", "fourth"), largest, strict=True))
    if answers.is_answered("order_of_sharpness"):
        observe(posed.sentence, **shown)
    expect(
        0.8 < largest[0] <= 1 and all(a > b + 0.02 for a, b in itertools.pairwise(largest)) and largest[3] < 0.1,
        "The four largest weights that your code measures are not in the order that they should be in.",
    )


# ---- Query, key and value -------------------------------------------------------------------------------------------


def test_look_up_is_attention_with_a_louder_query(learner, draw):
    """`soft_look_up` is attention with the query multiplied by the gain, and nothing else."""
    size = draw.sizes("seq_q", "seq_k", "d_k", "d_v", low=3, high=9)
    query, key, value = (
        draw.normal(size.seq_q, size.d_k),
        draw.normal(size.seq_k, size.d_k),
        draw.normal(size.seq_k, size.d_v),
    )
    for gain in (0.5, 3.0):
        expected, _ = attention(gain * query, key, value)
        expect_close(
            learner.soft_look_up(query, key, value, gain),
            expected,
            "what soft_look_up returns",
            ("seq_q", "d_v"),
            atol=ATOL,
        )


def test_measures_fetched_value(learner, answers, observe):
    """Your `soft_look_up` fetches the value whose key matches."""
    n = answers.numbers("fetched_value")
    unit = torch.eye(n["count"])
    key, value = unit[n["order"]], torch.tensor(n["values"], dtype=torch.float32).unsqueeze(1)
    got = learner.soft_look_up(unit[n["feature"] : n["feature"] + 1], key, value, 100.0)
    output = expect_tensor(got, "what soft_look_up returns", (1, 1))
    confirm(answers, observe, "fetched_value", output.item())


def test_measures_zero_query(learner, draw, answers, observe):
    """Your `soft_look_up` with a gain of 0 gives what a query of zeros fetches."""
    n = answers.numbers("zero_query")
    key, value = draw.normal(n["count"], 5), torch.tensor(n["values"], dtype=torch.float32).unsqueeze(1)
    output = expect_tensor(
        learner.soft_look_up(draw.normal(1, 5), key, value, 0.0), "what soft_look_up returns", (1, 1)
    )
    confirm(answers, observe, "zero_query", output.item())


def test_measures_values_and_weights(learner, draw, answers, observe):
    """Your `soft_look_up` shows what larger values change.

    With values that are the unit vectors the output is the weights themselves, which are seen so.
    """
    factor = answers.numbers("values_and_weights")["factor"]
    query, key, value = draw.normal(1, 6) / 2, draw.normal(5, 6) / 2, draw.uniform(5, 3, low=1.0, high=2.0)

    before, after = (
        expect_tensor(
            learner.soft_look_up(query, key, torch.cat([by * value, torch.eye(5)], dim=1), 2.0),
            "what soft_look_up returns",
            (1, 8),
        ).double()
        for by in (1, factor)
    )
    expect(
        bool((before.abs() > 1e-6).all()),
        "Some of what your code looks up is zero, although no value and no weight is.",
    )
    grown = [(after[0, part].norm() / before[0, part].norm()).item() for part in (slice(3, 8), slice(0, 3))]
    expect(abs(before[0, 3:].sum().item() - 1) < 1e-3, "With unit vectors as values, your outputs do not sum to one.")
    confirm(answers, observe, "values_and_weights", tuple(grown))


# ---- Heads ----------------------------------------------------------------------------------------------------------


def head_by_head(learner, x, weight, num_heads):
    """The learner's heads and small projections."""
    return expect_pair(learner.head_by_head(x, weight, num_heads), ("heads", "small"))


def test_small_projections_do_what_one_does(learner, draw):
    """`head_by_head` gives what split_heads(x @ weight.T) gives, and the weights that each head used."""
    size = draw.sizes("batch", "num_heads", "seq_len", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    x, weight = draw.normal(size.batch, size.seq_len, d_model), draw.normal(d_model, d_model)
    expected = (x.double() @ weight.double().T).float()
    expected = expected.view(size.batch, size.seq_len, size.num_heads, size.d_k).transpose(1, 2).contiguous()

    heads, small = head_by_head(learner, x, weight, size.num_heads)

    expect_close(heads, expected, "heads", ("batch", "num_heads", "seq_len", "d_k"), atol=ATOL)
    expect_close(
        small, weight.view(size.num_heads, size.d_k, d_model), "small", ("num_heads", "d_k", "d_model"), atol=ATOL
    )


def test_measures_width_of_a_head(learner, draw, answers, observe):
    """Your `head_by_head` shows how wide a head is."""
    n = answers.numbers("width_of_a_head")
    x, weight = draw.normal(1, 2, n["d_model"]), draw.normal(n["d_model"], n["d_model"])
    heads, small = head_by_head(learner, x, weight, n["h"])
    fits = heads.dim() == 4 and small.dim() == 3 and small.shape[-1] == n["d_model"]
    expect(fits, "heads should be (batch, num_heads, seq_len, d_k), small (num_heads, d_k, d_model).")
    expect(torch.isin(small[0], weight).all(), "small should hold the weights of each head's projection.")
    # Sums of several hundred products, of which float32 keeps five digits.
    expect_close(heads[0, 0], x[0] @ small[0].T, "the first head, by its own small projection", atol=1e-2)
    confirm(answers, observe, "width_of_a_head", float(heads.shape[-1]))


def test_measures_first_row_of_a_head(learner, draw, answers, observe):
    """Your `head_by_head` shows which row of W_Q a head begins with."""
    n = answers.numbers("first_row_of_a_head")
    weight = draw.normal(n["d_model"], n["d_model"])
    _, small = head_by_head(learner, draw.normal(1, 1, n["d_model"]), weight, n["h"])
    fits = small.dim() == 3 and small.shape[0] > n["head"] and small.shape[1] > 0 and small.shape[2] == n["d_model"]
    expect(fits, "small should be (num_heads, d_k, d_model).")
    distance = (weight - small[n["head"], 0]).abs().amax(dim=1)
    expect(distance.min() < ATOL, "The first row of this head's projection is no row of W_Q.")
    confirm(answers, observe, "first_row_of_a_head", float(distance.argmin()))


def test_measures_weights_of_heads(learner, draw, answers, observe):
    """Your `head_by_head` shows how many weights one head has, and all of them with twice the heads."""
    n = answers.numbers("weights_of_heads")
    x, weight = draw.normal(1, 1, n["d_model"]), draw.normal(n["d_model"], n["d_model"])
    _, small = head_by_head(learner, x, weight, n["h"])
    _, twice = head_by_head(learner, x, weight, n["twice"])
    expect(
        small.dim() == 3 and torch.isin(small[0], weight).all(),
        "small should hold the weights of each head's projection.",
    )
    # Random numbers of float32 hold a few equal ones, far fewer than one in a hundred.
    distinct = twice[torch.isin(twice, weight)].unique().numel()
    confirm(answers, observe, "weights_of_heads", (float(small[0].unique().numel()), float(distinct)))


# ---- W_O ------------------------------------------------------------------------------------------------------------


def draw_layer(draw, n, seq_len=2):
    """What the heads found, (1, h, seq_len, d_k), and W_O."""
    return draw.normal(1, n["h"], seq_len, n["d_k"]), draw.normal(n["d_model"], n["d_model"])


def test_shares_of_heads_add_up_to_the_output(learner, draw):
    """`shares_of_heads` gives each head's own contribution; together they are the output of W_O."""
    size = draw.sizes("batch", "num_heads", "seq_len", "d_k", low=2, high=7)
    d_model = size.num_heads * size.d_k
    heads, w_o = draw.normal(size.batch, size.num_heads, size.seq_len, size.d_k), draw.normal(d_model, d_model)
    alone = torch.zeros(size.num_heads, *heads.shape)
    for head in range(size.num_heads):
        alone[head, :, head] = heads[:, head]
    merged = alone.transpose(2, 3).reshape(size.num_heads, size.batch, size.seq_len, d_model)
    expected = (merged.double() @ w_o.double().T).float()

    got = learner.shares_of_heads(heads, w_o)

    expect_close(got, expected, "shares", ("num_heads", "batch", "seq_len", "d_model"), atol=ATOL)


def test_measures_features_of_one_head(learner, draw, answers, observe):
    """Your `shares_of_heads` shows how many features one head reaches, without and with W_O."""
    n = answers.numbers("features_of_one_head")
    heads, w_o = draw_layer(draw, n)
    reached = []
    for weights in (torch.eye(n["d_model"]), w_o):
        shares = expect_tensor(learner.shares_of_heads(heads, weights), "shares", (n["h"], 1, 2, n["d_model"]))
        reached.append(float((shares[n["head"], 0].abs().amax(dim=0) > 0).sum()))
    confirm(answers, observe, "features_of_one_head", tuple(reached))


def test_measures_weights_of_w_o_for_one_head(learner, draw, answers, observe):
    """Your `shares_of_heads` shows how many weights of W_O a head meets: those that its share has a gradient for."""
    n = answers.numbers("weights_of_w_o_for_one_head")
    heads, w_o = draw_layer(draw, n)
    along = torch.zeros(n["h"], 1, 2, n["d_model"])
    along[1] = draw.normal(1, 2, n["d_model"])
    expect_tensor(learner.shares_of_heads(heads, w_o), "shares", (n["h"], 1, 2, n["d_model"]))
    gradient = learner.shares_of_heads.gradients(heads, w_o, along=along, wrt=(1,)).arguments[1]
    met = 0.0 if gradient is None else float((gradient != 0).sum())
    confirm(answers, observe, "weights_of_w_o_for_one_head", met)


# ---- Sine, cosine and the shift -------------------------------------------------------------------------------------


def shift(learner, frequency, k):
    """The learner's matrix, in float64."""
    return expect_tensor(learner.shift_matrix(frequency, k), "what shift_matrix returns", (2, 2)).double()


def place(position, frequency):
    """One pair of the encoding."""
    return torch.tensor([math.sin(position * frequency), math.cos(position * frequency)], dtype=torch.float64)


def test_shift_moves_every_position(learner, draw):
    """`shift_matrix` takes [sin, cos] of any position to those of the position k further."""
    size = draw.sizes("k", low=2, high=9)
    for frequency in (1.0, float(draw.uniform(1, low=0.05, high=0.4))):
        matrix = shift(learner, frequency, size.k)
        for position in (0, 1, 7, 40):
            moved = matrix @ place(position, frequency)
            expect_close(
                moved, place(position + size.k, frequency), f"the pair moved from position {position}", atol=ATOL
            )


def test_measures_twin_of_a_sine(learner, answers, observe):
    """Your `shift_matrix` finds the other position with the same sine."""
    n = answers.numbers("twin_of_a_sine")
    frequency = 2 * math.pi / n["wavelength"]
    start = place(n["a"], frequency)
    step, moved = shift(learner, frequency, 1), [start]
    for _ in range(1, n["wavelength"]):
        moved.append(step @ moved[-1])
    moved = moved[1:]
    gap = torch.stack([(pair[0] - start[0]).abs() for pair in moved])
    expect(gap.min() < ATOL, "No shift by your matrix gives the same sine again.")
    twin = (n["a"] + 1 + int(gap.argmin())) % n["wavelength"]
    confirm(answers, observe, "twin_of_a_sine", float(twin))


def test_measures_power_of_a_shift(learner, answers, observe):
    """Your `shift_matrix` finds which power of a shift is a longer shift."""
    n = answers.numbers("power_of_a_shift")
    frequency = 0.1
    near, far = shift(learner, frequency, n["k"]), shift(learner, frequency, n["far"])
    expect((near - far).abs().max() > 0.01, "Your matrix is the same for both distances.")
    gaps = [(torch.linalg.matrix_power(near, power) - far).abs().max().item() for power in range(1, 9)]
    expect(min(gaps) < 1e-3, "No power of your shorter shift is your longer one.")
    confirm(answers, observe, "power_of_a_shift", float(gaps.index(min(gaps)) + 1))


def test_measures_same_dot_product(learner, answers, observe):
    """Your `shift_matrix` finds the position at which the dot product is the same.

    PE(p) · PE(p + k) is PE(p) · M PE(p), which depends on M and so on k alone.
    """
    n = answers.numbers("same_dot_product")
    frequencies = (1.0, 0.3, 0.05)
    wanted = torch.stack([place(n["a"], f) @ place(n["b"], f) for f in frequencies])
    steps = [shift(learner, frequency, 1) for frequency in frequencies]
    start = [place(n["c"], frequency) for frequency in frequencies]
    moved, gaps = list(start), []
    for _ in range(15):
        moved = [step @ pair for step, pair in zip(steps, moved, strict=True)]
        products = torch.stack([one @ other for one, other in zip(start, moved, strict=True)])
        gaps.append((products - wanted).abs().max().item())
    expect(min(gaps) < ATOL, "No position gives the same dot product with your matrix.")
    confirm(answers, observe, "same_dot_product", float(n["c"] + 1 + gaps.index(min(gaps))))


# ---- Longer sequences -----------------------------------------------------------------------------------------------


def weight_of_one(learner, advantage, seq_len):
    """The learner's number."""
    return numbers_in(learner.weight_of_one(advantage, seq_len), 1, "what weight_of_one returns")[0]


def test_weight_of_one_is_its_softmax(learner, draw):
    """`weight_of_one` is the softmax at a key that stands out from seq_len - 1 equal ones."""
    size = draw.sizes("seq_len", low=3, high=40)
    for advantage in (0.0, 1.5, -0.7):
        expected = math.exp(advantage) / (math.exp(advantage) + size.seq_len - 1)
        expect_number(weight_of_one(learner, advantage, size.seq_len), expected, "what weight_of_one returns", ATOL)


def test_measures_weight_among_more_keys(learner, answers, observe):
    """Your `weight_of_one` measures the weight among more keys."""
    n = answers.numbers("weight_among_more_keys")
    weight = weight_of_one(learner, math.log(n["ratio"]), n["long"])
    right = answers.pose("weight_among_more_keys").right
    expect_number(weight, right, "what your code measures", tolerance=0.02 * right)
    confirm(answers, observe, "weight_among_more_keys", weight)


def test_measures_advantage_for_half(learner, answers, observe):
    """Your `weight_of_one` finds the score that gives half of the weight, by halving an interval."""
    n = answers.numbers("advantage_for_half")["n"]
    low, high = 0.0, 16.0
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if weight_of_one(learner, middle, n) > 0.5 else (middle, high)
    confirm(answers, observe, "advantage_for_half", (low + high) / 2)


# ---- Order without positions ----------------------------------------------------------------------------------------


def attend_in_order(learner, x, order, causal):
    """The learner's outputs."""
    got = learner.attend_in_order(x, torch.tensor(order), causal)
    return expect_tensor(got, "what attend_in_order returns", tuple(x.shape), ("seq_len", "d_model"))


def test_order_is_that_of_the_tokens(learner, draw):
    """`attend_in_order` puts tokens in order and lets them attend to themselves, with and without a causal mask."""
    size = draw.sizes("seq_len", "d_model", low=4, high=9)
    x, order = draw.normal(size.seq_len, size.d_model), draw.permutation(size.seq_len)
    for causal in (False, True):
        mask = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril() if causal else None
        expected, _ = attention(x[order], x[order], x[order], mask)
        got = learner.attend_in_order(x, order, causal)
        expect_close(got, expected, "what attend_in_order returns", ("seq_len", "d_model"), atol=ATOL)


def test_measures_rotated_tokens(learner, draw, answers, observe):
    """Your `attend_in_order` finds which output of before is at your place now."""
    n = answers.numbers("rotated_tokens")
    x = draw.normal(n["n"], 8) / 2
    before = attend_in_order(learner, x, list(range(n["n"])), False)
    after = attend_in_order(learner, x, [(place - n["s"]) % n["n"] for place in range(n["n"])], False)
    gap = (before - after[n["r"]]).abs().amax(dim=1)
    expect((gap < ATOL).sum() == 1, "The output at this place is not just one of those of before.")
    confirm(answers, observe, "rotated_tokens", float(gap.argmin()))


def test_measures_rows_changed_by_a_swap(learner, draw, answers, observe):
    """Your `attend_in_order` counts the places that a swap changes under a causal mask."""
    n = answers.numbers("rows_changed_by_a_swap")
    x, order = draw.normal(n["n"], 8) / 2, list(range(n["n"]))
    swapped = list(order)
    swapped[n["i"]], swapped[n["j"]] = n["j"], n["i"]
    changed = places_changed(attend_in_order(learner, x, order, True), attend_in_order(learner, x, swapped, True))
    confirm(answers, observe, "rows_changed_by_a_swap", float(changed))


# ---- Self and cross -------------------------------------------------------------------------------------------------


def attend_across(learner, decoder, encoder):
    """The learner's output and weights."""
    return expect_pair(learner.attend_across(decoder, encoder))


def test_the_decoder_asks(learner, draw):
    """`attend_across` takes queries from the decoder, keys and values from the encoder."""
    size = draw.sizes("seq_decoder", "seq_encoder", "d_model", low=3, high=9)
    decoder, encoder = draw.normal(size.seq_decoder, size.d_model), draw.normal(size.seq_encoder, size.d_model)
    expected_output, expected_weights = attention(decoder, encoder, encoder)
    output, weights = attend_across(learner, decoder, encoder)
    expect_close(weights, expected_weights, "attention_weights", ("seq_decoder", "seq_encoder"), atol=ATOL)
    expect_close(output, expected_output, "output", ("seq_decoder", "d_model"), atol=ATOL)


def test_measures_shape_of_cross_weights(learner, draw, answers, observe):
    """Your `attend_across` shows the shape of the weights."""
    n = answers.numbers("shape_of_cross_weights")
    _, weights = attend_across(learner, draw.normal(n["decoder"], 6), draw.normal(n["encoder"], 6))
    rows_sum = weights.dim() == 2 and bool(((weights.sum(dim=1) - 1).abs() < 1e-3).all())
    uneven = bool(((weights - 1.0 / max(1, weights.shape[-1])).abs() > 0.02).any())
    expect(rows_sum and uneven, "attention_weights should be a matrix in which each row sums to one.")
    confirm(answers, observe, "shape_of_cross_weights", tuple(float(length) for length in weights.shape))


def reach(learner, draw, decoder, encoder, *, of_encoder):
    """At how many places the output changes with one token."""
    other_decoder, other_encoder = decoder.clone(), encoder.clone()
    (other_encoder if of_encoder else other_decoder)[1] = draw.normal(decoder.shape[-1]) / 2
    before, _ = attend_across(learner, decoder, encoder)
    after, _ = attend_across(learner, other_decoder, other_encoder)
    expect(before.dim() == 2 and before.shape == after.shape, "output should be (seq_decoder, d_model).")
    return float(places_changed(before, after))


def test_measures_reach_of_cross_attention(learner, draw, answers, observe):
    """Your `attend_across` counts the places that one token of either side reaches."""
    n = answers.numbers("reach_of_cross_attention")
    decoder, encoder = draw.normal(n["decoder"], 8) / 2, draw.normal(n["encoder"], 8) / 2
    reached = tuple(reach(learner, draw, decoder, encoder, of_encoder=side) for side in (True, False))
    confirm(answers, observe, "reach_of_cross_attention", reached)


def test_measures_reach_of_self_attention(learner, draw, answers, observe):
    """Your `attend_across`, with the same tokens on both sides, counts the places that one token reaches.

    The same tokens in another order on the other side must give the same outputs: it is attention that is counted.
    """
    tokens = draw.normal(answers.numbers("reach_of_self_attention")["n"], 8) / 2
    other = tokens.clone()
    other[1] = draw.normal(8) / 2
    before, _ = attend_across(learner, tokens, tokens)
    after, _ = attend_across(learner, other, other)
    again, _ = attend_across(learner, tokens, tokens.flip(0))
    expect(before.dim() == 2 and before.shape == after.shape == again.shape, "output should be (seq_decoder, d_model).")
    expect(places_changed(before, again) == 0, "The output changes with the order of the keys.")
    expect(places_changed(before, tokens) > 0, "The output is its input.")
    confirm(answers, observe, "reach_of_self_attention", float(places_changed(before, after)))


# ---- Causal ---------------------------------------------------------------------------------------------------------


def step_by_step(learner, query, key, value):
    """The learner's outputs."""
    shape = (query.shape[0], value.shape[-1])
    return expect_tensor(
        learner.step_by_step(query, key, value), "what step_by_step returns", shape, ("seq_len", "d_v")
    )


def test_steps_give_what_the_mask_gives(learner, draw):
    """`step_by_step` gives what causal attention over everything at once gives."""
    size = draw.sizes("seq_len", "d_k", "d_v", low=3, high=9)
    query, key, value = (draw.normal(size.seq_len, width) for width in (size.d_k, size.d_k, size.d_v))
    mask = torch.ones(size.seq_len, size.seq_len, dtype=torch.bool).tril()
    expected, _ = attention(query, key, value, mask)
    expect_close(
        step_by_step(learner, query, key, value), expected, "what step_by_step returns", ("seq_len", "d_v"), atol=ATOL
    )


def test_measures_pairs_that_see_each_other(learner, draw, answers, observe):
    """Your `step_by_step` counts the pairs: with unit vectors as values the output is the weights themselves."""
    n = answers.numbers("pairs_that_see_each_other")["n"]
    weights = step_by_step(learner, draw.normal(n, 6) / 2, draw.normal(n, 6) / 2, torch.eye(n))
    expect(bool(((weights.sum(dim=1) - 1).abs() < 1e-3).all()), "The weights of a step do not sum to one.")
    confirm(answers, observe, "pairs_that_see_each_other", float((weights.abs() > 1e-6).sum()))


def test_measures_step_by_step_row(learner, draw, answers, observe):
    """Your `step_by_step` finds the row of training that is your step."""
    n = answers.numbers("step_by_step_row")
    query, key, value = (draw.normal(n["n"], 6) for _ in range(3))
    training, _ = attention(query, key, value, torch.ones(n["n"], n["n"], dtype=torch.bool).tril())
    newest = step_by_step(learner, *(x[: n["t"]].contiguous() for x in (query, key, value)))[-1]
    gap = (training - newest).abs().amax(dim=1)
    expect(gap.min() < ATOL, "The newest output of your steps is no row of what training computes.")
    confirm(answers, observe, "step_by_step_row", float(gap.argmin()))


# ---- Minus infinity -------------------------------------------------------------------------------------------------


def test_fill_comes_before_the_softmax(learner, draw):
    """`weights_with_fill` puts any number in place of the hidden scores, and then takes the softmax."""
    size = draw.sizes("seq_k", low=5, high=9)
    scores, hidden = draw.normal(size.seq_k), torch.zeros(size.seq_k, dtype=torch.bool)
    hidden[draw.permutation(size.seq_k)[:2]] = True
    for fill in (-math.inf, 0.0, 1.5):
        expected = scores.double().masked_fill(hidden, fill).softmax(dim=0).float()
        got = learner.weights_with_fill(scores, hidden, fill)
        expect_close(got, expected, "the weights", ("seq_k",), atol=ATOL)


def filled(learner, n, fill):
    """The learner's weights of the three keys."""
    scores = torch.tensor([math.log(n["a"]), math.log(n["b"]), float(n["c"])])
    got = learner.weights_with_fill(scores, torch.tensor([False, False, True]), fill)
    return expect_tensor(got, "the weights", (3,), ("seq_k",))


def test_measures_weight_behind_a_zero(learner, answers, observe):
    """Your `weights_with_fill` measures the weight that a key keeps behind a zero."""
    weight = filled(learner, answers.numbers("weight_behind_a_zero"), 0.0)[2].item()
    right = answers.pose("weight_behind_a_zero").right
    expect_number(weight, right, "what your code measures", tolerance=0.02 * right)
    confirm(answers, observe, "weight_behind_a_zero", weight)


def test_measures_weight_beside_minus_infinity(learner, answers, observe):
    """Your `weights_with_fill` measures what is left for the others beside -inf."""
    weight = filled(learner, answers.numbers("weight_beside_minus_infinity"), -math.inf)[0].item()
    right = answers.pose("weight_beside_minus_infinity").right
    expect_number(weight, right, "what your code measures", tolerance=0.02 * right)
    confirm(answers, observe, "weight_beside_minus_infinity", weight)


# ---- Additive or dot ------------------------------------------------------------------------------------------------


def test_tanh_scores_are_additive(learner, draw):
    """`tanh_scores` is v · tanh(W_query q + W_key k) for each pair, with other sizes for queries and keys."""
    size = draw.sizes("seq_q", "seq_k", "d_q", "d_k", "d_attn", low=2, high=8)
    query, key = draw.normal(size.seq_q, size.d_q), draw.normal(size.seq_k, size.d_k)
    w_query, w_key, v = draw.normal(size.d_attn, size.d_q), draw.normal(size.d_attn, size.d_k), draw.normal(size.d_attn)
    hidden = (query @ w_query.T).unsqueeze(1) + (key @ w_key.T).unsqueeze(0)
    expected = (hidden.double().tanh() @ v.double()).float()
    got = learner.tanh_scores(query, key, w_query, w_key, v)
    expect_close(got, expected, "the scores", ("seq_q", "seq_k"), atol=ATOL)


def test_measures_largest_additive_score(learner, draw, answers, observe):
    """Your `tanh_scores` measures the largest score of many large queries."""
    n = answers.numbers("largest_additive_score")
    v = torch.tensor(n["v"], dtype=torch.float32)
    every_sign = torch.cartesian_prod(*[torch.tensor([-50.0, 50.0])] * n["count"])
    got = learner.tanh_scores(every_sign, draw.normal(4, 3), torch.eye(n["count"]), draw.normal(n["count"], 3), v)
    scores = expect_tensor(got, "the scores", (2 ** n["count"], 4), ("seq_q", "seq_k"))
    confirm(answers, observe, "largest_additive_score", scores.max().item())


def test_measures_growth_of_scores(learner, draw, answers, observe):
    """Your `sharpness` and `tanh_scores` measure how dot and additive scores grow with the query."""
    factor = answers.numbers("growth_of_scores")["factor"]
    sign = (draw.integers(0, 2, 6, 4) * 2 - 1).float()
    query, key, v = 50 * sign, draw.normal(5, 4), draw.uniform(4, low=1.0, high=2.0)
    additive = []
    for gain in (1, factor):
        got = learner.tanh_scores(gain * query, key, torch.eye(4), torch.eye(4), v)
        additive.append(expect_tensor(got, "the scores", (6, 5), ("seq_q", "seq_k")).double())
    expect_close(
        additive[0], (sign.double() @ v.double()).unsqueeze(1).expand(6, 5), "the scores at their bounds", atol=1e-3
    )
    dot = [(gain * query.double() @ key.double().T).norm().item() for gain in (1, factor)]
    grown = (dot[1] / dot[0], (additive[1].norm() / additive[0].norm()).item())
    confirm(answers, observe, "growth_of_scores", grown)


# ---- Cost -----------------------------------------------------------------------------------------------------------


def multiplications(learner, seq_len, d_model):
    """The learner's two counts."""
    return numbers_in(learner.multiplications(seq_len, d_model), 2, "what multiplications returns")


def test_multiplications_are_counted(learner, draw):
    """`multiplications` counts the four projections, and scores and weighted sum, for any sizes."""
    size = draw.sizes("seq_len", "d_model", low=5, high=90)
    n, d = size.seq_len, size.d_model
    projections, mixing = multiplications(learner, n, d)
    expect_number(projections, 4 * n * d * d, "the multiplications in the projections", 1e-9)
    expect_number(mixing, 2 * n * n * d, "the multiplications in mixing", 1e-9)


def test_measures_where_costs_cross(learner, answers, observe):
    """Your `multiplications` finds the n from which mixing costs as much, by halving an interval."""
    d_model = answers.numbers("where_costs_cross")["d_model"]
    low, high = 1, 16 * d_model
    while high - low > 1:
        middle = (low + high) // 2
        projections, mixing = multiplications(learner, middle, d_model)
        low, high = (low, middle) if mixing >= projections else (middle, high)
    confirm(answers, observe, "where_costs_cross", float(high))


def test_measures_cost_of_longer_sequences(learner, answers, observe):
    """Your `multiplications` measures how the counts grow with the length."""
    n = answers.numbers("cost_of_longer_sequences")
    short, long = (multiplications(learner, n["n"] * by, 64) for by in (1, n["factor"]))
    grown = tuple(after / before if before else 0.0 for before, after in zip(short, long, strict=True))
    confirm(answers, observe, "cost_of_longer_sequences", grown)
