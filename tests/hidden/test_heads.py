"""Hidden suite: heads"""

import pytest
import torch

from grader.suite import (
    expect,
    expect_close,
    expect_equal,
    expect_gradient,
    expect_raises,
    expect_tensor,
    expect_unchanged,
)

HEADS = ("batch", "num_heads", "seq_len", "d_k")
TOKENS = ("batch", "seq_len", "d_model")


def draw_sizes(draw):
    """Pairwise different sizes; d_model = num_heads * d_k is at least 12, larger than each of them."""
    size = draw.sizes("batch", "num_heads", "seq_len", "d_k", low=3, high=7)
    size.d_model = size.num_heads * size.d_k
    draw.remember(d_model=size.d_model)
    return size


def split_right(x, num_heads):
    """What split_heads promises: (batch, seq_len, d_model) to (batch, num_heads, seq_len, d_k)."""
    batch, seq_len, d_model = x.shape
    return x.reshape(batch, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


def merge_right(x):
    """What merge_heads promises: (batch, num_heads, seq_len, d_k) to (batch, seq_len, d_model)."""
    batch, num_heads, seq_len, d_k = x.shape
    return x.transpose(1, 2).reshape(batch, seq_len, num_heads * d_k)


def draw_tokens(draw, size, dtype=torch.float32):
    """Small integers: sums and products of them are exact in float32, and they are exact in half types."""
    return draw.integers(-9, 10, size.batch, size.seq_len, size.d_model).to(dtype)


def draw_heads(draw, size, dtype=torch.float32):
    """Small integers (batch, num_heads, seq_len, d_k), lying in memory as splitting leaves them."""
    return split_right(draw_tokens(draw, size, dtype), size.num_heads)


# Dtype, device, gradients and memory layout are judged by themselves: a learner whose axes are in the wrong order can
# still have these right. They are compared with the learner's own plain answer, so each such check first asks that this
# answer moves the numbers of x at all: no constant, no random tensor, no average of x and no copy of it gets through.


def expect_moves_numbers(function, x, arguments, name):
    """Return function(x), which has another shape than x and holds each number of x in one place."""
    got = expect_tensor(function(x, *arguments), f"{name}(x)")
    expect(tuple(got.shape) != tuple(x.shape), f"{name}(x) has the shape of x: nothing was cut or joined.")
    changed = x.clone()
    # Somewhere in the first sample: an answer that forgets the others is judged for that elsewhere.
    place = tuple(min(1, length - 1) for length in x.shape[1:])
    changed[0][place] += 1
    moved = expect_tensor(function(changed, *arguments), f"{name}(x)", got.shape) != got
    expect(
        int(moved.sum()) == 1,
        f"{name}(x): when one number of x changes, {int(moved.sum())} numbers of the answer change instead of one.",
    )
    return got


def plain_split(learner, x, num_heads):
    """Return the learner's split of x, which must at least move numbers; three axes are a folded batch."""
    got = expect_moves_numbers(learner.split_heads, x, (num_heads,), "split_heads")
    expect(got.dim() in (3, 4), f"split_heads(x) has {got.dim()} axes.")
    expect(x.shape[-1] not in got.shape, "split_heads(x) still has an axis of d_model features: nothing was cut.")
    return got


def plain_merge(learner, x):
    """Return the learner's merge of x, which must at least move numbers."""
    got = expect_moves_numbers(learner.merge_heads, x, (), "merge_heads")
    expect(got.dim() == 3, f"merge_heads(x) has {got.dim()} axes.")
    return got


def what_moved(function, before, after, arguments, what, shape, axes):
    """Return where the two answers differ, a bool tensor of the promised shape."""
    first = expect_tensor(function(before, *arguments), what, shape, axes)
    return expect_tensor(function(after, *arguments), what, shape, axes) != first


def test_split_gives_every_head_an_axis_of_its_own(learner, draw):
    """split_heads turns (batch, seq_len, d_model) into (batch, num_heads, seq_len, d_k).

    Attention runs over the last two axes, so they must be tokens and features; the heads stand before them, where they
    behave like a batch. The right numbers are asked for too, or a tensor of this shape would do.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)

    got = learner.split_heads(x, size.num_heads)

    shape = (size.batch, size.num_heads, size.seq_len, size.d_k)
    expect_equal(
        expect_tensor(got, "split_heads(x)", shape, HEADS), split_right(x, size.num_heads), "split_heads(x)", HEADS
    )


@pytest.mark.depends_on("split_gives_every_head_an_axis_of_its_own")
def test_split_owns_contiguous_features(learner, draw, observe):
    """Head i owns the features i * d_k up to (i + 1) * d_k.

    The projections before the heads are learned with this order; another order would hand a head features that were
    trained for a different one.
    """
    size = draw_sizes(draw)
    feature = draw.integers(size.d_k, size.d_model)
    x = draw_tokens(draw, size)
    changed = x.clone()
    changed[:, :, feature] += 1

    shape = (size.batch, size.num_heads, size.seq_len, size.d_k)
    moved = what_moved(learner.split_heads, x, changed, (size.num_heads,), "split_heads(x)", shape, HEADS)

    heads_moved = moved.transpose(0, 1).flatten(1).any(dim=1).nonzero().flatten().tolist()
    observe(
        "A head owns d_k neighbouring features, so a changed feature j shows up in head j // d_k and in no other.",
        head_that_changed=heads_moved[0] if heads_moved else -1,
        feature_divided_by_d_k=feature // size.d_k,
    )
    expected = torch.zeros(shape, dtype=torch.bool)
    expected[:, feature // size.d_k, :, feature % size.d_k] = True
    expect_equal(moved, expected, "what changed in split_heads(x) when one feature changed", HEADS)


@pytest.mark.depends_on("split_gives_every_head_an_axis_of_its_own")
def test_split_keeps_each_token_in_its_place(learner, draw, observe):
    """A token that changes, changes its own row in every head and nothing else.

    ``view`` renames memory and ``transpose`` moves axes. With a view alone a head would hold pieces of a few tokens,
    and attention between its rows would not be attention between tokens.
    """
    size = draw_sizes(draw)
    sample, token = draw.integers(0, size.batch), draw.integers(0, size.seq_len)
    x = draw_tokens(draw, size)
    changed = x.clone()
    changed[sample, token] += 1

    shape = (size.batch, size.num_heads, size.seq_len, size.d_k)
    moved = what_moved(learner.split_heads, x, changed, (size.num_heads,), "split_heads(x)", shape, HEADS)

    observe(
        "Every head holds a part of every token, so changing one token changes one row in each head.",
        heads_that_saw_it=int(moved.transpose(0, 1).flatten(1).any(dim=1).sum()),
        number_of_heads=size.num_heads,
    )
    expected = torch.zeros(shape, dtype=torch.bool)
    expected[sample, :, token] = True
    expect_equal(moved, expected, "what changed in split_heads(x) when one token changed", HEADS)


@pytest.mark.depends_on("split_gives_every_head_an_axis_of_its_own")
def test_more_heads_are_thinner_heads(learner, draw, observe):
    """Twice as many heads are half as wide: the same numbers, so more heads cost no parameters.

    This is why num_heads can be chosen freely among the divisors of d_model, and why many heads leave each one little
    room.
    """
    size = draw_sizes(draw)
    x = draw.integers(-9, 10, size.batch, size.seq_len, 4 * size.d_k).float()

    few = expect_tensor(learner.split_heads(x, 2), "split_heads(x, 2)")
    many = expect_tensor(learner.split_heads(x, 4), "split_heads(x, 4)")

    observe(
        "The features are cut up, not copied: with twice as many heads each has half the features.",
        features_per_head_with_2_heads=few.shape[-1] if few.dim() else 0,
        features_per_head_with_4_heads=many.shape[-1] if many.dim() else 0,
    )
    expect_equal(few, split_right(x, 2), "split_heads(x, 2)", HEADS)
    expect_equal(many, split_right(x, 4), "split_heads(x, 4)", HEADS)


def test_merge_gives_every_token_one_row(learner, draw):
    """merge_heads turns (batch, num_heads, seq_len, d_k) into (batch, seq_len, d_model).

    The heads are laid side by side, neither added nor averaged, so that the layer after them can read all of each.
    """
    size = draw_sizes(draw)
    x = draw_heads(draw, size)

    got = learner.merge_heads(x)

    shape = (size.batch, size.seq_len, size.d_model)
    expect_tensor(got, "merge_heads(x)", shape, TOKENS)
    expect_equal(got, merge_right(x), "merge_heads(x)", TOKENS)


@pytest.mark.depends_on("merge_gives_every_token_one_row")
def test_merge_keeps_each_token_in_its_row(learner, draw, observe):
    """A position that changes in the heads changes the row of that token and no other.

    Without the transpose the result has the right shape and even trains, yet each of its rows mixes several tokens of
    one head.
    """
    size = draw_sizes(draw)
    sample, token = draw.integers(0, size.batch), draw.integers(0, size.seq_len)
    x = draw_heads(draw, size)
    changed = x.clone()
    changed[sample, :, token] += 1

    shape = (size.batch, size.seq_len, size.d_model)
    moved = what_moved(learner.merge_heads, x, changed, (), "merge_heads(x)", shape, TOKENS)

    observe(
        "Merging brings the parts of one token together: one changed position is one changed row.",
        rows_that_changed=int(moved.flatten(0, -2).any(dim=-1).sum()),
        positions_changed=1,
    )
    expected = torch.zeros(shape, dtype=torch.bool)
    expected[sample, token] = True
    expect_equal(moved, expected, "what changed in merge_heads(x) when one position changed", TOKENS)


@pytest.mark.depends_on("merge_gives_every_token_one_row")
def test_merge_lays_heads_side_by_side(learner, draw):
    """Features i * d_k up to (i + 1) * d_k of a merged row come from head i.

    Splitting and merging with the same wrong order would undo each other unnoticed, so the order is checked by itself.
    """
    size = draw_sizes(draw)
    head = draw.integers(0, size.num_heads)
    x = draw_heads(draw, size)
    changed = x.clone()
    changed[:, head] += 1

    shape = (size.batch, size.seq_len, size.d_model)
    moved = what_moved(learner.merge_heads, x, changed, (), "merge_heads(x)", shape, TOKENS)

    expected = torch.zeros(shape, dtype=torch.bool)
    expected[:, :, head * size.d_k : (head + 1) * size.d_k] = True
    expect_equal(moved, expected, "what changed in merge_heads(x) when one head changed", TOKENS)


@pytest.mark.depends_on("merge_gives_every_token_one_row")
def test_merge_undoes_a_right_split(learner, draw):
    """merge_heads gives x back from what the right split makes of it.

    The heads come from the suite here, not from your split_heads, so a mistake there costs nothing here.
    """
    size = draw_sizes(draw)
    x = draw.normal(size.batch, size.seq_len, size.d_model)

    got = learner.merge_heads(split_right(x, size.num_heads))

    expect_equal(got, x, "merge_heads(split of x)", TOKENS)


def test_features_that_do_not_divide_are_refused(learner, draw):
    """split_heads raises when num_heads does not divide d_model.

    Rounding down would drop features, and cutting into chunks may give fewer heads than asked: both without a word.
    """
    size = draw_sizes(draw)
    # A remainder of 1: rounding down loses the last feature.
    x = draw.normal(size.batch, size.seq_len, size.d_model + 1)
    # 3 n features for 2 n heads: chunks of two features make 3 n / 2 heads, all of them even where n is even.
    even = 2 * draw.integers(1, 4)
    y = draw.normal(size.batch, size.seq_len, 3 * even)
    # The right answer for sizes that do divide, so that an answer that always raises earns nothing.
    z = draw_tokens(draw, size)

    plain_split(learner, z, size.num_heads)
    expect_raises(
        lambda: learner.split_heads(x, size.num_heads),
        "split_heads accepted a d_model that num_heads does not divide: the features left over are lost.",
    )
    expect_raises(
        lambda: learner.split_heads(y, 2 * even),
        "split_heads accepted a d_model that num_heads does not divide: that many heads cannot be cut evenly.",
    )


def test_split_keeps_axes_of_size_one(learner, draw):
    """A batch of one, a sequence of one, one head, one feature per head: split_heads keeps all four axes.

    These are ordinary: one sentence at a time, one new token per step, a single head to compare with.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)
    general = plain_split(learner, x, size.num_heads)
    layout_is_right = torch.equal(general, split_right(x, size.num_heads))

    cases = (
        ("a batch of one", x[:1].contiguous(), size.num_heads),
        ("a sequence of one", x[:, :1].contiguous(), size.num_heads),
        ("one head", x, 1),
        ("one feature per head", x, size.d_model),
    )
    for name, part, num_heads in cases:
        what = f"split_heads(x) with {name}"
        got = expect_tensor(learner.split_heads(part, num_heads), what)
        if layout_is_right:
            expect_equal(got, split_right(part, num_heads), what, HEADS)
        else:  # The axes are judged elsewhere; here only that none of them is lost.
            expect(got.dim() == general.dim(), f"{what} has {got.dim()} axes, but {general.dim()} with larger sizes.")


