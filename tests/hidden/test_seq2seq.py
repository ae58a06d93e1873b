"""Hidden suite: seq2seq

Most checks look at one idea: a module is compared with itself, or known weights go in through the promised layers, so
that all but that idea does not matter. What came in another shape than promised is news for one check, so the others
read it all the same (`attend`). The criterion `together` is the net: ordinary data against a reference, over several
steps, and then the training that the exercise is about.

`train_to_reverse` and `BOTTLENECK` are also what pictures of the two curves are drawn from.
"""

import math

import pytest
import torch

from grader.suite import (
    Unroll,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_pair,
    expect_slope,
    expect_tensor,
    expect_unchanged,
    trainable,
)

CONTEXT = ("batch", "encoder_dim")
WEIGHTS = ("batch", "seq_len")
STATE = ("batch", "decoder_dim")
SIZES = ("batch", "seq_len", "decoder_dim", "encoder_dim", "attention_dim")
STEP_SIZES = (*SIZES, "embedding_dim")

# Correct forms differ from a float64 reference by up to 1e-6 on data of unit variance at the sizes used here.
CLOSE = 1e-5

# What an answer must move by when what it depends on is drawn anew. Right forms move by 0.05 and more.
MOVES = 1e-3


# --- talking to the learner's modules -------------------------------------------------------------


def make(learner, draw, size, values=None):
    """An attention in evaluation mode, filled with these values or with random ones, and what it was filled with."""
    module = learner.BahdanauAttention(size.decoder_dim, size.encoder_dim, size.attention_dim).eval()
    return module, fill(module, draw, values)


def make_step(learner, draw, size, values=None):
    """A decoder step in evaluation mode, filled as `make` does."""
    module = learner.AttentionDecoderStep(size.embedding_dim, size.encoder_dim, size.decoder_dim, size.attention_dim)
    module.eval()
    return module, fill(module, draw, values)


def fill(module, draw, values=None):
    """Give every parameter that there is a random value, so large that tanh bends and weights differ."""
    if values is None:
        values = {name: ordinary(draw, name, parameter.shape) for name, parameter in module.parameters().items()}
    if values:
        module.load(values)
    return values


def ordinary(draw, name, shape):
    """Random values of a parameter: sums before tanh spread by 2 or so, and so do the scores."""
    if len(shape) < 2:
        return draw.normal(*shape) * 0.3
    return draw.normal(*shape) * (1.0 if shape[0] == 1 else 1.5 / math.sqrt(shape[-1]))


def states(draw, size):
    """A decoder state (batch, decoder_dim) and encoder states (batch, seq_len, encoder_dim)."""
    return draw.normal(size.batch, size.decoder_dim), draw.normal(size.batch, size.seq_len, size.encoder_dim)


def attend(module, *args):
    """Call an attention; return context and weights, in this order and in their shapes if only axes of 1 are wrong."""
    encoder_states = args[1]
    context_shape, weights_shape = (encoder_states.shape[0], encoder_states.shape[2]), encoder_states.shape[:2]
    first, second = floating(expect_pair(module(*args), ("context", "attention_weights")))
    if first.numel() != math.prod(context_shape) and second.numel() == math.prod(context_shape):
        first, second = second, first
    return in_shape(first, context_shape, "context", CONTEXT), in_shape(
        second, weights_shape, "attention_weights", WEIGHTS
    )


def take_step(module, *args):
    """Call a decoder step; return state and weights, as `attend` does."""
    state, encoder_states = args[1], args[2]
    first, second = floating(expect_pair(module(*args), ("decoder_state", "attention_weights")))
    if first.numel() != state.numel() and second.numel() == state.numel():
        first, second = second, first
    return in_shape(first, state.shape, "decoder_state", STATE), in_shape(
        second, encoder_states.shape[:2], "attention_weights", WEIGHTS
    )


def floating(pair):
    """The pair, if both hold floating-point numbers."""
    for tensor in pair:
        expect(tensor.is_floating_point(), "What is returned should hold floating-point numbers.")
    return pair


def in_shape(tensor, shape, what, axes):
    """The tensor in this shape: an axis of size one too much or too few is news for another check."""
    if tensor.numel() == math.prod(shape) and [n for n in tensor.shape if n > 1] == [n for n in shape if n > 1]:
        return tensor.reshape(shape)
    return expect_tensor(tensor, what, shape, axes)


def moved(before, after):
    """Largest absolute difference; infinite between different shapes or where one of them is not finite."""
    if before.shape != after.shape:
        return math.inf
    gap = (before.to(torch.float64) - after.to(torch.float64)).abs().max()
    return float(gap) if bool(torch.isfinite(gap)) else math.inf


def some_padding(draw, size):
    """A mask (batch, seq_len) of sentences of different length, at least one of them shorter."""
    lengths = draw.lengths(size.batch, size.seq_len)
    lengths[0] = size.seq_len - 1
    return torch.arange(size.seq_len) < lengths[:, None]


def heaviest_last(answer, encoder_states):
    """Encoder states in another order: each sentence's last token is the one that got most weight in this answer.

    A sharp softmax may give a token next to none, and a mask that hides such a token changes next to nothing. Hiding
    the heaviest one moves a weight by 1 / seq_len at least. Let another module than the one under test answer, which
    may remember what it was asked.
    """
    _, weights = answer
    return torch.take_along_dim(encoder_states, weights.argsort(dim=1)[..., None], dim=1)


