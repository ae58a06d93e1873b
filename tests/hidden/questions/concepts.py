"""Questions: concepts"""

import itertools
import math

from grader.model.question import Question, Wrong

# Every number is drawn so that a right answer and the known wrong ones never coincide; the proof of the course tries
# hundreds of learners. Explanations name the idea and never the right number, which a course may want to hide.


def draw_heads(chance):
    """d_model, h and d_k, all different, with d_k no multiple of anything that would hide a mix-up."""
    d_k, heads = chance.choice([(64, 8), (32, 8), (64, 12), (48, 6), (96, 8), (80, 5), (40, 6), (24, 16), (20, 12)])
    return {"d_model": d_k * heads, "h": heads, "twice": 2 * heads, "d_k": d_k}


def draw_one_head(chance):
    """One of the heads, for which the known mistakes about its rows give different ones."""
    size = draw_heads(chance)
    return size | {"head": chance.choice([i for i in range(2, size["h"]) if (i - 1) * size["d_k"] != i * size["h"]])}


def draw_width(chance):
    """A width whose root is a whole number."""
    root = chance.choice([3, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16])
    return {"root": root, "d_k": root**2}


def draw_wider(chance):
    """Two widths, one a square number of times the other."""
    small = chance.choice([8, 12, 16, 20, 24])
    factor = chance.choice([2, 3, 4, 5])
    return {"small": small, "large": small * factor**2, "factor": factor}


def draw_look_up(chance):
    """One-hot keys in some order, and a query whose feature is not its token's place."""
    count = chance.randint(4, 6)
    order = chance.sample(range(count), count)
    asked = chance.choice([place for place, feature in enumerate(order) if place != feature] or [0])
    if order[asked] == asked:  # the identity came up: exchange two keys, so that place and feature differ
        order[0], order[1] = order[1], order[0]
        asked = 0
    values = chance.sample(range(10, 100), count)
    mean = sum(values) / count
    # No value may be the mean, which is another answer.
    values = [value + 100 if abs(value - mean) < 1 else value for value in values]
    return {
        "count": count,
        "order": order,
        "keys": ", ".join(f"e_{feature}" for feature in order),
        "asked": asked,
        "feature": order[asked],
        "values": values,
    }


