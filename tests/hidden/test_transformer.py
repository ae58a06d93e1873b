"""Hidden suite: transformer

One mistake is to cost few criteria, so sub-layers that a check is not about are switched off: with a last layer of
zeros a sub-layer adds nothing, whatever is wrong in it. Where a check is about a property, a block is compared with
itself. The criterion `together` is the net: ordinary data against a reference in float64; and two blocks of each kind
are trained.
"""

import math

import pytest
import torch

from grader.suite import (
    expect,
    expect_close,
    expect_finite,
    expect_slope,
    expect_tensor,
    expect_unchanged,
    trainable,
)

OUTPUT = ("batch", "seq_len", "d_model")
ENCODER, DECODER = "EncoderBlock", "DecoderBlock"
ATTENTIONS = {ENCODER: ("self_attention",), DECODER: ("self_attention", "cross_attention")}
SUB_LAYERS = {kind: (*names, "feed_forward") for kind, names in ATTENTIONS.items()}
LAST = {"self_attention": "self_attention.W_o", "cross_attention": "cross_attention.W_o"}
LAST["feed_forward"] = "feed_forward.linear_2"

# Correct forms differ from a float64 reference by up to 3e-6 on data of unit variance at the sizes used here.
CLOSE = 3e-5

# Where the reference has a norm: an epsilon of 1e-6 instead of 1e-5 changes a token whose variance is as small as 0.01
# by 5e-4 of its size, and is nobody's mistake. Mistakes differ by 0.05 and more.
NORMED = 5e-3

# What an answer must move by when what it depends on is drawn anew. Right forms move by 0.05 and more.
MOVES = 1e-3


# --- talking to the learner's modules -------------------------------------------------------------


def sizes(draw, *names, low=2, high=8):
    """
    Pairwise different sizes, with d_model and d_ff that differ from the others.

    The memory is as long as x unless a check asks for `memory_len`: what is wrong about lengths is news for two checks.
    """
    size = draw.sizes("batch", "seq_len", *names, low=low, high=high, num_heads=draw.integers(2, 4))
    size.d_model, size.d_ff = 4 * size.num_heads, 4 * size.num_heads + 3
    if "memory_len" not in names:
        size.memory_len = size.seq_len
    draw.remember(d_model=size.d_model, d_ff=size.d_ff)
    return size


def make(learner, draw, kind, size, *, off=(), dropout=()):
    """A filled block in evaluation mode, with some sub-layers switched off; and what it was filled with."""
    module = getattr(learner, kind)(size.d_model, size.num_heads, size.d_ff, *dropout).eval()
    values = {name: ordinary(draw, name, parameter.shape) for name, parameter in module.parameters().items()}
    for sub_layer in off:
        for name in values:
            if name.startswith(LAST[sub_layer]):
                values[name] = torch.zeros_like(values[name])
    if values:
        module.load(values)
    return module, values


def ordinary(draw, name, shape):
    """Random values of a parameter: a norm's scale stays near 1, a weight keeps the variance."""
    if len(shape) < 2:
        return (1.0 if "norm" in name and name.endswith("weight") else 0.0) + 0.3 * draw.normal(*shape)
    return draw.normal(*shape) * math.sqrt(1.5 / shape[-1])


def plain_norms(module, values):
    """Give all norms a scale of 1 and a shift of 0."""
    norms = {name: value for name, value in values.items() if name.startswith("norm")}
    module.load({name: torch.full_like(value, float(name.endswith("weight"))) for name, value in norms.items()})


def run(module, *args):
    """Call a block; return its output, also where it came with something else, which is news for another check."""
    got = module(*args)
    if type(got) in (tuple, list) and got:
        got = got[0]
    output = expect_tensor(got, "output")
    expect(output.is_floating_point(), "output should hold floating-point numbers.")
    expect(output.numel() > 0, "output is empty.")
    return output


def inputs_of(draw, kind, size, seq_len=None):
    """x, and for a decoder a memory, too."""
    x = draw.normal(size.batch, seq_len or size.seq_len, size.d_model)
    return (x,) if kind == ENCODER else (x, draw.normal(size.batch, size.memory_len, size.d_model))


def causal(seq_len):
    """A mask (seq_len, seq_len) that lets a token see itself and the past."""
    return torch.ones(seq_len, seq_len, dtype=torch.bool).tril()


def padding_mask(draw, batch, seq_len):
    """A mask (batch, 1, 1, seq_len) of sentences of different length, the first of them shorter."""
    lengths = draw.lengths(batch, seq_len)
    lengths[0] = seq_len - 1
    return torch.arange(seq_len)[None, None, None] < lengths[:, None, None, None]