# --- the reference, in float64 --------------------------------------------------------------------


def scores_of(values, decoder_state, encoder_states, *, biases=True, prefix=""):
    """Scores (batch, seq_len) of the formula, and the weights of v, in float64."""
    wide = {name.removeprefix(prefix): tensor.to(torch.float64) for name, tensor in values.items()}

    def layer(name, x):
        bias = wide.get(f"{name}.bias") if biases else None
        return torch.nn.functional.linear(x.to(torch.float64), wide[f"{name}.weight"], bias)

    hidden = torch.tanh(layer("W_query", decoder_state)[:, None] + layer("W_key", encoder_states))
    return layer("v", hidden)[..., 0]


def weights_of(scores, mask=None):
    """Softmax over what the mask allows, zero for a sentence of padding alone."""
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.bool()
    exponentials = torch.where(allowed, (scores - scores.amax(dim=1, keepdim=True)).exp(), 0.0)
    return exponentials / exponentials.sum(dim=1, keepdim=True).clamp_min(1e-300)


def gru(values, x, state):
    """A GRU cell's new state, in float64; Cho et al. (2014) in the form of torch.nn.GRUCell."""
    wide = {name.removeprefix("cell."): tensor.to(torch.float64) for name, tensor in values.items()}
    from_input = torch.nn.functional.linear(x.to(torch.float64), wide["weight_ih"], wide.get("bias_ih"))
    from_state = torch.nn.functional.linear(state.to(torch.float64), wide["weight_hh"], wide.get("bias_hh"))
    (reset_x, update_x, new_x), (reset_s, update_s, new_s) = from_input.chunk(3, dim=1), from_state.chunk(3, dim=1)
    update = torch.sigmoid(update_x + update_s)
    return (1 - update) * torch.tanh(new_x + torch.sigmoid(reset_x + reset_s) * new_s) + update * state


# --- conventions ----------------------------------------------------------------------------------


def test_it_attends(learner, draw):
    """The context changes with the encoder's states, and the same call gives the same answer.

    All other checks take for granted that this is attention of some kind.
    """
    size = draw.sizes(*SIZES)
    module, _ = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)

    context, _ = attend(module, decoder_state, encoder_states)
    again, _ = attend(module, decoder_state, encoder_states)
    other, _ = attend(module, decoder_state, draw.normal(*encoder_states.shape))

    expect(moved(context, again) < CLOSE, "The same call gives another context each time.")
    expect(moved(context, other) > MOVES, "The context stays the same when the encoder's states change.")


def test_it_steps(learner, draw):
    """The new state changes with the embedding, and the same call gives the same answer.

    A step that returns the state that it got never writes anything.
    """
    size = draw.sizes(*STEP_SIZES)
    module, _ = make_step(learner, draw, size)
    embedding = draw.normal(size.batch, size.embedding_dim)
    around = states(draw, size)

    state, _ = take_step(module, embedding, *around)
    again, _ = take_step(module, embedding, *around)
    other, _ = take_step(module, draw.normal(*embedding.shape), *around)

    expect(moved(state, again) < CLOSE, "The same call gives another state each time.")
    expect(moved(state, other) > MOVES, "The state stays the same when the embedding changes.")


@pytest.mark.depends_on("it_attends")
def test_attention_returns_context_then_weights(learner, draw):
    """The attention returns (context, attention_weights): one vector and one row of weights for each sentence.

    The weights are (batch, seq_len), without the axis of size one that v leaves behind.
    """
    size = draw.sizes(*SIZES)
    module, _ = make(learner, draw, size)

    context, weights = expect_pair(module(*states(draw, size)), ("context", "attention_weights"))

    expect_tensor(context, "context", (size.batch, size.encoder_dim), CONTEXT)
    expect_tensor(weights, "attention_weights", (size.batch, size.seq_len), WEIGHTS)


@pytest.mark.depends_on("it_steps")
def test_step_returns_state_then_weights(learner, draw):
    """The step returns (decoder_state, attention_weights), the state in the shape in which it came.

    It is the next step's input.
    """
    size = draw.sizes(*STEP_SIZES)
    module, _ = make_step(learner, draw, size)

    got = module(draw.normal(size.batch, size.embedding_dim), *states(draw, size))
    state, weights = expect_pair(got, ("decoder_state", "attention_weights"))

    expect_tensor(state, "decoder_state", (size.batch, size.decoder_dim), STATE)
    expect_tensor(weights, "attention_weights", (size.batch, size.seq_len), WEIGHTS)