def draw_mean(chance):
    """Values whose mean is whole and none of the usual wrong answers."""
    count = chance.randint(3, 6)
    while True:
        values = chance.sample(range(1, 60), count)
        others = {0, sum(values), max(values), values[0], values[-1]}
        if sum(values) % count == 0 and sum(values) // count not in others:
            return {"count": count, "values": values, "mean": sum(values) // count}


def draw_value_factor(chance):
    """A factor."""
    return {"factor": chance.choice([2, 3, 4, 5, 6, 7, 8, 9, 10])}


def draw_shift(chance):
    """Two positions and a third."""
    a = chance.randint(2, 9)
    k = chance.randint(3, 11)
    return {"a": a, "b": a + k, "c": chance.randint(30, 60), "k": k}


def draw_power(chance):
    """A shift and how often it is made."""
    k = chance.randint(2, 6)
    x = chance.choice([3, 4, 5, 6, 7])
    return {"k": k, "x": x, "far": k * x}


def draw_twin(chance):
    """An even wavelength, and a position in its first quarter."""
    wavelength = 2 * chance.randint(14, 40)
    return {"wavelength": wavelength, "a": chance.randint(2, wavelength // 4 - 1)}


def draw_advantage(chance):
    """A key that has half of the weight among few keys, and a larger number of keys."""
    ratio = chance.randint(3, 12)
    short = ratio + 1
    return {"ratio": ratio, "short": short, "long": short + chance.randint(2, 9) * ratio}


def draw_half(chance):
    """A number of keys."""
    return {"n": chance.choice([5, 9, 17, 33, 65, 101, 129, 257, 401, 513])}


def draw_rotation(chance):
    """Tokens that move, and a place."""
    n = chance.randint(7, 12)
    while True:
        s, r = chance.randint(2, n - 3), chance.randint(0, n - 1)
        if len({(r - s) % n, (r + s) % n, r}) == 3:
            return {"n": n, "s": s, "r": r}


def draw_swap(chance):
    """Two tokens with some between them, and some after."""
    n = chance.randint(13, 16)
    i = chance.randint(1, 4)
    j = i + chance.randint(3, 7)
    return {"n": n, "i": i, "j": j}


def draw_lengths(chance):
    """Two different lengths."""
    decoder, encoder = chance.sample(range(3, 13), 2)
    return {"decoder": decoder, "encoder": encoder}


def draw_causal(chance):
    """A length."""
    return {"n": chance.randint(5, 16)}


def draw_step(chance):
    """A length and a step that is neither first nor last."""
    n = chance.randint(7, 15)
    return {"n": n, "t": chance.randint(3, n - 2)}


def draw_fill(chance):
    """Two shares and a large score, with known mistakes 5 % apart."""
    while True:
        a, b = chance.sample(range(2, 12), 2)
        shares = sorted((a / (a + b), a / (a + b + 1), math.log(a) / math.log(a * b)))
        if all(larger > 1.05 * smaller for smaller, larger in itertools.pairwise(shares)):
            return {"a": a, "b": b, "c": chance.choice([20, 30, 40, 50])}


def draw_bound(chance):
    """Parts of both signs, whose usual sums differ."""
    count = chance.randint(3, 5)
    while True:
        v = [chance.choice([-1, 1]) * chance.randint(1, 9) for _ in range(count)]
        bound = sum(abs(part) for part in v)
        if min(v) < 0 < max(v) and len({bound, sum(v), count, max(map(abs, v))}) == 4:
            return {"v": v, "count": count, "bound": bound}


def draw_cost(chance):
    """A width."""
    return {"d_model": chance.choice([64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024])}


def draw_longer(chance):
    """A length and how many times as long."""
    return {"n": chance.choice([64, 100, 128, 200, 256]), "factor": chance.choice([3, 4, 5, 6, 8, 10])}


QUESTIONS = (
    # ---- Why scale --------------------------------------------------------------------------------------------------
    Question(
        id="spread_of_scores",
        topic="the spread of scores that are not scaled",
        text="The {d_k} features of each query and key are independent, with mean 0 and variance 1. What is"
        " the standard deviation of the scores q · k, not divided by anything?",
        draw=draw_width,
        right=lambda n: n["root"],
        tolerance=0.02,
        sentence="A sum of d_k = {d_k} products has variance {d_k}, so its standard deviation is the root, "
        "{root}: that is what the scale takes away.",
        wrong=(
            Wrong(
                "variance_for_spread",
                lambda n: n["d_k"],
                "You gave the variance of the scores. The question asks for their standard deviation.",
                "Variances of independent terms add up. What does that make of the standard deviation?",
            ),
            Wrong(
                "scores_scaled_already",
                lambda _: 1,
                "You gave the spread of scores that are divided by the scale. These are not divided by anything.",
                "How does the variance of a sum grow with the number of its terms?",
            ),
            Wrong(
                "scale_for_spread",
                lambda n: 1 / n["root"],
                "You gave the factor that undoes the spread, not the spread.",
                "Does a sum of more terms vary more, or less?",
            ),
        ),
    ),
    Question(
        id="spread_when_wider",
        topic="what more features do to the spread of scores",
        text="d_k grows from {small} to {large}. By which factor does the standard deviation of the scores "
        "grow, (1) before they are divided by √d_k, and (2) after it?",
        kind="numbers",
        draw=draw_wider,
        right=lambda n: (n["factor"], 1),
        tolerance=0.02,
        sentence="{large}/{small} times the features make {factor} times the spread; divided by √d_k it "
        "stays the same, so the softmax is as sharp at any width.",
        wrong=(
            Wrong(
                "variance_for_spread",
                lambda n: (n["factor"] ** 2, 1),
                "You gave the growth of the variance. The standard deviation is its root.",
                "The variance grows as d_k does. And its root?",
            ),
            Wrong(
                "scale_without_root",
                lambda n: (n["factor"], 1 / n["factor"]),
                "You divided the scores by d_k in (2). The scale is √d_k.",
                "By what are the scores divided, and by how much does that grow?",
            ),
            Wrong(
                "scale_has_no_effect_on_spread",
                lambda n: (n["factor"], n["factor"]),
                "You let the spread grow just as much after the division. The divisor grows too.",
                "By which factor does √d_k grow?",
            ),
        ),
    ),
    Question(
        id="order_of_sharpness",
        topic="what the scale does to the largest weight",
        text="16 keys, random queries and keys with mean 0 and variance 1. Order these by the mean of the "
        "largest weight, the largest first.",
        kind="order",
        draw=lambda chance: {"small": chance.choice([8, 10, 12]), "large": chance.choice([512, 768, 1024])},
        options=lambda n: (
            f"d_k = {n['large']}, scores not scaled",
            f"d_k = {n['small']}, scores not scaled",
            f"d_k = {n['large']}, scores divided by √d_k",
            f"d_k = {n['large']}, scores divided by d_k",
        ),
        right=lambda _: (0, 1, 2, 3),
        sentence="Without the scale a wide query puts nearly everything on one key, where the softmax has "
        "no gradient; divided by d_k = {large} the weights are nearly even.",
        wrong=(
            Wrong(
                "sharper_when_scaled",
                lambda _: (3, 2, 1, 0),
                "You have it the other way round: dividing scores makes them more alike, and the weights more even.",
                "What does the softmax make of scores that are close together?",
            ),
            Wrong(
                "width_makes_no_difference",
                lambda _: (1, 0, 2, 3),
                "You put the narrow keys in front. The more features, the larger the scores that are not scaled.",
                "How large are scores at d_k = {small}, and at d_k = {large}?",
            ),
        ),
    ),
    # ---- What query, key and value are ------------------------------------------------------------------------------
    Question(
        id="fetched_value",
        topic="which value a query fetches",
        text="{count} tokens have the keys {keys} (e_f is 1 at feature f, counted from 0, and "
        "0 elsewhere) and the values {values}. The query is 100 · e_{feature}. What is the output, to "
        "a whole number?",
        draw=draw_look_up,
        right=lambda n: n["values"][n["asked"]],
        sentence="The query matches the key of token {asked}, so that token's value comes out: query and "
        "key decide where, the value is what.",
        wrong=(
            Wrong(
                "value_at_the_query_feature",
                lambda n: n["values"][n["feature"]],
                "You took the value of token {feature}. The query names a feature, and the keys say which "
                "token has it.",
                "Which token's key has the feature of the query?",
            ),
            Wrong(
                "value_averaged",
                lambda n: sum(n["values"]) / n["count"],
                "You gave the mean of the values. That comes out where all keys match alike.",
                "How large is the one score that is not 0, and what does the softmax make of it?",
            ),
            Wrong(
                "score_times_value",
                lambda n: 100 * n["values"][n["asked"]],
                "You multiplied the value by the score. A softmax comes between them.",
                "How large can a weight become?",
            ),
        ),
    ),
    Question(
        id="zero_query",
        topic="what a query of zeros fetches",
        text="{count} tokens have the values {values} and any keys. The query is a vector of zeros. What is"
        " the output?",
        draw=draw_mean,
        right=lambda n: n["mean"],
        tolerance=0.02,
        sentence="All scores are 0, so each of the {count} weights is 1/{count}: the output is the mean, {mean}.",
        wrong=(
            Wrong(
                "zero_scores_give_zero_weights",
                lambda _: 0,
                "You made weights of zero out of scores of zero. The softmax of equal scores is not zero.",
                "What is exp(0)?",
            ),
            Wrong(
                "values_added_up",
                lambda n: sum(n["values"]),
                "You added the values up. The weights sum to one; they are not one each.",
                "What do the weights of one query sum to?",
            ),
        ),
    ),
    Question(
        id="values_and_weights",
        topic="what values have to do with weights",
        text="You multiply all values by {factor} and leave queries and keys as they are. By which factor "
        "do (1) the weights and (2) the output grow?",
        kind="numbers",
        draw=draw_value_factor,
        right=lambda n: (1, n["factor"]),
        sentence="Weights come from queries and keys alone; the output is linear in the values, so it grows"
        " {factor}-fold.",
        wrong=(
            Wrong(
                "values_change_weights",
                lambda n: (n["factor"], n["factor"]),
                "You let the weights grow with the values. No value goes into a weight.",
                "Which of Q, K and V are in the softmax?",
            ),
            Wrong(
                "weights_grow_instead_of_output",
                lambda n: (n["factor"], 1),
                "You let the weights grow and the output stay. It is the output that is made of values.",
                "Where in softmax(QKᵀ/√d_k) V does V stand?",
            ),
            Wrong(
                "output_normalised",
                lambda _: (1, 1),
                "You let the output stay as it is. Only the weights are normalised, the values are taken as they are.",
                "What is added up with the weights?",
            ),
        ),
    ),
    # ---- Heads ------------------------------------------------------------------------------------------------------
    Question(
        id="width_of_a_head",
        topic="how wide a head is",
        text="A multi-head layer has d_model = {d_model} and {h} heads. How many features does each head have, d_k?",
        draw=draw_heads,
        right=lambda n: n["d_k"],
        sentence="The heads share d_model out: {d_model} / {h} = {d_k}, as 512 / 8 = 64 in the paper.",
        wrong=(
            Wrong(
                "d_k_is_d_model",
                lambda n: n["d_model"],
                "You gave each head all of d_model. The heads share it.",
                "How wide are all heads together, one beside the other?",
            ),
            Wrong(
                "d_k_is_num_heads",
                lambda n: n["h"],
                "You gave the number of heads.",
                "What is left for each, when d_model is shared among the heads?",
            ),
            Wrong(
                "d_k_multiplied",
                lambda n: n["d_model"] * n["h"],
                "You multiplied by the number of heads. The heads do not make the layer wider.",
                "How wide are all heads together, one beside the other?",
            ),
        ),
    ),
    Question(
        id="first_row_of_a_head",
        topic="where in W_Q a head's own projection is",
        text="W_Q maps {d_model} features to {d_model}, and the result is split into {h} heads. Instead one"
        " could give each head a small projection of its own, made of rows of W_Q (a row makes one "
        "feature of the result). Which row, counted from 0, is the first of head {head} (heads counted"
        " from 0)?",
        draw=draw_one_head,
        right=lambda n: n["head"] * n["d_k"],
        sentence="Head {head} owns d_k = {d_k} rows in a row, from {head} · {d_k}: one large projection is "
        "{h} small ones on top of each other.",
        wrong=(
            Wrong(
                "heads_interleaved",
                lambda n: n["head"],
                "You dealt the rows out like cards, one to each head in turn. Each head has its rows in one block.",
                "split_heads views the features as (num_heads, d_k): what does that put together?",
            ),
            Wrong(
                "head_counted_from_one",
                lambda n: (n["head"] - 1) * n["d_k"],
                "You took head {head} for the one before it. Heads are counted from 0.",
                "Which row does head 0 begin at?",
            ),
            Wrong(
                "blocks_of_h_rows",
                lambda n: n["head"] * n["h"],
                "You gave each head as many rows as there are heads.",
                "How many features has a head?",
            ),
        ),
    ),
    Question(
        id="weights_of_heads",
        topic="what heads cost",
        text="W_Q (no bias) for d_model = {d_model} is cut into {h} heads. How many numbers are there (1) "
        "in the part of one head, and (2) in W_Q if you choose {twice} heads instead?",
        kind="numbers",
        draw=draw_heads,
        right=lambda n: (n["d_k"] * n["d_model"], n["d_model"] ** 2),
        sentence="One head's part is d_k · d_model = {d_k} · {d_model}; all parts together are d_model², "
        "however many heads share it: more heads cost no parameters.",
        wrong=(
            Wrong(
                "heads_add_parameters",
                lambda n: (n["d_k"] * n["d_model"], 2 * n["d_model"] ** 2),
                "You let W_Q double with the number of heads. Each head becomes narrower instead.",
                "How many rows has W_Q, whatever it is cut into?",
            ),
            Wrong(
                "head_reads_its_own_features_only",
                lambda n: (n["d_k"] ** 2, n["d_model"] ** 2),
                "You let a head read only d_k features of the input. Each head reads all of them.",
                "How many columns has a row of W_Q?",
            ),
            Wrong(
                "each_head_has_all_of_w_q",
                lambda n: (n["d_model"] ** 2, n["d_model"] ** 2),
                "You gave one head all of W_Q.",
                "How many of the rows make the features of one head?",
            ),
        ),
    ),
    # ---- W_O --------------------------------------------------------------------------------------------------------
    Question(
        id="features_of_one_head",
        topic="what W_O does with the heads",
        text="In a layer with d_model = {d_model} and {h} heads, only what head {head} found changes. How "
        "many of the {d_model} output features can change (1) if the heads are only put side by side, "
        "(2) with W_O behind them?",
        kind="numbers",
        draw=draw_one_head,
        right=lambda n: (n["d_k"], n["d_model"]),
        sentence="Side by side each head keeps its own {d_k} features; W_O mixes them, so each output "
        "feature hears of every head.",
        wrong=(
            Wrong(
                "w_o_keeps_heads_apart",
                lambda n: (n["d_k"], n["d_k"]),
                "You let W_O keep the heads apart. It is a full matrix over all of d_model.",
                "How many inputs does one row of W_O read?",
            ),
            Wrong(
                "heads_mixed_without_w_o",
                lambda n: (n["d_model"], n["d_model"]),
                "You let the heads mix before W_O. Putting side by side mixes nothing.",
                "Which features does head {head} fill?",
            ),
            Wrong(
                "before_and_after_exchanged",
                lambda n: (n["d_model"], n["d_k"]),
                "You have the two the other way round.",
                "Which of them mixes the heads?",
            ),
        ),
    ),
    Question(
        id="weights_of_w_o_for_one_head",
        topic="which part of W_O a head meets",
        text="With d_model = {d_model} and {h} heads: how many of the numbers in W_O are ever multiplied "
        "with what one particular head found?",
        draw=draw_heads,
        right=lambda n: n["d_k"] * n["d_model"],
        sentence="A head meets the {d_k} columns of W_O that belong to its features, {d_k} · {d_model} "
        "numbers: the output is a sum of the heads' own contributions.",
        wrong=(
            Wrong(
                "head_meets_all_of_w_o",
                lambda n: n["d_model"] ** 2,
                "You counted all of W_O. A head fills only a part of what W_O reads.",
                "Which columns of W_O read the features of one head?",
            ),
            Wrong(
                "w_o_is_block_diagonal",
                lambda n: n["d_k"] ** 2,
                "You let a head reach only its own features of the output. W_O carries it to all of them.",
                "To how many output features does W_O carry one feature of a head?",
            ),
        ),
    ),
    # ---- Sine, cosine and the shift ---------------------------------------------------------------------------------
    Question(
        id="twin_of_a_sine",
        topic="why a sine alone is not enough",
        text="One pair of the encoding has a wavelength of {wavelength} positions. Which other position "
        "from 0 to {wavelength} has the same sine as position {a}, so that only the cosine tells them "
        "apart?",
        draw=draw_twin,
        right=lambda n: n["wavelength"] // 2 - n["a"],
        sentence="sin(x) = sin(π - x), so each sine is met twice in a wavelength; the cosine has the other sign there.",
        wrong=(
            Wrong(
                "sine_taken_for_cosine",
                lambda n: n["wavelength"] - n["a"],
                "You gave the position that has the same cosine.",
                "Draw one wave: where is the sine as high on the way down as it was on the way up?",
            ),
            Wrong(
                "half_a_wave_further",
                lambda n: n["wavelength"] // 2 + n["a"],
                "Half a wave further the sine has the other sign.",
                "Draw one wave: where is the sine as high on the way down as it was on the way up?",
            ),
            Wrong(
                "one_wave_further",
                lambda n: n["wavelength"] + n["a"],
                "You went a whole wave further, where the cosine is the same too.",
                "Look for the other place within one wave.",
            ),
        ),
    ),
    Question(
        id="power_of_a_shift",
        topic="what a shift of positions is",
        text="For one pair of the encoding, M moves every position {k} further: M · PE(p) = PE(p + {k}) for"
        " all p. Multiplied by itself as a matrix, M becomes a power M^x. For which x does M^x move every "
        "position {far} further?",
        draw=draw_power,
        right=lambda n: n["x"],
        sentence="A shift turns each pair by an angle that does not depend on p, so {x} shifts by {k} are "
        "one by {far}: PE(p + k) is linear in PE(p).",
        wrong=(
            Wrong(
                "distance_left_for_power",
                lambda n: n["far"] - n["k"],
                "You gave the distance that is left after one shift.",
                "How often do you have to move {k} further?",
            ),
            Wrong(
                "distance_for_power",
                lambda n: n["far"],
                "You gave the distance. One M already moves {k} positions.",
                "How far does M · M move a position?",
            ),
        ),
    ),
    Question(
        id="same_dot_product",
        topic="what the dot product of two positions depends on",
        text="PE(p) is the sinusoidal encoding of position p. PE({a}) · PE({b}) is exactly PE({c}) · PE(x)."
        " Which x > {c}?",
        draw=draw_shift,
        right=lambda n: n["c"] + n["k"],
        sentence="cos(aω)cos(bω) + sin(aω)sin(bω) = cos((b - a)ω): the dot product depends on the distance,"
        " here {k}, alone.",
        wrong=(
            Wrong(
                "same_sum_of_positions",
                lambda n: n["c"] + n["a"] + n["b"],
                "You counted with the sum of the positions.",
                "What do all products of sine with sine and cosine with cosine add up to?",
            ),
            Wrong(
                "second_position_added",
                lambda n: n["c"] + n["b"],
                "You went {b} further. That is where {b} is from the start, not from its partner.",
                "How far is {b} from {a}?",
            ),
        ),
    ),
    # ---- Longer sequences -------------------------------------------------------------------------------------------
    Question(
        id="weight_among_more_keys",
        topic="what longer sequences do to a weight",
        text="One key's score is ln({ratio}) above those of all others, which are equal. Among {short} keys"
        " it has a weight of 1/2. What is its weight among {long} keys?",
        draw=draw_advantage,
        right=lambda n: n["ratio"] / (n["ratio"] + n["long"] - 1),
        tolerance=0.02,
        sentence="Its weight is {ratio} / ({ratio} + {long} - 1): the same scores give flatter weights over"
        " more keys, one reason why lengths beyond training are hard even where positions can be "
        "encoded.",
        wrong=(
            Wrong(
                "weight_keeps_with_length",
                lambda _: 0.5,
                "You let the weight stay. All weights together sum to one, so more keys leave less for each.",
                "What is in the denominator of the softmax?",
            ),
            Wrong(
                "even_share",
                lambda n: 1 / n["long"],
                "You shared the weight out evenly. This key still has a higher score than the others.",
                "How many times the weight of another key does this one have?",
            ),
            Wrong(
                "own_share_left_out",
                lambda n: n["ratio"] / (n["long"] - 1),
                "You divided by the others alone. The key itself is in the denominator too.",
                "Do your weights sum to one?",
            ),
        ),
    ),
    Question(
        id="advantage_for_half",
        topic="how far a score must stand out",
        text="One key is to get half of the weight among {n} keys; the others' scores are all 0. How large "
        "must its score be?",
        draw=draw_half,
        right=lambda n: math.log(n["n"] - 1),
        tolerance=0.02,
        sentence="exp(score) must weigh as much as the {n} - 1 others together, so the score is ln({n} - "
        "1): what a model learned at one length is too little at ten times that length.",
        wrong=(
            Wrong(
                "advantage_without_logarithm",
                lambda n: n["n"] - 1,
                "You compared the scores themselves. The softmax compares their exponentials.",
                "exp of which number makes up for the others?",
            ),
            Wrong(
                "score_for_weight",
                lambda _: 0.5,
                "You gave the weight as a score.",
                "What must exp(score) be, so that it is as much as all others together?",
            ),
        ),
    ),
    # ---- Order without positions ------------------------------------------------------------------------------------
    Question(
        id="rotated_tokens",
        topic="what becomes of shuffled tokens",
        text="Self-attention over {n} tokens, without positions and without a mask. Every token moves {s} "
        "places to the right, and the last {s} go to the front. The output at place {r} is now the "
        "same as at which place before? (Places are counted from 0.)",
        draw=draw_rotation,
        right=lambda n: (n["r"] - n["s"]) % n["n"],
        sentence="Outputs move with their tokens and do not change otherwise: without positions, attention "
        "reads a bag of tokens.",
        wrong=(
            Wrong(
                "output_keeps_its_place",
                lambda n: n["r"],
                "You let the outputs stay in their places. Each output belongs to the token that asks.",
                "Which token is at place {r} now, and where was it before?",
            ),
            Wrong(
                "moved_in_the_other_direction",
                lambda n: (n["r"] + n["s"]) % n["n"],
                "You went the way that the tokens went. The question is where the token came from.",
                "Which token is at place {r} now, and where was it before?",
            ),
        ),
    ),
    Question(
        id="rows_changed_by_a_swap",
        topic="what a causal mask knows of order",
        text="Self-attention over {n} tokens with a causal mask and without positions. Tokens {i} and {j} "
        "(counted from 0) are exchanged. At how many places is the output different from before?",
        draw=draw_swap,
        right=lambda n: n["j"] - n["i"] + 1,
        sentence="Places before {i} see neither, places after {j} see both in whatever order; from {i} to "
        "{j} something else is seen, so a causal mask tells a little about order.",
        wrong=(
            Wrong(
                "only_the_swapped_rows_change",
                lambda _: 2,
                "You counted only the two places themselves. Those between them see one of the two and not the other.",
                "Which tokens does a place between {i} and {j} see, before and after?",
            ),
            Wrong(
                "everything_later_changes",
                lambda n: n["n"] - n["i"],
                "You counted every place from {i} on. Places after {j} see both tokens, before and after.",
                "Does the sum over the keys depend on their order?",
            ),
            Wrong(
                "everything_changes",
                lambda n: n["n"],
                "You counted every place. Some do not see the two tokens at all.",
                "What does the causal mask hide from place 0?",
            ),
        ),
    ),
    # ---- Self and cross ---------------------------------------------------------------------------------------------
    Question(
        id="shape_of_cross_weights",
        topic="the shape of weights in cross-attention",
        text="A decoder with {decoder} tokens attends to an encoder with {encoder}. Each head of each "
        "sample has a matrix of weights: how many (1) rows and (2) columns, in this course's layout?",
        kind="numbers",
        draw=draw_lengths,
        right=lambda n: (n["decoder"], n["encoder"]),
        sentence="One row for each query and one column for each key: the decoder asks, the encoder "
        "answers, and the lengths need not be equal.",
        wrong=(
            Wrong(
                "encoder_asks",
                lambda n: (n["encoder"], n["decoder"]),
                "You let the encoder ask. In the decoder's cross-attention the decoder does.",
                "Whose next token is to be found?",
            ),
            Wrong(
                "weights_are_square",
                lambda n: (n["decoder"], n["decoder"]),
                "You gave the weights of self-attention.",
                "Where do the keys come from?",
            ),
        ),
    ),
    Question(
        id="reach_of_cross_attention",
        topic="what one token reaches in cross-attention",
        text="A decoder with {decoder} tokens attends to an encoder with {encoder}, without a mask. At how "
        "many places does the output change if (1) one token of the encoder, (2) one token of the "
        "decoder is replaced?",
        kind="numbers",
        draw=draw_lengths,
        right=lambda n: (n["decoder"], 1),
        sentence="A token of the encoder is a key for all {decoder} queries; a token of the decoder asks "
        "for itself alone.",
        wrong=(
            Wrong(
                "encoder_asks",
                lambda n: (1, n["encoder"]),
                "You let the encoder ask and the decoder answer.",
                "Whose tokens are the queries?",
            ),
            Wrong(
                "decoder_attends_to_itself_here",
                lambda n: (n["decoder"], n["decoder"]),
                "You let a token of the decoder reach the others of the decoder. That is self-attention, "
                "another layer.",
                "Are the decoder's tokens among the keys here?",
            ),
            Wrong(
                "output_has_the_encoder_length",
                lambda n: (n["encoder"], 1),
                "You gave the output as many places as the encoder has. There is one for each query.",
                "Whose tokens are the queries?",
            ),
        ),
    ),
    Question(
        id="reach_of_self_attention",
        topic="what one token reaches in self-attention",
        text="Self-attention over {n} tokens, without a mask: one token is replaced. At how many places "
        "does the output change?",
        draw=draw_causal,
        right=lambda n: n["n"],
        sentence="The token is query, key and value at once: as a key and a value it is in all {n} outputs,"
        " in one step.",
        wrong=(
            Wrong(
                "token_reaches_itself_only",
                lambda _: 1,
                "You counted the token's own place alone. It is a key for all the others as well.",
                "Whose output is made with its value?",
            ),
            Wrong(
                "own_place_left_out",
                lambda n: n["n"] - 1,
                "You left one place out.",
                "Does a token attend to itself?",
            ),
        ),
    ),
    # ---- Causal -----------------------------------------------------------------------------------------------------
    Question(
        id="pairs_that_see_each_other",
        topic="how much a causal mask lets through",
        text="{n} tokens with a causal mask: in how many pairs (query, key) may the query attend to the key?",
        draw=draw_causal,
        right=lambda n: n["n"] * (n["n"] + 1) // 2,
        sentence="Query i sees i + 1 keys, itself among them: 1 + 2 + … + {n}.",
        wrong=(
            Wrong(
                "diagonal_hidden",
                lambda n: n["n"] * (n["n"] - 1) // 2,
                "You hid each token from itself. Then the first query would have nothing to attend to.",
                "How many keys does the first query see?",
            ),
            Wrong(
                "causal_hides_nothing",
                lambda n: n["n"] ** 2,
                "You counted all pairs.",
                "Which keys are in the future of a query?",
            ),
            Wrong(
                "half_of_the_square",
                lambda n: n["n"] ** 2 / 2,
                "You took half of all pairs. The diagonal belongs to neither half.",
                "How many pairs are on the diagonal?",
            ),
        ),
    ),
    Question(
        id="step_by_step_row",
        topic="training with a mask and decoding step by step",
        text="In training, {n} tokens pass through causal self-attention at once. In use, they come one by "
        "one: at step {t} (the first is step 1) the new query attends to all keys so far, without a "
        "mask. Which row of the training output (counted from 0) is that?",
        draw=draw_step,
        right=lambda n: n["t"] - 1,
        sentence="Step {t} has {t} keys, just what the mask leaves to row {t} - 1: both ways compute the "
        "same, and the mask is what lets training do all steps at once.",
        wrong=(
            Wrong(
                "row_counted_from_one",
                lambda n: n["t"],
                "You gave the row that sees one key more.",
                "How many keys are there at step {t}, and how many does row i see?",
            ),
            Wrong(
                "last_row_of_training",
                lambda n: n["n"] - 1,
                "You gave the last row, which sees all {n} tokens.",
                "How many keys are there at step {t}?",
            ),
            Wrong(
                "first_row_of_training",
                lambda _: 0,
                "You gave the first row, which sees only itself.",
                "How many keys are there at step {t}?",
            ),
        ),
    ),
    # ---- Minus infinity ---------------------------------------------------------------------------------------------
    Question(
        id="weight_behind_a_zero",
        topic="a mask that puts zeros among the scores",
        text="Three keys have the scores ln({a}), ln({b}) and {c}; the third is to be masked. Somebody sets"
        " its score to 0 before the softmax. What is its weight?",
        draw=draw_fill,
        right=lambda n: 1 / (n["a"] + n["b"] + 1),
        tolerance=0.02,
        sentence="exp(0) = 1, so the key keeps 1 / ({a} + {b} + 1): zero is a score like any other.",
        wrong=(
            Wrong(
                "zero_score_is_zero_weight",
                lambda _: 0,
                "You took a score of zero for a weight of zero.",
                "What is exp(0)?",
            ),
            Wrong(
                "mask_without_effect",
                lambda _: 1,
                "You left the old score in. It is set to 0 before the softmax.",
                "Which score does the softmax see?",
            ),
            Wrong(
                "even_share",
                lambda _: 1 / 3,
                "You shared the weight out evenly. The scores are not equal.",
                "What are the exponentials of the three scores?",
            ),
        ),
    ),
    Question(
        id="weight_beside_minus_infinity",
        topic="what is left for the others beside a masked key",
        text="Three keys have the scores ln({a}), ln({b}) and {c}; the third gets -inf before the softmax. "
        "What is the weight of the first?",
        draw=draw_fill,
        right=lambda n: n["a"] / (n["a"] + n["b"]),
        tolerance=0.02,
        sentence="exp(-inf) = 0, and the others share the whole weight: {a} / ({a} + {b}). A weight set to "
        "zero after the softmax would leave less than one to them.",
        wrong=(
            Wrong(
                "masked_key_keeps_a_share",
                lambda n: n["a"] / (n["a"] + n["b"] + 1),
                "You let the masked key keep a share, as a score of zero would.",
                "What is exp(-inf)?",
            ),
            Wrong(
                "zeroed_after_the_softmax",
                lambda n: n["a"] / (n["a"] + n["b"] + math.exp(n["c"])),
                "You kept the masked key in the denominator, as setting its weight to zero after the softmax does.",
                "What do the weights that are left sum to?",
            ),
            Wrong(
                "scores_shared_out",
                lambda n: math.log(n["a"]) / (math.log(n["a"]) + math.log(n["b"])),
                "You divided the weight by the scores. The softmax divides it by their exponentials.",
                "What is exp(ln({a}))?",
            ),
        ),
    ),
    # ---- Additive or dot --------------------------------------------------------------------------------------------
    Question(
        id="largest_additive_score",
        topic="how large an additive score can become",
        text="An additive score is v · tanh(W_q q + W_k k) with v = {v}. The query may be as large as you "
        "like. What is the smallest number that the score can never exceed?",
        draw=draw_bound,
        right=lambda n: n["bound"],
        sentence="tanh stays between -1 and 1, so the score stays below the sum of |v|, {bound}: it needs "
        "no scale, while a dot product grows with the features.",
        wrong=(
            Wrong(
                "signs_of_v_kept",
                lambda n: sum(n["v"]),
                "You let every tanh be 1. Where v is negative, another value of tanh gives more.",
                "Which tanh is best for a negative part of v?",
            ),
            Wrong(
                "one_for_each_unit",
                lambda n: n["count"],
                "You added up the bounds of tanh. Each is multiplied by a part of v.",
                "What does v do to each tanh?",
            ),
            Wrong(
                "largest_part_of_v",
                lambda n: max(map(abs, n["v"])),
                "You took the largest part of v. The parts are added up.",
                "Can all units be at their best at once?",
            ),
        ),
    ),
    Question(
        id="growth_of_scores",
        topic="how dot and additive scores grow with the query",
        text="Queries are so large that each tanh of an additive score is at its end, and its keys are "
        "moderate. You multiply the query by {factor}. By which factor does (1) the dot product with a"
        " key and (2) the additive score grow?",
        kind="numbers",
        draw=draw_value_factor,
        right=lambda n: (n["factor"], 1),
        tolerance=0.01,
        sentence="A dot product is linear in the query; an additive score is at its bound and stays there.",
        wrong=(
            Wrong(
                "additive_taken_for_linear",
                lambda n: (n["factor"], n["factor"]),
                "You let the additive score grow as well. There is a tanh between the query and the score.",
                "What is tanh of a large number, and of one that is {factor} times larger?",
            ),
            Wrong(
                "dot_taken_for_quadratic",
                lambda n: (n["factor"] ** 2, 1),
                "You let the dot product grow with the square. Only the query grew, not the key.",
                "How often is the query in q · k?",
            ),
            Wrong(
                "kinds_exchanged",
                lambda n: (1, n["factor"]),
                "You have the two the other way round.",
                "Which of them goes through a tanh?",
            ),
        ),
    ),
    # ---- Cost -------------------------------------------------------------------------------------------------------
    Question(
        id="where_costs_cross",
        topic="where mixing costs as much as projecting",
        text="For n tokens with d_model = {d_model}, four projections take 4 · n · d_model² "
        "multiplications, and scores and the weighted sum take n² · d_model each. At which n do "
        "projections and mixing cost the same?",
        draw=draw_cost,
        right=lambda n: 2 * n["d_model"],
        sentence="4 n d² = 2 n² d where n = 2 d: below that the projections are what costs, and only beyond"
        " it n² does.",
        wrong=(
            Wrong(
                "one_product_of_two",
                lambda n: 4 * n["d_model"],
                "You counted the scores or the weighted sum alone. Mixing takes both.",
                "How many products of n² · d_model are there?",
            ),
            Wrong(
                "one_projection_against_one_product",
                lambda n: n["d_model"],
                "You compared one projection with one product, which is where n² d and n d² cross in the "
                "paper's table.",
                "How many projections and how many products are there here?",
            ),
            Wrong(
                "square_of_d_model",
                lambda n: n["d_model"] ** 2,
                "You have n · d_model² on one side and n² · d_model on the other: divide both by n · d_model.",
                "Which power of n is left, and which of d_model?",
            ),
        ),
    ),
    Question(
        id="cost_of_longer_sequences",
        topic="what longer sequences cost",
        text="A sequence of {n} tokens becomes {factor} times as long. By which factor does the number of "
        "multiplications grow (1) in the projections and (2) in scores and weighted sum?",
        kind="numbers",
        draw=draw_longer,
        right=lambda n: (n["factor"], n["factor"] ** 2),
        sentence="Each token is projected once, n · d²; each pair of tokens meets, n² · d.",
        wrong=(
            Wrong(
                "mixing_taken_for_linear",
                lambda n: (n["factor"], n["factor"]),
                "You let mixing grow with the length. Every token meets every other.",
                "How many scores are there?",
            ),
            Wrong(
                "projections_taken_for_quadratic",
                lambda n: (n["factor"] ** 2, n["factor"] ** 2),
                "You let the projections grow with the square. Each token is projected by itself.",
                "Does the projection of a token depend on the other tokens?",
            ),
            Wrong(
                "mixing_doubled",
                lambda n: (n["factor"], 2 * n["factor"]),
                "You doubled what should be squared.",
                "How many pairs are there?",
            ),
        ),
    ),
)