def moved(before, after):
    """Largest absolute difference; infinite between different shapes or where one of them is not finite."""
    if before.shape != after.shape:
        return math.inf
    gap = (before.to(torch.float64) - after.to(torch.float64)).abs().max()
    return float(gap) if bool(torch.isfinite(gap)) else math.inf


# --- the reference, in float64 --------------------------------------------------------------------


class Reference:
    """Blocks in float64, from their parameters by name."""

    def __init__(self, values, num_heads):
        self.values = {name: value.to(torch.float64) for name, value in values.items()}
        self.num_heads = num_heads

    def linear(self, name, x):
        """A layer's projection."""
        bias = self.values.get(f"{name}.bias")
        projected = x.to(torch.float64) @ self.values[f"{name}.weight"].T
        return projected if bias is None else projected + bias

    def norm(self, name, x):
        """A layer norm over the features, with an epsilon of 1e-5."""
        centred = x.to(torch.float64) - x.to(torch.float64).mean(dim=-1, keepdim=True)
        deviation = (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return centred / deviation * self.values[f"{name}.weight"] + self.values[f"{name}.bias"]

    def attention(self, name, x, memory, mask):
        """Multi-head attention, mixed by W_o."""
        q, k, v = (
            self.linear(f"{name}.W_{role}", source) for role, source in zip("qkv", (x, memory, memory), strict=True)
        )
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = torch.where(mask.bool(), scores, -torch.inf)
        return self.linear(f"{name}.W_o", (scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(2))

    def feed_forward(self, x, prefix="feed_forward."):
        """Linear, relu, linear."""
        return self.linear(f"{prefix}linear_2", self.linear(f"{prefix}linear_1", x).clamp_min(0))

    def block(self, kind, x, memory=None, mask=None, memory_mask=None):
        """The output of a block."""
        x = self.norm("norm_1", x + self.attention("self_attention", x, x, mask))
        if kind == DECODER:
            x = self.norm("norm_2", x + self.attention("cross_attention", x, memory, memory_mask))
        return self.norm("norm_3" if kind == DECODER else "norm_2", x + self.feed_forward(x))


# --- conventions and shapes -----------------------------------------------------------------------


def expect_to_work(learner, draw, kind):
    """Expect a block whose output follows its input, by more than the input itself."""
    size = sizes(draw)
    module, _ = make(learner, draw, kind, size)
    x, *memory = inputs_of(draw, kind, size)
    other = draw.normal(*x.shape)

    output, again, changed = run(module, x, *memory), run(module, x, *memory), run(module, other, *memory)

    expect(moved(output, again) < CLOSE, "The same call gives another output each time.")
    expect(moved(output, changed) > MOVES, "The output stays the same when the input changes.")
    expect(moved(changed, other) > MOVES, "The block returns its input.")


def test_the_encoder_block_works(learner, draw):
    """The output of an encoder block changes with its input, and the same call gives the same answer.

    All other checks take for granted that this is a block of some kind.
    """
    expect_to_work(learner, draw, ENCODER)


def test_the_decoder_block_works(learner, draw):
    """The output of a decoder block changes with its input, and the same call gives the same answer.

    All other checks take for granted that this is a block of some kind.
    """
    expect_to_work(learner, draw, DECODER)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_blocks_return_one_tensor_shaped_like_x(learner, draw):
    """A block maps (batch, seq_len, d_model) to one tensor of the same shape, whatever the length of the memory.

    Only so can blocks be stacked.
    """
    size = sizes(draw, "memory_len")
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size)
        inputs = inputs_of(draw, kind, size)
        expect_tensor(module(*inputs), f"the output of {kind}", inputs[0].shape, OUTPUT)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_axes_of_size_one_stay(learner, draw):
    """A batch of one and a single token keep their axes.

    A decoder begins with one token.
    """
    size = sizes(draw, low=3)
    for batch, seq_len in ((1, size.seq_len), (size.batch, 1)):
        size.batch = batch
        for kind in (ENCODER, DECODER):
            module, _ = make(learner, draw, kind, size)
            inputs = inputs_of(draw, kind, size, seq_len)
            expect_tensor(run(module, *inputs), f"the output of {kind}", inputs[0].shape, OUTPUT)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_the_layers_are_registered(learner, draw, observe):
    """All promised layers are there, with their sizes, and nothing else is trained.

    Attention has 4 d_model² numbers, the feed-forward network 2 d_model d_ff, and a norm 2 d_model; biases come on top.
    """
    size = sizes(draw)
    counts = {}
    for kind in (ENCODER, DECODER):
        _, found = make(learner, draw, kind, size)
        shapes = {
            "feed_forward.linear_1.weight": (size.d_ff, size.d_model),
            "feed_forward.linear_1.bias": (size.d_ff,),
            "feed_forward.linear_2.weight": (size.d_model, size.d_ff),
            "feed_forward.linear_2.bias": (size.d_model,),
        }
        for name in ATTENTIONS[kind]:
            shapes |= {f"{name}.W_{role}.weight": (size.d_model, size.d_model) for role in "qkvo"}
        for number in range(len(SUB_LAYERS[kind])):
            shapes |= {f"norm_{number + 1}.{part}": (size.d_model,) for part in ("weight", "bias")}
        for name, shape in shapes.items():
            expect(name in found, f"{kind} has no parameter {name}.")
            expect_tensor(found[name], name, shape)
        biases = {f"{name}.W_{role}.bias" for name in ATTENTIONS[kind] for role in "qkvo"}
        counts[kind] = sum(value.numel() for name, value in found.items() if name not in biases)
        expect(counts[kind] == sum(map(math.prod, shapes.values())), f"{kind} has other parameters than promised.")

    observe(
        "A decoder block has one attention and one norm more than an encoder block.",
        parameters_of_the_encoder_block=counts[ENCODER],
        parameters_of_the_decoder_block=counts[DECODER],
        one_attention_and_one_norm=4 * size.d_model**2 + 2 * size.d_model,
    )


# --- feed-forward ---------------------------------------------------------------------------------


def make_feed_forward(learner, draw, size):
    """A filled network, and what it was filled with."""
    module = learner.FeedForward(size.d_model, size.d_ff).eval()
    values = {name: ordinary(draw, name, parameter.shape) for name, parameter in module.parameters().items()}
    if values:
        module.load(values)
    return module, values


def test_feed_forward_gives_the_right_numbers(learner, draw):
    """The network is linear, relu, linear.

    Without the relu two layers would be one.
    """
    size = sizes(draw)
    module, values = make_feed_forward(learner, draw, size)
    x = draw.normal(size.batch, size.seq_len, size.d_model)

    output = run(module, x)

    expected = Reference(values, size.num_heads).feed_forward(x, "")
    expect_close(output, expected.float(), "output", OUTPUT, atol=CLOSE)


def test_feed_forward_takes_each_token_by_itself(learner, draw):
    """A token alone gets what it gets among others.

    That is what position-wise means; tokens meet in the attention only.
    """
    size = sizes(draw, low=3)
    module, _ = make_feed_forward(learner, draw, size)
    x = draw.normal(size.batch, size.seq_len, size.d_model)
    token = draw.integers(0, size.seq_len)

    output, alone = run(module, x), run(module, x[:, token : token + 1].contiguous())
    other = run(module, draw.normal(*x.shape))

    expect_tensor(output, "output", x.shape, OUTPUT)
    expect_close(alone, output[:, token : token + 1].contiguous(), "output of a token alone", OUTPUT, atol=CLOSE)
    expect(moved(output, other) > MOVES, "The output stays the same when the input changes.")
    expect(moved(output, x) > MOVES, "The network returns its input.")


# --- residuals and norms --------------------------------------------------------------------------


def layer_norm(x):
    """Each token with mean 0 and variance 1, in float64."""
    return torch.nn.functional.layer_norm(x.to(torch.float64), x.shape[-1:])


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_sub_layers_that_add_nothing_leave_the_input(learner, draw):
    """With last layers of zero a block gives back its input, but for the size that the norms give it.

    That is the residual connection: what a sub-layer does not change stays. Where it stands is not looked at here.
    """
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, values = make(learner, draw, kind, size, off=SUB_LAYERS[kind])
        plain_norms(module, values)
        x, *memory = inputs_of(draw, kind, size)

        output = run(module, 3.0 * x, *memory)

        # Compared after a norm of our own, so that one too many or too few does not matter.
        expect_tensor(output, "output", x.shape, OUTPUT)
        expect_close(layer_norm(output), layer_norm(x), f"what {kind} leaves of its input", OUTPUT, atol=1e-3)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_a_block_returns_normalised_tokens(learner, draw, observe):
    """Every token of the output has mean 0 and standard deviation 1, over its own features.

    The norm comes last (post-norm). With the norm before each sub-layer the output would be of any size.
    """
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, values = make(learner, draw, kind, size)
        plain_norms(module, values)
        x, *memory = inputs_of(draw, kind, size)

        output = expect_finite(run(module, 5.0 * x, *memory), "output", OUTPUT)

        expect_tensor(output, "output", x.shape, OUTPUT)
        deviations = output.double().std(dim=-1, correction=0)
        observe(
            "However large the input, a token that comes out has a standard deviation of 1.",
            deviation_of_a_token_that_goes_in=float(5.0 * x[0, 0].std(correction=0)),
            deviation_of_a_token_that_comes_out=float(deviations[0, 0]),
        )
        # The 1e-5 inside the root takes 5e-6 away from a deviation of 1; sums as small as 0.1 come to 5e-4.
        expect_close(
            deviations, torch.ones_like(deviations), f"the deviations of {kind}'s tokens", OUTPUT[:2], atol=5e-3
        )
        means = output.double().mean(dim=-1)
        expect_close(means, torch.zeros_like(means), f"the means of {kind}'s tokens", OUTPUT[:2], atol=1e-4)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_the_norms_are_applied_one_after_the_other(learner, draw):
    """With sub-layers that add nothing the output is that of norm_1, norm_2 (and norm_3), in this order, on the input.

    Each has a scale and a shift of its own.
    """
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, values = make(learner, draw, kind, size, off=SUB_LAYERS[kind])
        x, *memory = inputs_of(draw, kind, size)

        output = run(module, x, *memory)

        reference, expected = Reference(values, size.num_heads), x
        for number in range(len(SUB_LAYERS[kind])):
            expected = reference.norm(f"norm_{number + 1}", expected)
        expect_close(output, expected.float(), f"the output of {kind}", OUTPUT, atol=NORMED)


# --- dropout --------------------------------------------------------------------------------------


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_dropout_drops_in_training_only(learner, draw):
    """With a dropout of 0.5 two calls in training differ; with 0, or after eval(), they do not.

    Dropout keeps a network from relying on single numbers; when it is used, all of them count.
    """
    size = sizes(draw, low=3)
    for kind in (ENCODER, DECODER):
        inputs = inputs_of(draw, kind, size)
        dropping, _ = make(learner, draw, kind, size, dropout=(0.5,))
        expected = run(dropping, *inputs)
        first, second = (run(dropping.train(), *inputs) for _ in range(2))
        expect(moved(first, second) > MOVES, f"In training {kind} drops nothing.")
        expect_close(run(dropping.eval(), *inputs), expected, f"the output of {kind}", OUTPUT, atol=CLOSE)

        keeping, _ = make(learner, draw, kind, size, dropout=(0.0,))
        expected = run(keeping, *inputs)
        expect_close(run(keeping.train(), *inputs), expected, f"the output of {kind}", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_dropout_never_drops_the_residual(learner, draw):
    """In training, what sub-layers add is dropped, and never what goes past them.

    With sub-layers that add nothing there is nothing to drop.
    """
    size = sizes(draw, low=3)
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size, off=SUB_LAYERS[kind], dropout=(0.5,))
        x, *memory = inputs_of(draw, kind, size)

        expected = run(module, x, *memory)
        output = run(module.train(), x, *memory)

        expect_close(output, expected, f"the output of {kind}", OUTPUT, atol=CLOSE)


def pattern(size):
    """Features of -1 and 1 by turns, twice the same: (d_model,). A norm leaves them as they are."""
    return torch.tensor([1.0, -1.0]).repeat(size.d_model // 2)


def ones_of(values, sub_layer, size):
    """
    Parameters with which a sub-layer returns 1 in the first half of the features and 0 in the second.

    Each 1 comes from a feature of its own: of the hidden ones in the feed-forward network, which asks no token, and of
    all keys alike in an attention, where all tokens are `pattern`.
    """
    first_half = (torch.arange(size.d_model) < size.d_model // 2).float()
    theirs = {name: torch.zeros_like(value) for name, value in values.items() if name.startswith(f"{sub_layer}.")}
    for name, value in theirs.items():
        if name.endswith("linear_1.bias"):
            value += 1.0
        elif name.endswith("linear_2.weight") and value.shape[:-1] == (size.d_model,):
            rows = torch.arange(size.d_model)
            value[rows, rows % value.shape[1]] = first_half
        elif name.endswith("W_v.weight") and value.dim() == 2:
            value += torch.eye(*value.shape)
        elif name.endswith("W_o.weight") and value.shape == (size.d_model, size.d_model):
            value += torch.diag(first_half * pattern(size))
    return theirs


def dropped_of(learner, draw, kind, sub_layer, told):
    """The share of the ones that a sub-layer returns which is dropped in training; None if the output shows none."""
    # As many tokens as keys, so that hardly ever all of them would be dropped if dropout were for keys.
    size = sizes(draw, low=4)
    off = [name for name in SUB_LAYERS[kind] if name != sub_layer]
    module, values = make(learner, draw, kind, size, off=off, dropout=() if told is None else (told,))
    plain_norms(module, values)
    module.load(ones_of(values, sub_layer, size))
    x = pattern(size).expand(100, size.seq_len, -1).contiguous()

    inputs = (x,) if kind == ENCODER else (x, x.clone())
    missing = []
    for output in (run(module, *inputs), run(module.train(), *inputs)):
        expect_tensor(output, f"the output of {kind}", x.shape, OUTPUT)
        first, second = output.chunk(2, dim=-1)
        # What was dropped equals its fellow in the second half, where there is nothing to drop; what was kept is larger
        # by 0.5 and more in any norm, and by 0.1 and more if it came from one of eight keys.
        missing.append(float((first < second + 0.05).double().mean()))
    # Without a residual nothing gets past a sub-layer that adds nothing, which is for another check.
    is_hidden = missing[0] > 0 and sub_layer != SUB_LAYERS[kind][-1]
    return None if is_hidden else missing[1]


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_dropout_drops_the_share_that_is_asked_for(learner, draw, observe):
    """In training a tenth of what each sub-layer returns is dropped, or the share that the constructor was given.

    Here one sub-layer after the other returns 1 in half of the features, each from a feature of its own, and nothing
    else is added. Dropout at a second place drops more, and dropout of what goes into a sub-layer drops less.
    """
    shares = {
        (kind, sub_layer, told): dropped_of(learner, draw, kind, sub_layer, told)
        for kind in (ENCODER, DECODER)
        for sub_layer in SUB_LAYERS[kind]
        for told in (None, 0.5)
    }

    observe(
        "The share that is dropped is the share that was asked for, here of what the encoder's network returns.",
        asked_by_default=0.1,
        dropped_by_default=shares[ENCODER, "feed_forward", None],
        asked_with_one_half=0.5,
        dropped_with_one_half=shares[ENCODER, "feed_forward", 0.5],
    )
    for (kind, sub_layer, told), share in shares.items():
        asked = "by default" if told is None else f"when it is made with dropout={told}"
        # Of 1600 numbers and more, so the standard deviation is 0.0125 and less.
        expect(
            share is None or abs(share - (0.1 if told is None else told)) < 0.08,
            f"{kind} drops another share than it should of what its {sub_layer} returns, {asked}.",
        )


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.depends_on("the_decoder_block_works")
def test_a_decoder_never_looks_ahead(learner, draw, observe):
    """With a causal mask a change of one token changes no token before it, through the whole block.

    So a decoder can be trained on all positions at once, and still write one token after the other.
    """
    size = sizes(draw, low=4)
    module, _ = make(learner, draw, DECODER, size)
    x, memory = inputs_of(draw, DECODER, size)
    place = draw.integers(1, size.seq_len - 1)
    changed = x.clone()
    changed[:, place] = draw.normal(size.batch, size.d_model)
    mask = causal(size.seq_len)

    before, after = run(module, x, memory, mask), run(module, changed, memory, mask)
    for output in (before, after):
        expect_finite(expect_tensor(output, "output", x.shape, OUTPUT), "output", OUTPUT)

    observe(
        "A changed token changes those after it, and none before it.",
        change_of_tokens_before=moved(before[:, :place], after[:, :place]),
        change_of_tokens_after=moved(before[:, place + 1 :], after[:, place + 1 :]),
    )
    expect_close(after[:, :place], before[:, :place], "output of the tokens before", OUTPUT, atol=CLOSE)
    expect(moved(after[:, place + 1 :], before[:, place + 1 :]) > MOVES, "Later tokens do not see the changed one.")


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_blocks_make_no_mask_of_their_own(learner, draw):
    """Without a mask every token sees all others, and with one it sees all that the mask allows, what comes later too.

    Who may look where is for the caller to say. A decoder that always hides the future cannot be given another task.
    """
    size = sizes(draw, low=4)
    mask = torch.arange(size.seq_len).ne(draw.integers(0, size.seq_len - 1)).expand(size.batch, 1, 1, -1).contiguous()
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size)
        x, *memory = inputs_of(draw, kind, size)
        changed = x.clone()
        changed[:, -1] = draw.normal(size.batch, size.d_model)
        for masks in ((), (mask,)):
            before, after = run(module, x, *memory, *masks), run(module, changed, *memory, *masks)
            expect_tensor(before, "output", x.shape, OUTPUT)
            others = moved(after[:, :-1], before[:, :-1])
            expect(others > MOVES, f"In {kind} the tokens before do not see the last one, though nothing hides it.")


@pytest.mark.depends_on("the_encoder_block_works")
def test_an_encoder_reads_a_padded_sentence_like_a_cut_one(learner, draw):
    """With a padding mask the real tokens of a sentence get what they get when the padding is cut off.

    Otherwise a sentence would be understood differently depending on how long the others in its batch are.
    """
    size = sizes(draw, low=4)
    module, _ = make(learner, draw, ENCODER, size)
    (x,) = inputs_of(draw, ENCODER, size)
    length = draw.integers(2, size.seq_len)
    mask = (torch.arange(size.seq_len) < length).expand(size.batch, 1, 1, -1).contiguous()

    padded, cut, unmasked = run(module, x, mask), run(module, x[:, :length].contiguous()), run(module, x)

    expect_tensor(padded, "output", x.shape, OUTPUT)
    expect_close(padded[:, :length].contiguous(), cut, "output of the real tokens", OUTPUT, atol=CLOSE)
    expect(moved(unmasked, padded) > MOVES, "The mask changes nothing.")


@pytest.mark.depends_on("the_decoder_block_works")
def test_a_decoder_reads_a_padded_memory_like_a_cut_one(learner, draw):
    """With a mask for the memory its padding changes nothing.

    It is another mask than that of the self-attention: it says which tokens the source has, not which are written yet.
    """
    size = sizes(draw, low=4)
    module, _ = make(learner, draw, DECODER, size)
    x, memory = inputs_of(draw, DECODER, size)
    length = draw.integers(2, size.seq_len)
    memory_mask = (torch.arange(size.seq_len) < length).expand(size.batch, 1, 1, -1).contiguous()

    padded = run(module, x, memory, None, memory_mask)
    cut, unmasked = run(module, x, memory[:, :length].contiguous()), run(module, x, memory)

    expect_close(padded, cut, "output", OUTPUT, atol=CLOSE)
    expect(moved(unmasked, padded) > MOVES, "The mask changes nothing.")


# --- cross-attention ------------------------------------------------------------------------------


@pytest.mark.depends_on("the_decoder_block_works")
def test_the_memory_reaches_the_decoder(learner, draw):
    """The output of a decoder block changes with the memory, and the order of the memory's tokens does not matter.

    Keys and values are both the memory's, so they move together. Behind a causal mask all of the memory is seen, too:
    that mask is for what is written.
    """
    size = sizes(draw, low=3)
    module, _ = make(learner, draw, DECODER, size)
    x, memory = inputs_of(draw, DECODER, size)

    expect(
        moved(run(module, x, memory), run(module, x, draw.normal(*memory.shape))) > MOVES,
        "The output stays the same when the memory changes.",
    )
    for masks in ((), (causal(size.seq_len),)):
        output, reordered = (run(module, x, each, *masks) for each in (memory, memory.flip(1)))
        expect_close(reordered, output, "output", OUTPUT, atol=CLOSE)


@pytest.mark.depends_on("the_decoder_block_works")
def test_each_decoder_token_asks_the_memory(learner, draw):
    """What a token gets from the memory depends on that token, and not on the decoder's others.

    The decoder asks, and the memory answers. With self-attention that adds nothing, tokens of x do not meet; if the
    memory asked, and keys and values were the decoder's, every token would get something of all.
    """
    size = sizes(draw, low=4)
    module, _ = make(learner, draw, DECODER, size, off=("self_attention", "feed_forward"))
    x, memory = inputs_of(draw, DECODER, size)
    place = draw.integers(0, size.seq_len)
    changed = x.clone()
    changed[:, place] = draw.normal(size.batch, size.d_model)

    before, after = run(module, x, memory), run(module, changed, memory)

    expect_tensor(before, "output", x.shape, OUTPUT)
    expect_tensor(after, "output", x.shape, OUTPUT)
    others = torch.arange(size.seq_len) != place
    expect_close(after[:, others], before[:, others], "output of the other tokens", OUTPUT, atol=CLOSE)


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_gradients_reach_inputs_and_layers(learner, draw):
    """The gradients of x, of the memory and of every parameter are those of the output that was computed.

    They are compared with what the output really does when something moves a little. A detach, .data or NumPy on the
    way leaves the output right and stops the learning; a layer that is not used never learns at all.
    """
    size = sizes(draw, high=6)
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size)
        module.to(torch.float64)
        inputs = [tensor.double() for tensor in inputs_of(draw, kind, size)]
        along = draw.normal(*inputs[0].shape, dtype=torch.float64)

        found = module.gradients(*inputs, along=along)

        for place, name in enumerate(("x", "memory")[: len(inputs)]):

            def answer(moved_input, place=place, module=module, inputs=inputs):
                return run(module, *inputs[:place], moved_input, *inputs[place + 1 :])

            expect_slope(answer, inputs[place], found.arguments[place], along, name, draw)
        for name, parameter in module.parameters().items():

            def answer_of(moved_parameter, name=name, module=module, inputs=inputs):
                return run(module.load({name: moved_parameter}), *inputs)

            gradient = found.parameters.get(name)
            expect_slope(answer_of, parameter, gradient, along, name, draw)
            used = gradient is not None and float(gradient.abs().max()) > 1e-9
            # The bias of W_k moves all scores of a row alike, so its gradient is zero by construction.
            expect(used or name.endswith("W_k.bias"), f"No gradient reaches {name}: it is not used.")
            module.load({name: parameter})


# --- robustness -----------------------------------------------------------------------------------


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_inputs_are_left_alone(learner, draw):
    """A call changes neither x nor the memory nor a mask.

    The memory is needed by every decoder block, and x by whoever called.
    """
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size)
        inputs = inputs_of(draw, kind, size)
        masks = [causal(size.seq_len)]
        if kind == DECODER:
            masks.append(padding_mask(draw, size.batch, size.memory_len))
        names = ("x", "mask") if kind == ENCODER else ("x", "memory", "mask", "memory_mask")
        expect_unchanged(module.observe(*inputs, *masks), names)