@pytest.mark.depends_on("it_steps")
def test_the_layers_are_registered(learner, draw):
    """W_query, W_key and v are layers of the attention, and attention and cell are layers of the step.

    What is no attribute of the module, or lies in a plain Python list, is neither trained nor saved.
    """
    size = draw.sizes(*STEP_SIZES)
    module, found = make_step(learner, draw, size)
    expected = {
        "attention.W_query.weight": (size.attention_dim, size.decoder_dim),
        "attention.W_key.weight": (size.attention_dim, size.encoder_dim),
        "attention.v.weight": (1, size.attention_dim),
        "cell.weight_ih": (3 * size.decoder_dim, size.embedding_dim + size.encoder_dim),
        "cell.weight_hh": (3 * size.decoder_dim, size.decoder_dim),
    }

    for name, shape in expected.items():
        expect(name in found, f"The step has no parameter {name}.")
        expect_tensor(found[name], name, shape, ("features_out", "features_in"))
    expect(set(expected) <= module.trainable(), "A layer is kept from being trained.")


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_axes_of_size_one_stay(learner, draw):
    """A batch of one and a sentence of one token keep their axes.

    A squeeze() without an axis works in every test with larger sizes and fails with the first short sentence.
    """
    size = draw.sizes(*SIZES)
    module, _ = make(learner, draw, size)
    for batch, seq_len in ((1, size.seq_len), (size.batch, 1), (1, 1)):
        encoder_states = draw.normal(batch, seq_len, size.encoder_dim)
        got = expect_pair(
            module(draw.normal(batch, size.decoder_dim), encoder_states), ("context", "attention_weights")
        )
        numbers = {tensor.numel(): tensor for tensor in got}
        for shape, what, axes in (
            ((batch, size.encoder_dim), "context", CONTEXT),
            ((batch, seq_len), "attention_weights", WEIGHTS),
        ):
            # One axis too much is news for another check; two axes at least there must be.
            tensor = numbers.get(math.prod(shape), got[0])
            expect(tensor.dim() >= len(shape), f"{what} should have the axes ({', '.join(axes)}).")
            in_shape(tensor, shape, what, axes)


@pytest.mark.depends_on("it_attends")
def test_each_sentence_is_answered_alone(learner, draw):
    """A sentence gets the same context and weights alone as in a batch.

    Otherwise a sentence would be translated differently depending on which others it happens to be read with.
    """
    size = draw.sizes(*SIZES[1:], batch=3)
    module, _ = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)

    context, weights = attend(module, decoder_state, encoder_states)

    for sentence in range(size.batch):
        alone = slice(sentence, sentence + 1)
        own_context, own_weights = attend(module, decoder_state[alone], encoder_states[alone])
        expect_close(weights[alone], own_weights, "attention_weights", WEIGHTS, atol=CLOSE)
        expect_close(context[alone], own_context, "context", CONTEXT, atol=CLOSE)


# --- scores and weights ---------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends", "the_layers_are_registered")
def test_weights_follow_the_additive_score(learner, draw):
    """The ratio of two weights is that of their exponentiated scores, v · tanh(W_query s + W_key h).

    Ratios, so that it does not matter over what the softmax runs besides the tokens, nor which context comes of it.
    """
    size = draw.sizes(*SIZES[1:], batch=2)
    module, values = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)

    _, weights = attend(module, decoder_state, encoder_states)

    expect_finite(weights, "attention_weights", WEIGHTS)
    expect(bool((weights > 0).all()), "Some weights are zero although nothing is masked and scores are small.")
    logs = weights.to(torch.float64).log()
    found = logs - logs[:, :1]
    # A layer may have a bias and be used through its weight alone, so both readings are right.
    answers = [scores_of(values, decoder_state, encoder_states, biases=biases) for biases in (True, False)]
    expected = min((score - score[:, :1] for score in answers), key=lambda answer: moved(answer, found))
    # Scores up to 15 in float32: their differences are known to 1e-5.
    expect_close(found, expected, "the difference of a token's score from the first one's", WEIGHTS, atol=1e-3)


@pytest.mark.depends_on("it_attends", "the_layers_are_registered")
def test_the_decoder_s_state_decides_what_is_looked_at(learner, draw, observe):
    """Another decoder state gives other weights.

    Without tanh between the sum and v it would not: the query's part of the score is then the same for every token, and
    softmax cancels what all have in common.
    """
    size = draw.sizes(*SIZES, low=4)
    module, values = make(learner, draw, size)
    # Scores that differ by 8 at most: a sharper softmax may leave all weight on one token for either state.
    values["v.weight"] *= 4 / values["v.weight"].abs().sum()
    module.load(values)
    decoder_state, encoder_states = states(draw, size)
    other_state = draw.normal(*decoder_state.shape)

    _, weights = attend(module, decoder_state, encoder_states)
    _, other = attend(module, other_state, encoder_states)
    change = moved(weights, other)
    linear = [values["W_key.weight"].double() @ state.double() for state in encoder_states[0]]
    spread = max(float(values["v.weight"].double() @ one) for one in linear)

    observe(
        "Another decoder state changes the weights; without tanh the change would be 0, however large the scores.",
        largest_change_of_a_weight=change,
        largest_score_without_tanh=spread,
    )
    expect(change > MOVES, "The weights stay the same when the decoder's state changes.")


@pytest.mark.depends_on("it_attends")
def test_scores_are_bounded_by_v(learner, draw, observe):
    """However large the states are, two scores differ by at most twice the sum of |v|.

    tanh lies between -1 and 1. A dot product, or a relu in the place of tanh, would grow with the states and put all
    weight on one token.
    """
    size = draw.sizes(*SIZES[:-1], attention_dim=4)
    module, _ = make(learner, draw, size)
    v = draw.uniform(1, 4, low=0.5, high=1.0)
    module.load({"v.weight": v})
    decoder_state, encoder_states = states(draw, size)

    _, weights = attend(module, decoder_state, encoder_states * 1000.0)
    _, ordinary_weights = attend(module, decoder_state, encoder_states)

    expect_finite(weights, "attention_weights", WEIGHTS)
    ratio = float((weights.amax(dim=1) / weights.amin(dim=1).clamp_min(1e-30)).log().max())
    bound = 2 * float(v.sum())
    observe(
        "With states a thousand times as large the scores still differ by no more than twice the sum of |v|.",
        largest_difference_of_scores=ratio,
        twice_the_sum_of_v=bound,
    )
    expect(ratio < bound + 0.01, "Scores grow with the encoder's states without bound.")
    expect(moved(weights, ordinary_weights) > MOVES, "The weights stay the same when the encoder's states change.")


