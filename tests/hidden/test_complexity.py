"""Hidden suite: complexity"""

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from grader.suite import expect_number, expect_raises

# ---- Real layers, counted -------------------------------------------------------------------------------------------
# All of this happens in the process that grades, on layers that are built here: nothing is believed that the learner's
# process says, and nothing that it says decides how large these layers are.


def count_operations(call):
    """Multiply-adds that torch counts while something is called; a FLOP counter counts two for each."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops() // 2


def attention_of(seq_len, d_model, num_heads=1):
    """Compute scores and weighted sum of self-attention."""
    query, key, value = (torch.randn(1, num_heads, seq_len, d_model // num_heads) for _ in range(3))
    return lambda: (query @ key.mT).softmax(dim=-1) @ value


def recurrent_of(seq_len, d_model):
    """Run a plain recurrent layer over a sentence."""
    layer, x = nn.RNN(d_model, d_model, batch_first=True), torch.randn(1, seq_len, d_model)
    return lambda: layer(x)


def convolution_of(seq_len, d_model, kernel_size):
    """Run a convolution with as many outputs as inputs, which the zeros around them make possible."""
    layer, x = nn.Conv1d(d_model, d_model, kernel_size), torch.randn(1, d_model, seq_len)
    return lambda: layer(nn.functional.pad(x, (kernel_size - 1, 0)))


def multihead_of(seq_len, d_model, num_heads):
    """Run torch's own multi-head attention, projections included."""
    layer, x = nn.MultiheadAttention(d_model, num_heads, batch_first=True), torch.randn(1, seq_len, d_model)
    return lambda: layer(x, x, x, average_attn_weights=False)


def layers_until_seen(seq_len, kernel_size, *, dilated):
    """Stack causal convolutions of ones until the last output depends on the first input; return how many."""
    signal = torch.zeros(1, 1, seq_len, dtype=torch.float64)
    signal[..., 0] = 1.0
    weight = torch.ones(1, 1, kernel_size, dtype=torch.float64)
    layers = 0
    while not signal[..., -1].item():
        gap = kernel_size**layers if dilated else 1
        before = nn.functional.pad(signal, (gap * (kernel_size - 1), 0))
        signal = (nn.functional.conv1d(before, weight, dilation=gap) > 0).double()
        layers += 1
    return layers


def draw_n_and_d(draw):
    """Different sizes, so that n and d cannot be exchanged; the number of features is even."""
    seq_len = draw.integers(5, 12)
    d_model = 2 * draw.integers(7, 11)
    draw.remember(seq_len=seq_len, d_model=d_model)
    return seq_len, d_model


# ---- Operations -----------------------------------------------------------------------------------------------------


def test_attention_costs_what_is_counted(learner, draw, observe):
    """attention_operations predicts what torch counts in a real self-attention.

    A prediction first, a measurement after: two matrix products, and softmax and scale are left out on both sides.
    """
    for _ in range(3):
        seq_len, d_model = draw_n_and_d(draw)
        predicted = learner.attention_operations(seq_len, d_model)
        counted = count_operations(attention_of(seq_len, d_model))
        expect_number(predicted, counted, "attention_operations")
    observe(
        "Your formula gives the number of operations that torch counts in a real self-attention.",
        your_prediction=float(predicted),
        counted_in_the_layer=float(counted),
    )


def test_twice_the_tokens_four_times_the_attention(learner, draw, observe):
    """Doubling the sentence makes attention four times as dear; doubling the features, twice.

    This is the n² of table 1, and the reason why contexts did not just grow.
    """
    seq_len, d_model = draw_n_and_d(draw)
    once, longer, wider = (
        learner.attention_operations(n, d)
        for n, d in ((seq_len, d_model), (2 * seq_len, d_model), (seq_len, 2 * d_model))
    )
    counted = count_operations(attention_of(seq_len, d_model))
    counted_longer = count_operations(attention_of(2 * seq_len, d_model))

    expect_number(once, counted, "attention_operations")
    expect_number(longer, counted_longer, "attention_operations of twice as many tokens")
    expect_number(wider, 2 * counted, "attention_operations of twice as many features")
    observe(
        "Twice as many tokens take four times the operations.",
        your_prediction=longer / once,
        counted_in_the_layers=counted_longer / counted,
    )


def test_heads_cost_no_operations(learner, draw, observe):
    """One head, two heads, or as many heads as features: attention takes the same number of operations.

    Each of h heads has d / h features; h times n² · d / h is n² · d.
    """
    seq_len, d_model = draw_n_and_d(draw)
    predicted = learner.attention_operations(seq_len, d_model)
    counted = {heads: count_operations(attention_of(seq_len, d_model, heads)) for heads in (1, 2, d_model)}

    for operations in counted.values():
        expect_number(predicted, operations, "attention_operations, held against attention with several heads,")
    observe(
        "Heads are thinner the more there are, so they cost no operations.",
        your_prediction=float(predicted),
        counted_with_one_head=float(counted[1]),
        counted_with_as_many_heads_as_features=float(counted[d_model]),
    )