def test_merge_keeps_axes_of_size_one(learner, draw):
    """A batch of one, a sequence of one, one head, one feature per head: merge_heads keeps all three axes."""
    size = draw_sizes(draw)
    x = draw_heads(draw, size)
    general = plain_merge(learner, x)
    layout_is_right = torch.equal(general, merge_right(x))

    cases = (
        ("a batch of one", x[:1]),
        ("a sequence of one", x[:, :, :1]),
        ("one head", x[:, :1]),
        ("one feature per head", x[..., :1]),
    )
    for name, part in cases:
        what = f"merge_heads(x) with {name}"
        got = expect_tensor(learner.merge_heads(part), what)
        if layout_is_right:
            expect_equal(got, merge_right(part), what, TOKENS)
        else:
            expect(got.dim() == general.dim(), f"{what} has {got.dim()} axes, but {general.dim()} with larger sizes.")


def test_split_reads_any_memory_layout(learner, draw):
    """A transposed x is split like its contiguous copy.

    Where the numbers lie in memory is nobody's business: x may come from a transpose or a slice.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)
    expected = plain_split(learner, x, size.num_heads)

    features_first = x.transpose(1, 2).contiguous().transpose(1, 2)
    every_other = torch.stack([x, x + 1], dim=-1).flatten(2)[..., ::2]

    expect_equal(learner.split_heads(features_first, size.num_heads), expected, "split_heads of a transposed x")
    expect_equal(learner.split_heads(every_other, size.num_heads), expected, "split_heads of a strided x")


def test_merge_reads_any_memory_layout(learner, draw):
    """Heads that were computed afresh are merged like heads that still lie where the split left them.

    After attention the heads are a new, contiguous tensor: a ``view`` that worked right behind the split raises there.
    """
    size = draw_sizes(draw)
    x = draw_heads(draw, size)
    expected = plain_merge(learner, x)

    features_first = x.transpose(2, 3).contiguous().transpose(2, 3)

    expect_equal(learner.merge_heads(x.contiguous()), expected, "merge_heads of a contiguous x")
    expect_equal(learner.merge_heads(features_first), expected, "merge_heads of a transposed x")


def expect_gradient_follows(function, x, arguments, probes, draw, name):
    """The gradient of (R * f(x)).sum() by x is the direction in which that sum grows.

    f only moves numbers (or adds them up), so for any other z the sum (R * f(z)).sum() equals (gradient * z).sum(),
    whatever the order that f chose. All numbers are small integers, which float32 adds without error up to 2**24; a
    mean over heads is not exact, hence a relative tolerance of 1e-5, a hundred roundings.
    """
    value = expect_tensor(function(x, *arguments), f"{name}(x)")
    direction = draw.integers(-9, 10, *value.shape).to(value.dtype)

    gradients = function.gradients(x, *arguments, along=direction)

    gradient = expect_gradient(gradients.arguments[0], "x")
    expect_tensor(gradient, "the gradient of x", x.shape)
    for z in probes:
        answer = expect_tensor(function(z, *arguments), f"{name}(z)", value.shape)
        along_z, by_gradient = (direction * answer).sum().double(), (gradient * z).sum().double()
        scale = (direction * answer).abs().sum().double() + 1
        expect(
            bool((along_z - by_gradient).abs() <= 1e-5 * scale),
            f"the gradient of {name} with respect to x does not lead back to the numbers that it moved.",
        )


def test_split_passes_gradients_back(learner, draw):
    """The gradient of every number in every head reaches the feature that it came from.

    Detached, by way of ``.data`` or of NumPy, the values are right and the layers before stop learning.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)
    plain_split(learner, x, size.num_heads)

    expect_gradient_follows(
        learner.split_heads, x, (size.num_heads,), [draw_tokens(draw, size) for _ in range(3)], draw, "split_heads"
    )