@pytest.mark.depends_on("it_attends")
def test_the_weights_of_each_sentence_sum_to_one(learner, draw):
    """Each sentence's weights are positive and sum to one over its tokens, and equal tokens get equal weights.

    Over the batch, or over the axis of size one that v leaves, the softmax gives something else.
    """
    size = draw.sizes(*SIZES[1:], batch=3)
    module, _ = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)

    _, weights = attend(module, decoder_state, encoder_states)
    _, even = attend(module, decoder_state, encoder_states[:, :1].repeat(1, size.seq_len, 1))

    expect_finite(weights, "attention_weights", WEIGHTS)
    expect(bool((weights >= 0).all()), "Some weights are negative.")
    sums = weights.to(torch.float64).sum(dim=1)
    expect_close(sums, torch.ones_like(sums), "the sum of a sentence's weights", ("batch",), atol=CLOSE)
    expect_close(even, torch.full_like(even, 1 / size.seq_len), "the weights of equal tokens", WEIGHTS, atol=CLOSE)


# --- context --------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_the_context_is_the_weighted_sum_of_the_states(learner, draw):
    """The context is the sum of the encoder's states, each times the weight that was returned for it.

    Not of their projections, which are for the comparison only, and not with other weights than those returned.
    """
    size = draw.sizes(*SIZES)
    module, _ = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)

    for mask in ((), (some_padding(draw, size),)):
        context, weights = attend(module, decoder_state, encoder_states, *mask)
        expected = torch.einsum("bs,bse->be", weights.double(), encoder_states.double())
        expect_close(context, expected.float(), "context", CONTEXT, atol=CLOSE)


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends")
def test_padding_gets_no_weight(learner, draw):
    """Where the mask holds False, and only there, the weight is zero.

    True means may attend.
    """
    size = draw.sizes(*SIZES)
    module, _ = make(learner, draw, size)
    mask = some_padding(draw, size)

    _, weights = attend(module, *states(draw, size), mask)

    # An allowed token has a weight of e^-30 at least; a fill of -1e4 or less leaves exactly zero.
    expect_equal(expect_finite(weights, "attention_weights", WEIGHTS) > 1e-13, mask, "which tokens get weight", WEIGHTS)


@pytest.mark.depends_on("it_attends")
def test_a_padded_sentence_is_read_like_a_cut_one(learner, draw):
    """A padded sentence gets the weights that it gets when the padding is cut off.

    The mask belongs before the softmax: afterwards padding has already taken its share of the sum.
    """
    size = draw.sizes("batch", "seq_len", "decoder_dim", "attention_dim", low=3, encoder_dim=11)
    module, values = make(learner, draw, size)
    scout, _ = make(learner, draw, size, values)
    decoder_state, encoder_states = states(draw, size)
    # Fewer tokens of padding than sentences: else code that deals queries out in turn may deal them out the same.
    length = size.seq_len - draw.integers(1, min(size.batch, size.seq_len - 1))
    mask = (torch.arange(size.seq_len) < length).expand(size.batch, -1).clone()
    encoder_states = heaviest_last(attend(scout, decoder_state, encoder_states), encoder_states)

    _, weights = attend(module, decoder_state, encoder_states, mask)
    _, cut = attend(module, decoder_state, encoder_states[:, :length].clone())

    expect_close(weights[:, :length], cut, "attention_weights", WEIGHTS, atol=CLOSE)
    _, unmasked = attend(module, decoder_state, encoder_states)
    expect(moved(unmasked, weights) > MOVES, "The mask changes nothing.")


@pytest.mark.depends_on("it_attends", "it_steps")
def test_the_step_hands_the_mask_on(learner, draw):
    """What is in padded states changes nothing in a step.

    The mask is the step's last argument, and its attention needs it.
    """
    size = draw.sizes(*STEP_SIZES, low=3, high=10)
    module, values = make_step(learner, draw, size)
    scout, _ = make_step(learner, draw, size, values)
    embedding = draw.normal(size.batch, size.embedding_dim)
    decoder_state, encoder_states = states(draw, size)
    mask = some_padding(draw, size)
    encoder_states = heaviest_last(take_step(scout, embedding, decoder_state, encoder_states), encoder_states)
    garbage = torch.where(mask[..., None], encoder_states, 50.0 * draw.normal(*encoder_states.shape))

    unmasked, _ = take_step(module, embedding, decoder_state, encoder_states)
    clean, _ = take_step(module, embedding, decoder_state, encoder_states, mask)
    state, _ = take_step(module, embedding, decoder_state, garbage, mask)

    expect_close(state, clean, "decoder_state", STATE, atol=CLOSE)
    expect(moved(clean, unmasked) > MOVES, "The mask changes nothing.")