# --- numerics and devices -------------------------------------------------------------------------


def expect_dtype(learner, draw, dtype, atol):
    """Expect both blocks to answer in the dtype of the inputs, close to their own float32 answer."""
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, values = make(learner, draw, kind, size)
        converted, _ = make(learner, draw, kind, size)
        converted.load(values)
        converted.to(dtype)
        inputs = inputs_of(draw, kind, size)

        expected = run(module, *inputs)
        output = run(converted, *(tensor.to(dtype) for tensor in inputs))

        expect_tensor(output, "output", dtype=dtype)
        expect_close(output, expected.to(dtype), f"the output of {kind}", OUTPUT, atol=atol)


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_double_in_gives_double_out(learner, draw):
    """Blocks of float64 given float64 inputs answer in float64.

    A tensor that is made without a dtype is float32, and mixing the two raises or rounds.
    """
    expect_dtype(learner, draw, torch.float64, atol=CLOSE)


@pytest.mark.depends_on("double_in_gives_double_out")
def test_bfloat16_in_gives_bfloat16_out(learner, draw):
    """Blocks of bfloat16 given bfloat16 inputs answer in bfloat16.

    Large models are trained like this. It has the range of float32 and the precision of 8 bits.
    """
    # 8 bits, and numbers up to 3 that went through a dozen steps.
    expect_dtype(learner, draw, torch.bfloat16, atol=0.3)