def test_projections_cost_what_is_counted(learner, draw):
    """projection_operations predicts what torch counts in four linear layers."""
    for _ in range(2):
        seq_len, d_model = draw_n_and_d(draw)
        layer, x = nn.Linear(d_model, d_model), torch.randn(1, seq_len, d_model)
        predicted = learner.projection_operations(seq_len, d_model)
        expect_number(predicted, 4 * count_operations(lambda: layer(x)), "projection_operations")  # noqa: B023 - called now


def test_a_short_sentence_costs_projections(learner, draw, observe):
    """What multi-head attention of torch takes beside the attention itself is projection_operations.

    While n is smaller than 2d, the projections that table 1 leaves out are the larger part.
    """
    seq_len, d_model = draw_n_and_d(draw)
    whole = count_operations(multihead_of(seq_len, d_model, 2))
    mixing = count_operations(attention_of(seq_len, d_model, 2))
    predicted = learner.projection_operations(seq_len, d_model)

    expect_number(predicted, whole - mixing, "projection_operations")
    observe(
        f"Of a sentence of {seq_len} tokens with {d_model} features, the projections are most of the cost.",
        your_share_of_the_projections=predicted / whole,
        counted_share_of_the_attention=mixing / whole,
    )


def test_recurrence_costs_what_is_counted(learner, draw, observe):
    """recurrent_operations predicts what torch counts in a real recurrent layer, and doubles with the sentence."""
    seq_len, d_model = draw_n_and_d(draw)
    counts = [(n, count_operations(recurrent_of(n, d_model))) for n in (seq_len, 2 * seq_len)]
    predictions = [learner.recurrent_operations(n, d_model) for n, _ in counts]

    for predicted, (_, counted) in zip(predictions, counts, strict=True):
        expect_number(predicted, counted, "recurrent_operations")
    observe(
        "Twice as many tokens take twice the operations of a recurrent layer, and not four times.",
        your_prediction=predictions[1] / predictions[0],
        counted_in_the_layers=counts[1][1] / counts[0][1],
    )


def test_convolution_costs_what_is_counted(learner, draw):
    """convolution_operations predicts what torch counts in real convolutions, for several kernels."""
    for kernel_size in (2, 3, 5):
        seq_len, d_model = draw_n_and_d(draw)
        draw.remember(kernel_size=kernel_size)
        predicted = learner.convolution_operations(seq_len, d_model, kernel_size)
        counted = count_operations(convolution_of(seq_len, d_model, kernel_size))
        expect_number(predicted, counted, "convolution_operations")


# ---- Steps and paths ------------------------------------------------------------------------------------------------


def test_only_recurrence_waits(learner, draw):
    """Attention and convolution are one step each, a recurrent layer as many as there are tokens."""
    for _ in range(2):
        seq_len = draw.integers(5, 60)
        for layer, expected in (("attention", 1), ("recurrent", seq_len), ("convolution", 1)):
            expect_number(learner.sequential_steps(layer, seq_len), expected, f"sequential_steps of {layer}")


def test_attention_has_the_shortest_path(learner, draw, observe):
    """One layer for attention, every step for recurrence, a stack of layers for convolutions.

    The path of convolutions is measured: layers are stacked until the last output depends on the first token.
    """
    for kernel_size, seq_len in ((3, draw.integers(20, 30)), (4, 17), (2, draw.integers(5, 12)), (6, 5)):
        draw.remember(seq_len=seq_len, kernel_size=kernel_size)
        stacked = layers_until_seen(seq_len, kernel_size, dilated=False)
        expect_number(learner.longest_path("attention", seq_len, kernel_size), 1, "longest_path of attention")
        expect_number(learner.longest_path("recurrent", seq_len, kernel_size), seq_len, "longest_path of recurrence")
        path = learner.longest_path("convolution", seq_len, kernel_size)
        expect_number(path, stacked, "longest_path of convolution")
    observe(
        "Attention connects the two ends of 17 tokens in one layer; convolutions of width 4 need a stack.",
        layers_of_attention=1.0,
        layers_of_convolution_stacked_until_it_saw=float(layers_until_seen(17, 4, dilated=False)),
    )