@pytest.mark.depends_on("it_attends")
def test_masks_of_numbers_mean_the_same(learner, draw):
    """A mask of integer or float 1 and 0 means the same as one of True and False.

    Masks come from comparisons, from files and from lengths; ~ inverts only the first kind.
    """
    size = draw.sizes(*SIZES)
    module, values = make(learner, draw, size)
    scout, _ = make(learner, draw, size, values)
    decoder_state, encoder_states = states(draw, size)
    around = decoder_state, heaviest_last(attend(scout, decoder_state, encoder_states), encoder_states)
    mask = some_padding(draw, size)

    _, unmasked = attend(module, *around)
    _, expected = attend(module, *around, mask)

    expect(moved(expected, unmasked) > MOVES, "The mask changes nothing.")
    for dtype in (torch.int64, torch.float32):
        _, weights = attend(module, *around, mask.to(dtype))
        expect_close(weights, expected, "attention_weights", WEIGHTS, atol=CLOSE)


@pytest.mark.depends_on("it_attends")
def test_a_sentence_of_padding_gives_nothing(learner, draw):
    """A sentence that is all padding has weights and a context of zero, and the others have what they always have.

    A softmax over nothing but -inf is 0 / 0, and the NaN that comes out spreads to everything after it.
    """
    size = draw.sizes(*SIZES[1:], batch=3)
    module, _ = make(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)
    mask = torch.ones(size.batch, size.seq_len, dtype=torch.bool)
    empty = draw.integers(0, size.batch)
    mask[empty] = False

    context, weights = attend(module, decoder_state, encoder_states, mask)

    expect_finite(weights, "attention_weights", WEIGHTS)
    expect_finite(context, "context", CONTEXT)
    found = weights.abs().amax(dim=1) > 1e-6
    expect_equal(found, mask[:, 0], "which sentences have weights", ("batch",))
    expect(float(context[empty].abs().max()) < 1e-6, "The context of a sentence of padding is not zero.")


@pytest.mark.depends_on("it_attends")
def test_no_nan_reaches_a_gradient(learner, draw):
    """A sentence that is all padding lets no NaN into any gradient.

    Writing zeros over a NaN afterwards repairs the values alone: on the way back 0 * NaN is NaN again, and one such
    sentence spoils every parameter.
    """
    size = draw.sizes(*SIZES[1:], batch=3)
    module, _ = make(learner, draw, size)
    around = states(draw, size)
    mask = torch.ones(size.batch, size.seq_len, dtype=torch.bool)
    mask[1] = False

    found = module.gradients(
        *around, mask, along=draw.normal(size.batch, size.encoder_dim), of=position(module, around)
    )

    gradients = dict(zip(("decoder_state", "encoder_states"), found.arguments, strict=False)) | found.parameters
    there = {name: gradient for name, gradient in gradients.items() if gradient is not None}
    for name, gradient in there.items():
        expect_finite(gradient, f"the gradient of {name}")
    expect(any(float(gradient.abs().max()) > MOVES for gradient in there.values()), "No gradient reaches anything.")


def position(module, around):
    """Where in the returned pair the context is."""
    first, _ = expect_pair(module(*around), ("context", "attention_weights"))
    return 0 if tuple(first.shape) == (around[1].shape[0], around[1].shape[2]) else 1


# --- the step -------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_steps")
def test_the_cell_reads_the_embedding_then_the_context(learner, draw):
    """The new state is the GRU cell's, from the old one and from the embedding followed by the context.

    Where all tokens are alike there is no choice: whatever the scores are, the context is their state.
    """
    size = draw.sizes(*STEP_SIZES)
    module, values = make_step(learner, draw, size)
    embedding = draw.normal(size.batch, size.embedding_dim)
    decoder_state, encoder_states = states(draw, size)
    encoder_states = encoder_states[:, :1].repeat(1, size.seq_len, 1)

    state, _ = take_step(module, embedding, decoder_state, encoder_states)

    expected = gru(cell_of(values), torch.cat([embedding, encoder_states[:, 0]], dim=1), decoder_state)
    expect_close(state, expected.float(), "decoder_state", STATE, atol=CLOSE)


def cell_of(values):
    """The parameters of the cell alone."""
    return {name: value for name, value in values.items() if name.startswith("cell.")}


@pytest.mark.depends_on("it_attends", "it_steps")
def test_the_step_attends_with_the_state_that_it_got(learner, draw):
    """The weights of a step are those that its attention gives for the state before the step.

    What to look at must be known before anything is written; the state after the step is the next one's.
    """
    size = draw.sizes(*STEP_SIZES, low=3, high=10)
    module, values = make_step(learner, draw, size)
    own, _ = make(learner, draw, size)
    prefix = "attention."
    own.load({name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)})
    decoder_state, encoder_states = states(draw, size)

    _, expected = attend(own, decoder_state, encoder_states)
    _, weights = take_step(module, draw.normal(size.batch, size.embedding_dim), decoder_state, encoder_states)

    expect_close(weights, expected, "attention_weights", WEIGHTS, atol=CLOSE)


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends", "it_steps")
def test_gradients_reach_all_inputs(learner, draw):
    """The gradients of embedding, decoder state and encoder states are those of the new state that was computed.

    They are compared with what the state really does when an input moves a little. A detach, .data or NumPy on the way
    leaves the values right and stops the learning.
    """
    size = draw.sizes(*STEP_SIZES)
    module, _ = make_step(learner, draw, size)
    module.to(torch.float64)
    inputs = [draw.normal(size.batch, size.embedding_dim), *states(draw, size)]
    inputs = [tensor.to(torch.float64) for tensor in inputs]
    along = draw.normal(size.batch, size.decoder_dim, dtype=torch.float64)

    found = module.gradients(*inputs, along=along, of=step_position(module, inputs))

    for place, name in enumerate(("embedding", "decoder_state", "encoder_states")):

        def answer(moved_input, place=place):
            return take_step(module, *inputs[:place], moved_input, *inputs[place + 1 :])[0]

        expect_slope(answer, inputs[place], found.arguments[place], along, name, draw, "state after the step")