def expect_device(learner, draw, device, atol):
    """Expect the blocks' own answers on another device, with and without masks."""
    size = sizes(draw)
    for kind in (ENCODER, DECODER):
        module, _ = make(learner, draw, kind, size)
        inputs = inputs_of(draw, kind, size)
        for masks in ((), (causal(size.seq_len),)):
            expected = run(module, *inputs, *masks)
            observed = module.on(device).observe(*inputs, *masks)
            value = observed.value[0] if type(observed.value) in (tuple, list) and observed.value else observed.value
            expect_close(value, expected, f"the output of {kind}", OUTPUT, atol=atol)
            expect("cpu" not in observed.devices, "The results were left on the CPU.")


@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_a_pretended_accelerator_gives_the_same_numbers(learner, draw):
    """On another device nothing is left behind on the CPU.

    A tensor that is made without device=... is on the CPU: on a GPU that raises.
    """
    expect_device(learner, draw, "pretend", CLOSE)


@pytest.mark.accelerator
@pytest.mark.depends_on("the_encoder_block_works", "the_decoder_block_works")
def test_a_real_accelerator_gives_the_same_numbers(learner, draw):
    """On a real accelerator the answers are those of the CPU.

    Only where this machine has one.
    """
    # Sums run in another order there, and some cards round the inputs of a matrix product to 10 bits (TF32).
    expect_device(learner, draw, "accelerator", 3e-2)