def test_merge_passes_gradients_back(learner, draw):
    """The gradient of every merged feature reaches the head that it came from."""
    size = draw_sizes(draw)
    x = draw_heads(draw, size)
    plain_merge(learner, x)

    expect_gradient_follows(learner.merge_heads, x, (), [draw_heads(draw, size) for _ in range(3)], draw, "merge_heads")


def test_inputs_are_left_alone(learner, draw):
    """Neither function changes the tensor that it is given, nor turns its axes.

    The caller still uses it, for the residual connection for instance.
    """
    size = draw_sizes(draw)
    x, heads = draw_tokens(draw, size), draw_heads(draw, size)
    plain_split(learner, x, size.num_heads)
    plain_merge(learner, heads)

    expect_unchanged(learner.split_heads.observe(x, size.num_heads), ("x", "num_heads"))
    expect_unchanged(learner.merge_heads.observe(heads), ("x",))


# Integers up to 9 are exact in every type here and moving them rounds nothing. 0.05 is above one rounding of bfloat16
# at 9 (9 / 256): an answer that computes with them, by a mean say, is judged for that elsewhere.
HALF_ROUNDING = 0.05


def test_split_keeps_the_dtype(learner, draw):
    """half, bfloat16 and float64 in, the same type out.

    A result collected in a new float32 tensor forces the whole model into float32, or stops it with an error in the
    next layer.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)
    expected = plain_split(learner, x, size.num_heads)

    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        got = learner.split_heads(x.to(dtype), size.num_heads)
        expect_close(got, expected.to(dtype), f"split_heads of a {dtype} tensor", atol=HALF_ROUNDING)


def test_merge_keeps_the_dtype(learner, draw):
    """half, bfloat16 and float64 in, the same type out."""
    size = draw_sizes(draw)
    x = draw_heads(draw, size)
    expected = plain_merge(learner, x)

    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        got = learner.merge_heads(x.to(dtype))
        expect_close(got, expected.to(dtype), f"merge_heads of a {dtype} tensor", atol=HALF_ROUNDING)


def expect_on_device(observed, device, expected, what):
    """The returned tensor lies on the device, with the values that the CPU gives."""
    expect_equal(observed.value, expected, what)
    expect(
        all(where == device for where in observed.devices),
        f"{what} came back on the CPU although x was on the accelerator: something was made without a device.",
    )


def test_split_stays_on_the_device(learner, draw):
    """x on an accelerator gives heads on that accelerator, with the same numbers.

    A tensor that is made inside without ``device=x.device`` lies on the CPU and breaks on a GPU only.
    """
    size = draw_sizes(draw)
    x = draw_tokens(draw, size)
    expected = plain_split(learner, x, size.num_heads)

    observed = learner.on("pretend").split_heads.observe(x, size.num_heads)

    expect_on_device(observed, "pretend", expected, "split_heads(x) on an accelerator")


def test_merge_stays_on_the_device(learner, draw):
    """Heads on an accelerator give rows on that accelerator, with the same numbers."""
    size = draw_sizes(draw)
    x = draw_heads(draw, size)
    expected = plain_merge(learner, x)

    observed = learner.on("pretend").merge_heads.observe(x)

    expect_on_device(observed, "pretend", expected, "merge_heads(x) on an accelerator")


@pytest.mark.accelerator
def test_a_real_accelerator_gives_the_same_numbers(learner, draw):
    """On this machine's accelerator both functions give exactly what they give on the CPU.

    Moving numbers rounds nothing, so there is no tolerance.
    """
    size = draw_sizes(draw)
    x, heads = draw_tokens(draw, size), draw_heads(draw, size)
    split, merged = plain_split(learner, x, size.num_heads), plain_merge(learner, heads)

    on_accelerator = learner.on("accelerator")

    expect_equal(on_accelerator.split_heads(x, size.num_heads), split, "split_heads(x) on the accelerator")
    expect_equal(on_accelerator.merge_heads(heads), merged, "merge_heads(x) on the accelerator")