def step_position(module, inputs):
    """Where in the returned pair the state is."""
    first, _ = expect_pair(module(*inputs), ("decoder_state", "attention_weights"))
    return 0 if first.shape == inputs[1].shape else 1


@pytest.mark.depends_on("it_attends", "it_steps")
def test_gradients_reach_every_layer(learner, draw):
    """The gradient of every parameter is that of the new state that was computed.

    A layer without a gradient never learns. (The bias of v has a gradient of zero: it moves all scores alike.)
    """
    size = draw.sizes(*STEP_SIZES)
    module, _ = make_step(learner, draw, size)
    module.to(torch.float64)
    inputs = [draw.normal(size.batch, size.embedding_dim), *states(draw, size)]
    inputs = [tensor.to(torch.float64) for tensor in inputs]
    along = draw.normal(size.batch, size.decoder_dim, dtype=torch.float64)

    found = module.gradients(*inputs, along=along, of=step_position(module, inputs))

    for name, parameter in module.parameters().items():

        def answer(moved_parameter, name=name):
            return take_step(module.load({name: moved_parameter}), *inputs)[0]

        expect_slope(answer, parameter, found.parameters.get(name), along, name, draw, "state after the step")
        module.load({name: parameter})


# --- robustness -----------------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends", "it_steps")
def test_inputs_are_left_alone(learner, draw):
    """A call changes neither states nor mask.

    The encoder's states are needed again at every step.
    """
    size = draw.sizes(*STEP_SIZES)
    names = ("embedding", "decoder_state", "encoder_states", "mask")
    step, _ = make_step(learner, draw, size)
    mask = some_padding(draw, size)
    for padding in (mask, mask.to(torch.int64), mask.to(torch.float32)):
        inputs = [draw.normal(size.batch, size.embedding_dim), *states(draw, size), padding]
        try_with = inputs if padding.dtype is not torch.int64 else inputs[:3]
        expect_unchanged(step.observe(*try_with), names)


@pytest.mark.depends_on("it_attends", "it_steps")
def test_earlier_calls_leave_no_trace(learner, draw):
    """A step gets the same answer whatever the module was asked before.

    Projected states may be kept from step to step by whoever calls the module, not by the module: the next sentence is
    another one.
    """
    size = draw.sizes(*STEP_SIZES)
    first, values = make_step(learner, draw, size)
    second, _ = make_step(learner, draw, size, values)
    embedding = draw.normal(size.batch, size.embedding_dim)
    around = states(draw, size)

    expected, _ = take_step(first, embedding, *around)
    take_step(second, draw.normal(*embedding.shape), *states(draw, size))
    state, _ = take_step(second, embedding, *around)

    expect_close(state, expected, "decoder_state", STATE, atol=CLOSE)


@pytest.mark.depends_on("it_attends", "it_steps")
def test_training_gives_the_same_answer(learner, draw):
    """In training mode a step gives the answer of evaluation mode.

    There is no dropout in this exercise.
    """
    size = draw.sizes(*STEP_SIZES)
    step, _ = make_step(learner, draw, size)
    embedding, around = draw.normal(size.batch, size.embedding_dim), states(draw, size)

    expected, _ = take_step(step, embedding, *around)
    state, _ = take_step(step.train(), embedding, *around)

    expect_close(state, expected, "decoder_state in training mode", STATE, atol=CLOSE)


# --- numerics and devices -------------------------------------------------------------------------


def expect_dtype(learner, draw, dtype, atol):
    """Expect context and weights in the dtype of the inputs, close to the module's own float32 answer."""
    size = draw.sizes(*SIZES)
    module, values = make(learner, draw, size)
    converted, _ = make(learner, draw, size)
    # Small, so that scores of a few hundredths too much do not turn the weights round in half types.
    values = {name: 0.3 * value for name, value in values.items()}
    module.load(values)
    converted.load(values)
    converted.to(dtype)
    around = states(draw, size)

    for mask in ((some_padding(draw, size),), ()):
        expected = attend(module, *around, *mask)
        got = attend(converted, *(tensor.to(dtype) for tensor in around), *mask)
        for tensor, reference, what, axes in zip(
            got, expected, ("context", "attention_weights"), (CONTEXT, WEIGHTS), strict=True
        ):
            expect_tensor(tensor, what, dtype=dtype)
            expect_close(tensor, reference.to(dtype), what, axes, atol=atol)
    other, _ = attend(converted, around[0].to(dtype), draw.normal(*around[1].shape).to(dtype))
    expect(moved(other, got[0]) > MOVES, "The context stays the same when the encoder's states change.")


@pytest.mark.depends_on("it_attends")
def test_double_in_gives_double_out(learner, draw):
    """A float64 module given float64 inputs answers in float64.

    A tensor that is made without a dtype is float32, and mixing the two raises or rounds.
    """
    expect_dtype(learner, draw, torch.float64, atol=CLOSE)