# --- everything together --------------------------------------------------------------------------


def test_an_encoder_block_gives_the_right_numbers(learner, draw):
    """An encoder block over a padded batch, with ordinary weights, gives the right output.

    Everything that the checks before looked at one by one, at once.
    """
    size = sizes(draw, low=3)
    module, values = make(learner, draw, ENCODER, size)
    (x,) = inputs_of(draw, ENCODER, size)
    mask = padding_mask(draw, size.batch, size.seq_len)

    output = run(module, x, mask)

    expected = Reference(values, size.num_heads).block(ENCODER, x, mask=mask)
    expect_close(output, expected.float(), "output", OUTPUT, atol=NORMED)


def test_a_decoder_block_gives_the_right_numbers(learner, draw):
    """A decoder block with a causal mask and a padded memory, with ordinary weights, gives the right output.

    A translator trains with exactly this.
    """
    size = sizes(draw, "memory_len", low=3)
    module, values = make(learner, draw, DECODER, size)
    x, memory = inputs_of(draw, DECODER, size)
    mask, memory_mask = causal(size.seq_len), padding_mask(draw, size.batch, size.memory_len)

    output = run(module, x, memory, mask, memory_mask)

    expected = Reference(values, size.num_heads).block(DECODER, x, memory, mask, memory_mask)
    expect_close(output, expected.float(), "output", OUTPUT, atol=NORMED)