def test_gaps_make_the_path_short(learner, draw, observe):
    """With gaps that grow, a few layers see far: the path is a logarithm of the length, to the base of the kernel.

    Measured as above. Lengths are no powers of the kernel here.
    """
    cases = ((2, 100), (3, 40), (5, 30), (3, draw.integers(100, 240)), (4, 3))
    for kernel_size, seq_len in cases:
        draw.remember(seq_len=seq_len, kernel_size=kernel_size)
        stacked = layers_until_seen(seq_len, kernel_size, dilated=True)
        path = learner.longest_path("dilated", seq_len, kernel_size)
        expect_number(path, stacked, "longest_path of dilated convolution")
    observe(
        "To see 100 tokens, layers of width 2 with gaps need few, and layers without need many.",
        layers_with_gaps=float(layers_until_seen(100, 2, dilated=True)),
        layers_without=float(layers_until_seen(100, 2, dilated=False)),
    )


def test_a_full_stack_is_counted_exactly(learner):
    """A length that is a power of the kernel needs just that many layers, and one token more needs one more.

    A logarithm in floating point is not exact: log(125) / log(5) is a little more than 3.
    """
    for kernel_size in (2, 3, 5, 6, 7, 10):
        for layers in range(1, 7):
            for seq_len, expected in ((kernel_size**layers, layers), (kernel_size**layers + 1, layers + 1)):
                path = learner.longest_path("dilated", seq_len, kernel_size)
                expect_number(path, expected, "longest_path of dilated convolution")


# ---- Memory and crossings -------------------------------------------------------------------------------------------


def test_every_head_keeps_its_weights(learner, draw, observe):
    """attention_memory is what torch says such weights take: n² numbers for each head.

    4096 tokens are a few pages of text; their weights in one layer of 8 heads are half a gigabyte in float32.
    """
    for dtype in (torch.float32, torch.float16):
        seq_len, num_heads = draw.integers(20, 60), draw.integers(3, 9)
        draw.remember(seq_len=seq_len, num_heads=num_heads)
        # A tensor on the device "meta" knows its size and takes no memory.
        measured = torch.empty(num_heads, seq_len, seq_len, dtype=dtype, device="meta").nbytes
        expect_number(learner.attention_memory(seq_len, num_heads, dtype.itemsize), measured, "attention_memory")
    long, measured = learner.attention_memory(4096, 8, 4), torch.empty(8, 4096, 4096, device="meta").nbytes
    expect_number(long, measured, "attention_memory of 4096 tokens")
    observe(
        "The weights of 4096 tokens in 8 heads, one layer, one sentence, take half a gigabyte (in MiB).",
        your_prediction=long / 2**20,
        measured=measured / 2**20,
    )


def test_costs_cross_where_n_is_d(learner, draw, observe):
    """At the length that crossing_length gives, attention takes no more than the other, and one token later it does.

    Both sides are counted in real layers: a recurrent one, a convolution, and the projections of attention itself.
    """
    for kernel_size in (2, 3, 5):
        d_model = draw.integers(5, 12)
        draw.remember(d_model=d_model, kernel_size=kernel_size)
        linear = nn.Linear(d_model, d_model)
        others = {
            "recurrent": lambda n, d=d_model: count_operations(recurrent_of(n, d)),
            "convolution": lambda n, d=d_model, k=kernel_size: count_operations(convolution_of(n, d, k)),
            "projections": lambda n, d=d_model, layer=linear: 4 * count_operations(lambda: layer(torch.randn(1, n, d))),
        }
        for other, count in others.items():
            crossing = learner.crossing_length(other, d_model, kernel_size)
            expected = {"recurrent": d_model, "convolution": kernel_size * d_model // 2, "projections": 2 * d_model}[
                other
            ]
            before, after = (count_operations(attention_of(n, d_model)) <= count(n) for n in (expected, expected + 1))
            assert before, "the reference is not where the counts cross"
            assert not after, "the reference is not where the counts cross"
            expect_number(crossing, expected, f"crossing_length of attention and {other}")
    observe(
        "Attention and a recurrent layer take the same number of operations where n = d.",
        counted_in_attention_at_n_equal_d=float(count_operations(attention_of(d_model, d_model))),
        counted_in_the_recurrent_layer=float(count_operations(recurrent_of(d_model, d_model))),
    )


# ---- Bad arguments --------------------------------------------------------------------------------------------------


def test_unknown_layers_are_refused(learner):
    """A name that is none of the promised ones raises: a misspelt layer must not be costed as some other one."""
    for call in (
        lambda: learner.sequential_steps("recurent", 7),
        lambda: learner.longest_path("convolutional", 7, 3),
        lambda: learner.crossing_length("attention", 8, 3),
    ):
        expect_raises(call, "A layer that is none of the promised ones should raise an exception.")