@pytest.mark.depends_on("it_attends", "double_in_gives_double_out")
def test_half_in_gives_half_out(learner, draw):
    """A float16 module given float16 inputs answers in float16.

    Large models run like this. A constant such as -1e9 does not fit into float16, whose largest number is 65504.
    """
    # float16 has 11 bits; contexts of up to 4 are known to a few thousandths.
    expect_dtype(learner, draw, torch.float16, atol=0.03)


def expect_device(learner, draw, device, atol):
    """Expect the step's own answers on another device, with and without a mask."""
    size = draw.sizes(*STEP_SIZES)
    embedding = draw.normal(size.batch, size.embedding_dim)
    around = states(draw, size)

    for mask in ((), (some_padding(draw, size),)):
        module, _ = make_step(learner, draw, size)
        observed = module.on(device).observe(embedding, *around, *mask)
        expected_state, expected_weights = take_step(module, embedding, *around, *mask)
        state, weights = expect_pair(observed.value, ("decoder_state", "attention_weights"))
        if state.numel() != expected_state.numel():
            state, weights = weights, state
        state = in_shape(state, expected_state.shape, "decoder_state", STATE)
        weights = in_shape(weights, expected_weights.shape, "attention_weights", WEIGHTS)
        expect_close(state, expected_state, "decoder_state", STATE, atol=atol)
        expect_close(weights, expected_weights, "attention_weights", WEIGHTS, atol=atol)
        expect("cpu" not in observed.devices, "The results were left on the CPU.")


@pytest.mark.depends_on("it_attends", "it_steps")
def test_a_pretended_accelerator_gives_the_same_numbers(learner, draw):
    """On another device nothing is left behind on the CPU.

    A tensor that is made without device=... is on the CPU: on a GPU that raises.
    """
    expect_device(learner, draw, "pretend", CLOSE)


@pytest.mark.accelerator
@pytest.mark.depends_on("it_attends", "it_steps")
def test_a_real_accelerator_gives_the_same_numbers(learner, draw):
    """On a real accelerator the answers are those of the CPU.

    Only where this machine has one.
    """
    # Sums run in another order there, and some cards round the inputs of a matrix product to 10 bits (TF32).
    expect_device(learner, draw, "accelerator", 1e-2)


# --- everything together --------------------------------------------------------------------------


@pytest.mark.depends_on("it_attends", "the_layers_are_registered")
def test_several_steps_give_the_right_numbers(learner, draw):
    """Three steps in turn over a padded batch give the right states and weights.

    Everything that the checks before looked at one by one, at once.
    """
    size = draw.sizes(*STEP_SIZES, low=3, high=10)
    module, values = make_step(learner, draw, size)
    decoder_state, encoder_states = states(draw, size)
    mask = some_padding(draw, size)
    embeddings = [draw.normal(size.batch, size.embedding_dim) for _ in range(3)]

    got, state = [], decoder_state
    for embedding in embeddings:
        state, weights = take_step(module, embedding, state, encoder_states, mask)
        got.append((state, weights))

    readings = [decode(values, embeddings, decoder_state, encoder_states, mask, biases=b) for b in (True, False)]
    expected = min(readings, key=lambda reading: moved(reading[-1][0], got[-1][0]))
    for (found_state, found_weights), (right_state, right_weights) in zip(got, expected, strict=True):
        # Three steps pass on what float32 rounds off in each.
        expect_close(found_weights, right_weights.float(), "attention_weights", WEIGHTS, atol=10 * CLOSE)
        expect_close(found_state, right_state.float(), "decoder_state", STATE, atol=10 * CLOSE)


def decode(values, embeddings, state, encoder_states, mask, *, biases):
    """States and weights of several steps, in float64."""
    attention = {name: value for name, value in values.items() if name.startswith("attention.")}
    steps = []
    for embedding in embeddings:
        scores = scores_of(attention, state, encoder_states, biases=biases, prefix="attention.")
        weights = weights_of(scores, mask)
        context = torch.einsum("bs,bse->be", weights, encoder_states.double())
        state = gru(cell_of(values), torch.cat([embedding.double(), context], dim=1), state)
        steps.append((state, weights))
    return steps


# --- the bottleneck and its cure ------------------------------------------------------------------

TOKENS = 8
LENGTHS = range(2, TOKENS + 1)
TRAINING = {"steps": 140, "batch": 32, "rate": 3e-2}
EMBEDDING, DECODER, ATTENDING = TOKENS + 1, 32, 32
ENCODER = 2 * EMBEDDING

BOTTLENECK = {2: 1.0, 3: 1.0, 4: 1.0, 5: 0.97, 6: 0.92, 7: 0.86, 8: 0.82}
"""The share of tokens that a decoder with one fixed vector writes right, by length: the last state of a GRU that reads
the same encoder states, after the same training; `benchmarks/bottleneck.py` measures it."""