# --- two blocks of each kind learn to copy --------------------------------------------------------

TOKENS, LENGTH, SENTENCES = 8, 5, 8
D_MODEL, HEADS, D_FF = 16, 2, 32
TRAINING = {"steps": 60, "rate": 1e-2}


class Copier(torch.nn.Module):
    """
    A transformer with two blocks of each kind, but for the blocks.

    Args:
        draw: Gives the initial values.
        encoders: Two blocks, each called as (x,).
        decoders: Two blocks, each called as (x, memory, mask).
    """

    def __init__(self, draw, encoders, decoders):
        super().__init__()
        self.encoders, self.decoders = torch.nn.ModuleList(encoders), torch.nn.ModuleList(decoders)
        # One more than there are tokens: what is written before the first.
        self.embedding = torch.nn.Parameter(draw.normal(TOKENS + 1, D_MODEL))
        self.positions = torch.nn.Parameter(draw.normal(LENGTH, D_MODEL))
        self.read_out = torch.nn.Parameter(draw.normal(D_MODEL, TOKENS) / math.sqrt(D_MODEL))

    def forward(self, tokens, written):
        """Logits (batch, steps, TOKENS) for the next token after each that is written."""
        memory = self.embedding[tokens] + self.positions
        for block in self.encoders:
            memory = block(memory)
        x = self.embedding[written] + self.positions[: written.shape[1]]
        for block in self.decoders:
            x = block(x, memory, causal(written.shape[1]))
        return x @ self.read_out