class Reverser(torch.nn.Module):
    """
    A tiny network that writes sequences of different tokens backwards, but for the step that writes one token.

    The encoder's state of a token says which token it is and which is to its right. So a decoder that has just written
    a token can find the one before it: the state that says "to my right is what you have just written".

    Args:
        draw: Gives the initial values.
        step: Takes (embeddings, decoder_state, encoder_states) and makes all steps, with time as the first axis of
            embeddings; returns all states (steps, batch, decoder_dim) and weights (steps, batch, seq_len).
    """

    def __init__(self, draw, step):
        super().__init__()
        self.step = step
        # One more than there are tokens: what stands beside the last one, and what is written before the first.
        self.codes = 2.0 * torch.eye(TOKENS + 1)
        self.start = torch.nn.Parameter(draw.normal(DECODER))
        self.read_out = torch.nn.Parameter(draw.normal(DECODER, TOKENS) / math.sqrt(DECODER))

    def encode(self, tokens):
        """Encoder states (batch, seq_len, ENCODER) of tokens (batch, seq_len)."""
        edge = torch.full_like(tokens[:, :1], TOKENS)
        return torch.cat([self.codes[tokens], self.codes[torch.cat([tokens[:, 1:], edge], dim=1)]], dim=-1)

    def forward(self, tokens, written):
        """Logits (batch, steps, TOKENS) and weights (batch, steps, seq_len), with ``written`` before each step."""
        state = torch.tanh(self.start).expand(len(tokens), -1)
        states, weights = self.step(self.codes[written].transpose(0, 1), state, self.encode(tokens))
        return (states @ self.read_out).transpose(0, 1), weights.transpose(0, 1)


def different_tokens(draw, batch, length):
    """Sequences (batch, length) of tokens that are all different."""
    return draw.uniform(batch, TOKENS).argsort(dim=1)[:, :length]


def train_reverser(model, draw):
    """Train on sequences of all lengths: predict each token from those written before it."""
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, TRAINING["rate"], total_steps=TRAINING["steps"], pct_start=0.1, cycle_momentum=False
    )
    for _ in range(TRAINING["steps"]):
        tokens = different_tokens(draw, TRAINING["batch"], LENGTHS[draw.integers(0, len(LENGTHS))])
        wanted = tokens.flip(1)
        written = torch.cat([torch.full_like(wanted[:, :1], TOKENS), wanted[:, :-1]], dim=1)
        logits, _ = model(tokens, written)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


@torch.no_grad()
def write_backwards(model, draw, length, batch=64):
    """Let the model write, each token after its own; return the share that is right, and weights (steps, seq_len)."""
    tokens = different_tokens(draw, batch, length)
    written = torch.full((batch, 1), TOKENS)
    for _ in range(length):
        logits, weights = model(tokens, written)
        written = torch.cat([written, logits[:, -1:].argmax(dim=-1)], dim=1)
    return float((written[:, 1:] == tokens.flip(1)).float().mean()), weights.mean(dim=0)


def train_to_reverse(learner, draw):
    """
    Train a learner's decoder step to write sequences backwards.

    Returns:
        The share of tokens that it gets right, by length, and its weights (steps, seq_len) on the longest sequences,
        averaged over 64 of them.
    """
    # In evaluation mode: dropout, which does not belong there, is for another check.
    module = learner.AttentionDecoderStep(EMBEDDING, ENCODER, DECODER, ATTENDING).eval()
    # The same start for every form, whatever its layers are filled with.
    shapes = {name: value.shape for name, value in module.parameters().items()}
    module.load({name: 2 * (draw.uniform(*shape) - 0.5) / math.sqrt(shape[-1]) for name, shape in shapes.items()})
    step, over_time = trainable(module), Unroll(over=(0,), carry={1: 0})

    def unrolled(embeddings, state, encoder_states):
        got = expect_pair(step.unrolled(embeddings, state, encoder_states, unroll=over_time), ("states", "weights"))
        shapes = ((*embeddings.shape[:2], DECODER), (*embeddings.shape[:2], encoder_states.shape[1]))
        for tensor, shape, what in zip(got, shapes, ("decoder_state", "attention_weights"), strict=True):
            expect_tensor(tensor, what, shape, dtype=torch.float32)
        return got

    model = Reverser(draw, unrolled)
    model.add_module("learnt", step)
    train_reverser(model, draw)
    results = {length: write_backwards(model, draw, length) for length in LENGTHS}
    return {length: share for length, (share, _) in results.items()}, results[LENGTHS[-1]][1]


@pytest.mark.depends_on("several_steps_give_the_right_numbers", "step_returns_state_then_weights")
def test_trained_it_writes_sequences_of_any_length_backwards(learner, draw, observe):
    """Trained for a moment, the step writes long sequences backwards as well as short ones, last token first.

    With one vector for the whole sequence the share of right tokens falls with the length. With attention it does not,
    and the weights show why: step t looks at token seq_len - 1 - t, so they form an anti-diagonal.
    """
    shares, weights = train_to_reverse(learner, draw)
    longest = LENGTHS[-1]
    anti_diagonal = float(weights.flip(1).diagonal().mean())

    observe(
        f"Of sequences of {longest} tokens, attention writes this share right, and looks at the right token this much; "
        "with a fixed vector the share falls with the length.",
        right_with_attention=shares[longest],
        right_with_a_fixed_vector=BOTTLENECK[longest],
        weight_on_the_anti_diagonal=anti_diagonal,
    )
    worst = min(shares, key=lambda length: shares[length])
    expect(shares[worst] > 0.9, "After training, many tokens of some length come out wrong.")
    expect(anti_diagonal > 0.5, "After training, the weights do not form an anti-diagonal.")