def train_to_copy(learner, draw):
    """Train two blocks of each kind to copy a few sentences; return the share of tokens that they write right."""
    blocks = []
    for kind in (ENCODER, ENCODER, DECODER, DECODER):
        # In evaluation mode, because what dropout does is for another check.
        module = getattr(learner, kind)(D_MODEL, HEADS, D_FF).eval()
        start = {}
        for name, value in module.parameters().items():
            norm_scale = float(name.startswith("norm") and name.endswith("weight"))
            flat = value.dim() < 2
            start[name] = (
                torch.full(value.shape, norm_scale) if flat else draw.normal(*value.shape) / math.sqrt(D_MODEL)
            )
        module.load(start)
        blocks.append(trainable(module))
    model = Copier(draw, blocks[:2], blocks[2:])
    tokens = draw.integers(0, TOKENS, SENTENCES, LENGTH)
    written = torch.cat([torch.full_like(tokens[:, :1], TOKENS), tokens[:, :-1]], dim=1)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, TRAINING["rate"], total_steps=TRAINING["steps"], pct_start=0.2, cycle_momentum=False
    )
    for _ in range(TRAINING["steps"]):
        logits = expect_tensor(model(tokens, written), "output", (SENTENCES, LENGTH, TOKENS))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        copied = torch.full((SENTENCES, 1), TOKENS)
        for _ in range(LENGTH):
            copied = torch.cat([copied, model(tokens, copied)[:, -1:].argmax(dim=-1)], dim=1)
    return float((copied[:, 1:] == tokens).float().mean())


@pytest.mark.depends_on(
    "an_encoder_block_gives_the_right_numbers",
    "a_decoder_block_gives_the_right_numbers",
    "blocks_return_one_tensor_shaped_like_x",
    "axes_of_size_one_stay",
    "gradients_reach_inputs_and_layers",
)
def test_trained_two_blocks_of_each_kind_copy_sequences(learner, draw, observe):
    """A small transformer made of these blocks learns to copy a few sequences, one token after the other.

    It is trained with all positions at once and then writes on its own, so causal mask, cross-attention, residuals and
    gradients all have to work.
    """
    share = train_to_copy(learner, draw)

    observe(
        "Two encoder blocks under two decoder blocks copy after a short training; guessing would give the other share.",
        share_of_tokens_copied=share,
        share_by_guessing=1 / TOKENS,
    )
    expect(share > 0.8, "After training, many tokens of the sequences are copied wrong.")
