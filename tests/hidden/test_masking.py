"""Hidden suite: masking

Each idea is judged on inputs where the other ideas do not matter: a mask of the wrong shape is still read for its
values, an inverted one for its shape, and the properties of `masked_softmax` other than its values (gradients, dtypes,
broadcasting, large scores …) are judged by comparing the learner's own results with each other. Such a comparison alone
would be satisfied by a constant, so each of these checks also sees that the answer responds to its input.
"""

import pytest
import torch

from grader.suite import (
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_tensor,
    expect_unchanged,
)

AXES = ("batch", "num_heads", "seq_q", "seq_k")

# Thirteen right forms lie within 2.2e-7 of the float64 reference on scores of this size (standard normal); the mildest
# wrong form of the course's collection is off by 0.1.
ATOL = 1e-5
# With scores near 900 one unit in the last place is 6e-5, and forms that subtract a log-sum-exp round there: 3e-5
# measured.
ATOL_LARGE = 5e-4


# ---- references ------------------------------------------------------------------------------------------------------


def padding_reference(lengths, max_len):
    """Return (batch, max_len) bool: True on real tokens."""
    return torch.arange(max_len) < lengths[:, None]


def causal_reference(seq_len):
    """Return (seq_len, seq_len) bool: True on and below the diagonal."""
    positions = torch.arange(seq_len)
    return positions[None, :] <= positions[:, None]


def softmax_reference(scores, mask=None):
    """Return the weights in float64: exponentials of the allowed scores, divided by their sum."""
    allowed = torch.ones(scores.shape, dtype=torch.bool) if mask is None else (mask != 0).expand(scores.shape)
    wide = scores.double().masked_fill(~allowed, float("-inf"))
    top = wide.amax(dim=-1, keepdim=True)
    exponentials = (wide - top.masked_fill(top.isinf(), 0.0)).exp()
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


# ---- inputs ----------------------------------------------------------------------------------------------------------


def draw_sentences(draw, *, one_is_full=True):
    """Return sizes and lengths: each from 2 to max_len - 2, but for one sentence that may fill its row."""
    size = draw.sizes("batch", low=3, high=5, max_len=draw.integers(8, 14))
    lengths = 2 + draw.permutation(size.max_len - 3)[: size.batch]
    if one_is_full:
        lengths[draw.integers(0, size.batch)] = size.max_len
    return size, lengths


def draw_mask(draw, *shape):
    """Return a bool mask with at least one allowed and one masked key in each row, and a choice in the first."""
    seq_k = shape[-1]
    rank = draw.uniform(*shape).argsort(dim=-1).argsort(dim=-1)
    allowed = draw.integers(1, seq_k, *shape[:-1])
    allowed.view(-1)[0] = seq_k - 1
    return rank < allowed[..., None]


def draw_scores_and_mask(draw, **fixed):
    """Return float32 scores and a bool mask of the same shape, no row fully masked."""
    size = draw.sizes(*(axis for axis in AXES if axis not in fixed), **fixed, low=3, high=8)
    shape = [getattr(size, axis) for axis in AXES]
    return draw.normal(*shape), draw_mask(draw, *shape)


def draw_key_mask(draw, seq_k):
    """Return a bool mask (seq_k,) that hides about half of the keys, the same ones for every query."""
    allowed = torch.zeros(seq_k, dtype=torch.bool)
    allowed[draw.permutation(seq_k)[: seq_k // 2 + 1]] = True
    return allowed


def draw_even_scores(draw):
    """
    Return scores that are multiples of 1/64, a mask that hides the same keys from all queries, and those allowed keys.

    Adding a whole number below 1000 to such scores is exact in float32, so that it does not change the question.
    """
    size = draw.sizes(*AXES, low=4, high=8)
    scores = (draw.normal(size.batch, size.num_heads, size.seq_q, size.seq_k) * 64).round() / 64
    allowed = draw_key_mask(draw, size.seq_k)
    return scores, allowed.expand(scores.shape).contiguous(), allowed


def without_some_rows(draw, mask):
    """Return the mask with some rows fully masked, and which rows those are: bool, the mask's shape without keys."""
    rows = mask.shape[:-1].numel()
    empty = torch.zeros(rows, dtype=torch.bool)
    empty[draw.permutation(rows)[: 1 + rows // 3]] = True
    empty = empty.view(mask.shape[:-1])
    return mask & ~empty[..., None], empty


# ---- claims ----------------------------------------------------------------------------------------------------------


def rows_of(got, batch, max_len):
    """Read a padding mask row by row, whatever shape and dtype it has: (batch, max_len) bool."""
    mask = expect_tensor(got, "padding_mask")
    expect(
        mask.numel() == batch * max_len,
        "padding_mask should have one entry for each sentence and each of the max_len positions.",
    )
    return mask.reshape(batch, max_len) != 0


def expect_split_at_lengths(rows, lengths):
    """Expect that each row changes once, where its sentence ends, whichever side is True (to within one position)."""
    changes = (rows[:, 1:] != rows[:, :-1]).sum(dim=1)
    true_count, max_len = rows.sum(dim=1), rows.shape[1]
    by_length = ((true_count - lengths).abs() <= 1).all() or ((true_count - (max_len - lengths)).abs() <= 1).all()
    expect(
        (changes <= 1).all() and by_length, "padding_mask does not tell the real tokens of a sentence from its padding."
    )


def square_of(got, seq_len):
    """Read a causal mask, whatever its leading axes and dtype: (seq_len, seq_len) bool."""
    mask = expect_tensor(got, "causal_mask")
    expect(mask.numel() == seq_len**2, "causal_mask should have one entry for each pair of positions.")
    return mask.reshape(seq_len, seq_len) != 0


def expect_past_and_future_differ(got):
    """Expect one value well below the diagonal and the other well above it, whichever is True."""
    mask = expect_tensor(got, "causal_mask")
    is_square = mask.dim() >= 2 and mask.shape[-1] == mask.shape[-2] > 2
    is_square = is_square and mask.numel() > 0
    expect(is_square, "causal_mask should have a row for each query and a column for each key.")
    below = torch.ones(mask.shape, dtype=torch.bool).tril(-2)
    past, future = (mask != 0)[below], (mask != 0)[below.mT]
    told_apart = (past == past[0]).all() and (future != past[0]).all()
    expect(told_apart, "causal_mask does not tell the past from the future.")


def draw_pair_of_masks(draw, **fixed):
    """Return a padding mask (batch, 1, 1, seq_len), a causal mask and the lengths, from 2 to seq_len - 2."""
    size = draw.sizes(*({"batch"} - fixed.keys()), low=2, high=5, seq_len=draw.integers(8, 12), **fixed)
    lengths = 2 + draw.permutation(size.seq_len - 3)[: size.batch]
    padding = padding_reference(lengths, size.seq_len)[:, None, None, :]
    return padding, causal_reference(size.seq_len), lengths


def pairs_of(got, batch, seq_len):
    """Read a combined mask, whatever its dtype and where its axis for the heads is: (batch, seq_len, seq_len) bool."""
    mask = expect_tensor(got, "combined_mask")
    expect(
        mask.numel() == batch * seq_len**2,
        "combined_mask should have one entry for each sentence, query and key.",
    )
    return mask.reshape(batch, seq_len, seq_len) != 0


def expect_both_used(pairs, padding, causal, lengths):
    """
    Expect that the first queries see the first keys before them and no key at the end, and that neither mask is alone.

    Only queries and keys that are real in every sentence are looked at, and keys that are padding in all: there it does
    not matter whose padding is used for whom.
    """
    padding, causal = padding[:, 0].expand_as(pairs), causal.expand_as(pairs)
    positions = torch.arange(pairs.shape[1])
    is_first, is_last = positions < lengths.min(), positions >= lengths.max()
    seen, in_the_past = pairs[:, is_first], causal[:, is_first]
    followed = seen[in_the_past & is_first].all() and not seen[..., is_last].any()
    alone = torch.equal(pairs, padding) or torch.equal(pairs, causal)
    expect(followed and not alone, "combined_mask does not depend on both masks.")


def weights_of(got, scores):
    """Read attention weights in float32, whatever their real dtype, after looking at their shape."""
    axes = AXES if scores.dim() == len(AXES) else ()
    weights = expect_tensor(got, "attention_weights", scores.shape, axes)
    expect(not weights.is_complex(), "attention_weights should be real numbers.")
    return weights.float()


def expect_responsive(learner, weights, scores, mask=None):
    """
    Expect weights from 0 to 1 that change when the scores do, in the rows that have an allowed key.

    Right values are asked for elsewhere; this tells code that does its work from zeros, uniform weights, random numbers
    or a copy of an input. Every softmax, over any axis and with any mask, passes.
    """
    live = torch.ones(scores.shape[:-1], dtype=torch.bool)
    if mask is not None:
        live = (mask != 0).expand(scores.shape).any(dim=-1)
    others = weights_of(learner.masked_softmax(scores.flip(tuple(range(scores.dim()))), mask), scores)
    mine = expect_finite(weights[live], "attention_weights")
    expect((mine >= -1e-6).all() and (mine <= 1 + 1e-2).all(), "attention_weights should lie between 0 and 1.")
    expect((mine - others[live]).abs().max() > 1e-3, "attention_weights do not change when the scores change.")


def expect_own_result(learner, weights, scores, mask):
    """Expect the weights that the learner's function gives for the same arguments at another time."""
    again = weights_of(learner.masked_softmax(scores, mask), scores)
    live = (mask != 0).expand(scores.shape).any(dim=-1)
    expect_close(again[live], weights[live], "attention_weights", ("row", "seq_k"), atol=ATOL)
    expect_responsive(learner, weights, scores, mask)


def slope_by_nudging(learner, scores, mask, along, direction):
    """Measure how fast ``(weights * along).sum()`` grows when the scores move in a direction, without autograd."""
    # In float64, with a step that leaves a cubic term of some 2e-4; forms that compute in float32 inside add as much.
    step = 5e-3
    moves = []
    for moved_scores in (scores + step * direction, scores - step * direction):
        weights = expect_tensor(learner.masked_softmax(moved_scores, mask), "attention_weights", scores.shape, AXES)
        expect(not weights.is_complex(), "attention_weights should be real numbers.")
        moves.append(weights.double())
    # What happens where `along` is 0 is not asked here: NaN, say.
    moved = ((moves[0] - moves[1]) * along).masked_fill(along == 0, 0.0)
    return float(moved.sum()) / (2 * step)


def expect_slopes_agree(learner, draw, scores, mask, along):
    """Expect the gradient to predict, in three random directions, what nudging the scores does."""
    directions = [draw.normal(*scores.shape, dtype=torch.float64) for _ in range(3)]
    found = learner.masked_softmax.gradients(scores, mask, along=along, wrt=[0])
    gradient = expect_finite(expect_gradient(found.arguments[0], "scores"), "the gradient of scores", AXES).double()
    expect_tensor(gradient, "the gradient of scores", scores.shape, AXES)
    for direction in directions:
        slope = slope_by_nudging(learner, scores, mask, along, direction)
        predicted = float((gradient * direction).sum())
        # Right forms differ by up to 2.1e-4; a slope is typically a few units.
        expect(
            abs(predicted - slope) <= 5e-3,
            "The gradient of scores is wrong: it does not predict what happens when the scores are nudged.",
        )


# ---- create_padding_mask ---------------------------------------------------------------------------------------------


def test_padding_mask_is_true_on_real_tokens(learner, draw):
    """A padding mask is True on real tokens and False on padding.

    True means "may attend" in this course. Code that has it the other way round attends to padding and to nothing else.
    """
    size, lengths = draw_sentences(draw)

    mask = learner.create_padding_mask(lengths, size.max_len)

    rows = rows_of(mask, size.batch, size.max_len)
    expect_equal(rows, padding_reference(lengths, size.max_len), "padding_mask", ("batch", "max_len"))


def test_padding_mask_broadcasts_over_heads_and_queries(learner, draw):
    """A padding mask is a bool tensor of shape (batch, 1, 1, max_len).

    With other axes it lines up with the wrong axis of (batch, num_heads, seq_q, seq_k), at times without an error.
    """
    size, lengths = draw_sentences(draw)

    mask = learner.create_padding_mask(lengths, size.max_len)

    shape = (size.batch, 1, 1, size.max_len)
    expect_tensor(mask, "padding_mask", shape, ("batch", "1", "1", "max_len"), torch.bool)
    expect_split_at_lengths(rows_of(mask, size.batch, size.max_len), lengths)


def test_padding_mask_reaches_max_len(learner, draw):
    """The mask has max_len columns even when every sentence is shorter.

    The scores have max_len columns as well: a batch may be filled up further than its longest sentence needs.
    """
    size, lengths = draw_sentences(draw, one_is_full=False)

    mask = learner.create_padding_mask(lengths, size.max_len)

    expect_split_at_lengths(rows_of(mask, size.batch, size.max_len), lengths)


def test_empty_and_full_sentences_have_plain_rows(learner, draw):
    """A sentence of length 0 is all padding, and one of length max_len has none.

    These are the two ends at which "smaller" and "smaller or equal" differ, and where workarounds show.
    """
    size, lengths = draw_sentences(draw, one_is_full=False)
    ends, others = draw.permutation(size.batch).split([2, size.batch - 2])
    lengths[ends] = torch.tensor([0, size.max_len])

    rows = rows_of(learner.create_padding_mask(lengths, size.max_len), size.batch, size.max_len)

    empty, full = rows[ends[0]], rows[ends[1]]
    expect((empty == empty[0]).all(), "The row of a sentence without tokens should be one value throughout.")
    expect((full == full[0]).all(), "The row of a sentence without padding should be one value throughout.")
    expect(empty[0] != full[0], "The rows of an empty and of a full sentence should differ.")
    expect_split_at_lengths(rows[others], lengths[others])


def test_padding_mask_works_for_one_sentence(learner, draw):
    """A batch of one sentence works like any other.

    An axis of size one is easily lost on the way, and then the first single prediction after training fails.
    """
    size, lengths = draw_sentences(draw, one_is_full=False)

    of_many = expect_tensor(learner.create_padding_mask(lengths, size.max_len), "padding_mask")
    of_one = [expect_tensor(learner.create_padding_mask(one, size.max_len), "padding_mask") for one in lengths.split(1)]

    rows = [rows_of(mask, 1, size.max_len) for mask in of_one]
    expect_split_at_lengths(torch.cat(rows), lengths)
    # How many axes there should be is asked elsewhere.
    expect(
        all(mask.dim() == of_many.dim() for mask in of_one),
        "padding_mask has another number of axes for one sentence than for many.",
    )


def test_padding_mask_takes_int32_lengths(learner, draw):
    """Lengths may be int32 as well as int64.

    Tokenisers and data loaders hand out either.
    """
    size, lengths = draw_sentences(draw)

    mask = learner.create_padding_mask(lengths.int(), size.max_len)

    expect_split_at_lengths(rows_of(mask, size.batch, size.max_len), lengths)


# ---- create_causal_mask ----------------------------------------------------------------------------------------------


def test_causal_mask_is_the_lower_triangle(learner, draw):
    """Query i may attend to keys 0 to i: True on the diagonal and below it, False above.

    Above the diagonal lies the future. The diagonal stays: without it the first position has nothing to attend to.
    """
    shorter, longer = draw.integers(4, 7), draw.integers(7, 10)

    for seq_len in (shorter, longer):
        mask = square_of(learner.create_causal_mask(seq_len), seq_len)

        expect_equal(mask, causal_reference(seq_len), "causal_mask", ("seq_q", "seq_k"))


def test_each_position_sees_one_key_more(learner, draw, observe):
    """Each position sees one key more than the position before it: the first sees one, the last sees all.

    So a causal mask allows seq_len (seq_len + 1) / 2 of the seq_len² pairs, a little more than half.
    """
    seq_len = draw.sizes("seq_len", low=6, high=12).seq_len

    mask = square_of(learner.create_causal_mask(seq_len), seq_len)

    seen = mask.sum(dim=1)
    observe(
        f"The first of {seq_len} positions should see 1 key, itself, and the last should see all {seq_len}.",
        seen_by_first=int(seen[0]),
        seen_by_last=int(seen[-1]),
    )
    expect(
        torch.equal(seen, torch.arange(1, seq_len + 1)),
        "The number of keys that a position sees should grow by one from each position to the next, starting with one.",
    )


def test_causal_mask_is_square_and_boolean(learner, draw):
    """A causal mask is a bool tensor of shape (seq_len, seq_len).

    Without a batch axis it broadcasts over every batch and head. Bool, because `~`, `&` and `masked_fill` want it so.
    """
    seq_len = draw.sizes("seq_len", low=6, high=12).seq_len

    mask = learner.create_causal_mask(seq_len)

    expect_tensor(mask, "causal_mask", (seq_len, seq_len), ("seq_q", "seq_k"), torch.bool)
    expect_past_and_future_differ(mask)


def test_causal_mask_has_any_length(learner, draw):
    """The mask can be made for one position and for many.

    Writing begins with a single position, and texts are longer than examples in tests.
    """
    many = draw.sizes("seq_len", low=260, high=300).seq_len

    one_position = learner.create_causal_mask(1)
    many_positions = learner.create_causal_mask(many)

    expect_tensor(one_position, "causal_mask", (1, 1), ("seq_q", "seq_k"))
    expect_tensor(many_positions, "causal_mask", (many, many), ("seq_q", "seq_k"))
    expect_past_and_future_differ(many_positions)


def test_causal_mask_is_made_for_each_call(learner, draw):
    """Asking for a longer mask before changes no mask.

    One that is kept in a global or a default argument fits the call that made it, and the next text has another length.
    """
    shorter, longer = draw.integers(4, 7), draw.integers(7, 10)

    alone = expect_tensor(learner.create_causal_mask(shorter), "causal_mask")
    expect_past_and_future_differ(alone)
    learner.forget()
    learner.create_causal_mask(longer)
    after = expect_tensor(learner.create_causal_mask(shorter), "causal_mask")

    expect(
        alone.shape == after.shape and torch.equal(alone, after),
        "the causal mask of one length is another one once a longer one was asked for: something is kept.",
    )


# ---- combine_masks ---------------------------------------------------------------------------------------------------


def test_combined_mask_needs_both(learner, draw):
    """No query attends to padding, and none to the future.

    A key must pass both masks. Since padding comes last, a real query is kept from it by the causal mask already; a
    padded query is not.
    """
    padding, causal, lengths = draw_pair_of_masks(draw)
    batch, seq_len = padding.shape[0], causal.shape[0]

    pairs = pairs_of(learner.combine_masks(padding, causal), batch, seq_len)

    # What a padded query may see is asked in the next check: here it is filled in with what is expected.
    expected = padding[:, 0] & causal
    padded_query = (torch.arange(seq_len) >= lengths[:, None])[..., None]
    pairs = pairs | (padded_query & expected)
    expect_equal(pairs, expected, "combined_mask", ("batch", "seq_q", "seq_k"))


def test_padded_queries_keep_their_rows(learner, draw):
    """The row of a padded query stays as it is: it sees the real keys before it.

    Nobody reads what padding finds. Masking its row as well makes rows with no key at all, and NaN comes from those.
    """
    padding, causal, lengths = draw_pair_of_masks(draw)
    batch, seq_len = padding.shape[0], causal.shape[0]

    pairs = pairs_of(learner.combine_masks(padding, causal), batch, seq_len)

    expected = padding[:, 0] & causal
    for sentence, length in enumerate(lengths.tolist()):
        expect_equal(
            pairs[sentence, length:], expected[sentence, length:], "the rows of padded queries", ("row", "seq_k")
        )
    expect_both_used(pairs, padding, causal, lengths)


def test_combined_mask_has_an_axis_for_the_heads(learner, draw):
    """The combined mask is a bool tensor of shape (batch, 1, seq_len, seq_len).

    With three axes its batch would line up with the heads of the scores: wrong, and silent when the two sizes agree.
    """
    padding, causal, lengths = draw_pair_of_masks(draw)
    batch, seq_len = padding.shape[0], causal.shape[0]

    mask = learner.combine_masks(padding, causal)

    axes = ("batch", "1", "seq_q", "seq_k")
    expect_tensor(mask, "combined_mask", (batch, 1, seq_len, seq_len), axes, torch.bool)
    expect_both_used(pairs_of(mask, batch, seq_len), padding, causal, lengths)


def test_masks_combine_for_one_sentence(learner, draw):
    """Combining works for a batch of one sentence.

    An axis of size one is easily lost on the way.
    """
    padding, causal, lengths = draw_pair_of_masks(draw, batch=1)
    seq_len = causal.shape[0]

    of_one = learner.combine_masks(padding, causal)
    of_many = learner.combine_masks(padding.expand(3, 1, 1, seq_len).contiguous(), causal)

    expect_both_used(pairs_of(of_one, 1, seq_len), padding, causal, lengths)
    expect(
        of_one.dim() == expect_tensor(of_many, "combined_mask").dim(),
        "combined_mask has another number of axes for one sentence than for many.",
    )


# ---- masked_softmax: values ------------------------------------------------------------------------------------------


def test_weights_are_a_softmax_over_the_keys(learner, draw):
    """Without a mask the weights are the softmax over the last axis.

    Each query shares its attention, one in all, among the keys: over another axis queries, heads or sentences compete.
    """
    scores, _ = draw_scores_and_mask(draw)

    weights = weights_of(learner.masked_softmax(scores), scores)

    expect_close(weights, softmax_reference(scores).float(), "attention_weights", AXES, atol=ATOL)


def test_masked_keys_weigh_nothing(learner, draw):
    """The weights are the softmax among the allowed keys, and a masked key has exactly zero.

    The allowed keys share the whole attention: each row still sums to one.
    """
    scores, mask = draw_scores_and_mask(draw)

    weights = weights_of(learner.masked_softmax(scores, mask), scores)

    expect_close(weights, softmax_reference(scores, mask).float(), "attention_weights", AXES, atol=ATOL)
    expect((weights[~mask] == 0).all(), "The weight of a masked key should be exactly zero.")


def test_zero_is_not_minus_infinity(learner, draw, observe):
    """A masked key gets no weight even when every score is 0.

    Filling masked scores with 0 does not hide them: exp(0) is 1, as much as the allowed keys get here. Minus infinity
    is the score whose exponential is 0.
    """
    scores, mask = draw_scores_and_mask(draw)
    flat = torch.zeros_like(scores)

    of_drawn_scores = weights_of(learner.masked_softmax(scores, mask), scores)
    weights = weights_of(learner.masked_softmax(flat, mask), scores)

    expect_finite(weights, "attention_weights", AXES)
    on_masked = float(weights.masked_fill(mask, 0.0).sum(dim=-1).mean())
    observe(
        "All scores are 0. The masked keys should get none of the attention; hidden by a score of 0 they would get as "
        "much as the allowed keys.",
        attention_on_masked_keys=on_masked,
        if_hidden_by_zero=float((~mask).float().mean()),
    )
    expect_close(weights, softmax_reference(flat, mask).float(), "attention_weights", AXES, atol=ATOL)
    expect_responsive(learner, of_drawn_scores, scores, mask)


def test_masking_equals_removing(learner, draw, observe):
    """Masking keys gives the weights that one gets by leaving these keys out.

    That is what padding is for: a sentence must not change because longer ones are in its batch. Weights that are set
    to zero after the softmax fail here, as masked keys have already taken their share.
    """
    size = draw.sizes(*AXES, low=4, high=8)
    scores = draw.normal(size.batch, size.num_heads, size.seq_q, size.seq_k)
    allowed = draw_key_mask(draw, size.seq_k)
    mask = allowed.expand(scores.shape).contiguous()

    masked = weights_of(learner.masked_softmax(scores, mask), scores)
    removed = weights_of(learner.masked_softmax(scores[..., allowed].contiguous()), scores[..., allowed])

    kept = expect_finite(masked, "attention_weights", AXES)[..., allowed]
    observe(
        "The attention that the allowed keys get in all should be the same whether the others are masked or left out.",
        with_keys_masked=float(kept.sum(dim=-1).mean()),
        with_keys_left_out=float(removed.sum(dim=-1).mean()),
    )
    expect_close(kept, removed, "attention_weights of the allowed keys", AXES, atol=ATOL)
    expect_responsive(learner, masked, scores, mask)


def test_garbage_in_masked_scores_changes_nothing(learner, draw):
    """What stands in a masked score has no influence on any weight.

    Padding holds whatever the embedding of the padding token happens to give.
    """
    scores, mask = draw_scores_and_mask(draw)
    garbage = torch.where(mask, scores, draw.uniform(*scores.shape, low=-10.0, high=10.0))

    weights = weights_of(learner.masked_softmax(scores, mask), scores)
    with_garbage = weights_of(learner.masked_softmax(garbage, mask), scores)

    expect_close(with_garbage, weights, "attention_weights", AXES, atol=ATOL)
    expect_responsive(learner, weights, scores, mask)


# ---- masked_softmax: rows without keys -------------------------------------------------------------------------------


def test_fully_masked_row_is_zero(learner, draw):
    """A query whose keys are all masked gets weights of zero, never NaN.

    The softmax over nothing is 0 / 0. One NaN in an output spreads to every token of the sentence in the next layer.
    """
    scores, mask = draw_scores_and_mask(draw)
    mask, empty = without_some_rows(draw, mask)

    weights = weights_of(learner.masked_softmax(scores, mask), scores)

    # Zero by zero entry and nothing else: whether the other rows are right is asked elsewhere.
    rows = expect_finite(weights[empty], "the weights of fully masked rows", ("row", "seq_k"))
    expect((rows == 0).all(), "The weights of a row whose keys are all masked should be zero.")
    expect_responsive(learner, weights, scores, mask)


def test_empty_sentence_beside_full_ones(learner, draw):
    """A sentence with no tokens at all gets zeros, and the other sentences still get weights.

    Looking only at whether the whole mask is empty is not enough: it is one sentence of many.
    """
    scores, mask = draw_scores_and_mask(draw)
    sentence = draw.integers(0, scores.shape[0])
    mask[sentence] = False

    weights = weights_of(learner.masked_softmax(scores, mask), scores)

    rows = expect_finite(weights[sentence], "the weights of a sentence without tokens", AXES[1:])
    expect((rows == 0).all(), "The weights of a sentence without tokens should be zero.")
    expect_responsive(learner, weights, scores, mask)


# ---- masked_softmax: gradients ---------------------------------------------------------------------------------------


def test_gradient_predicts_what_nudging_does(learner, draw):
    """The weights carry the gradient of the scores.

    Values can be right while learning is dead: `.detach()`, `.data`, NumPy and `no_grad` cut weights from scores.
    """
    scores, mask = draw_scores_and_mask(draw)
    along = draw.normal(*scores.shape, dtype=torch.float64)

    expect_slopes_agree(learner, draw, scores.double(), mask, along)
    expect_responsive(learner, weights_of(learner.masked_softmax(scores, mask), scores), scores, mask)


def test_no_nan_gradient_beside_a_masked_row(learner, draw):
    """A fully masked row puts no NaN into the gradient, its own and that of its neighbours.

    A NaN that is replaced after the softmax is gone from the output but not from the backward pass.
    """
    scores, mask = draw_scores_and_mask(draw)
    mask, empty = without_some_rows(draw, mask)
    # The loss does not touch the empty rows, as a loss ignores padding.
    along = draw.normal(*scores.shape, dtype=torch.float64).masked_fill(empty[..., None], 0.0)

    expect_slopes_agree(learner, draw, scores.double(), mask, along)
    expect_responsive(learner, weights_of(learner.masked_softmax(scores, mask), scores), scores, mask)


# ---- masked_softmax: kinds and shapes of masks -----------------------------------------------------------------------


def expect_same_with_another_mask(learner, scores, mask, other):
    """Expect the learner's function to give one answer for two masks that say the same."""
    weights = weights_of(learner.masked_softmax(scores, mask), scores)

    same = weights_of(learner.masked_softmax(scores, other), scores)

    expect_close(same, weights, "attention_weights", AXES, atol=ATOL)
    expect_responsive(learner, weights, scores, mask)


def test_integer_masks_count_as_bool(learner, draw):
    """A mask of integers 0 and 1 says the same as one of False and True.

    Tokenisers hand out attention masks as int64. On integers `~` is arithmetic: ~1 is -2.
    """
    scores, mask = draw_scores_and_mask(draw)

    expect_same_with_another_mask(learner, scores, mask, mask.long())


def test_float_masks_count_as_bool(learner, draw):
    """A mask of 0.0 and 1.0 says the same as one of False and True; it is not added to the scores.

    Some libraries add a floating-point mask to the scores (with 0 and -inf in it). The one here holds zeros and ones.
    """
    scores, mask = draw_scores_and_mask(draw)

    expect_same_with_another_mask(learner, scores, mask, mask.float())


def test_padding_masks_broadcast(learner, draw):
    """A mask (batch, 1, 1, seq_k) serves all heads and queries of its sentence.

    It is the shape that create_padding_mask makes.
    """
    scores, _ = draw_scores_and_mask(draw)
    mask = draw_mask(draw, scores.shape[0], 1, 1, scores.shape[3])

    expect_same_with_another_mask(learner, scores, mask.expand(scores.shape).contiguous(), mask)


def test_causal_masks_broadcast(learner, draw):
    """A mask (seq_q, seq_k) serves all sentences and heads.

    It is the shape that create_causal_mask makes.
    """
    scores, _ = draw_scores_and_mask(draw)
    mask = draw_mask(draw, *scores.shape[2:])

    expect_same_with_another_mask(learner, scores, mask.expand(scores.shape).contiguous(), mask)


def test_combined_masks_broadcast(learner, draw):
    """A mask (batch, 1, seq_q, seq_k) serves all heads of its sentence, and of no other sentence.

    It is the shape that combine_masks makes. Repeating it in the wrong order gives one sentence the mask of another.
    """
    scores, _ = draw_scores_and_mask(draw)
    mask = draw_mask(draw, scores.shape[0], 1, *scores.shape[2:])

    expect_same_with_another_mask(learner, scores, mask.expand(scores.shape).contiguous(), mask)


def test_any_number_of_leading_axes(learner, draw):
    """Scores may have any number of axes before the last two, of any size.

    Each matrix of scores stands for itself: a single one gives the same weights alone as among others.
    """
    scores, mask = draw_scores_and_mask(draw)

    weights = weights_of(learner.masked_softmax(scores, mask), scores)
    two_axes = weights_of(learner.masked_softmax(scores[0, 0].clone(), mask[0, 0].clone()), scores[0, 0])
    three_axes = weights_of(learner.masked_softmax(scores[:1, 0].clone(), mask[:1, 0].clone()), scores[:1, 0])
    five_axes = weights_of(learner.masked_softmax(scores[:, None], mask[:, None]), scores[:, None])

    expect_close(two_axes, weights[0, 0], "attention_weights", AXES[2:], atol=ATOL)
    expect_close(three_axes, weights[:1, 0], "attention_weights", ("batch", *AXES[2:]), atol=ATOL)
    expect_close(five_axes, weights[:, None], "attention_weights", atol=ATOL)
    expect_responsive(learner, weights, scores, mask)


def test_any_layout_in_memory(learner, draw):
    """Scores and masks may be transposed views.

    `query @ key.transpose(-2, -1)` and slices are often not contiguous, and `view` refuses some of those.
    """
    scores, mask = draw_scores_and_mask(draw)
    strided, strided_mask = scores.mT.contiguous().mT, mask.mT.contiguous().mT

    weights = weights_of(learner.masked_softmax(scores, mask), scores)
    of_views = weights_of(learner.masked_softmax(strided, strided_mask), scores)

    expect_close(of_views, weights, "attention_weights", AXES, atol=ATOL)
    expect_responsive(learner, weights, scores, mask)


# ---- masked_softmax: numerics ----------------------------------------------------------------------------------------


def test_large_scores_do_not_overflow(learner, draw):
    """Adding the same number to all scores of a row changes no weight, even if it is 300.

    exp(300) is infinity in float32, and exp(-300) is 0. Subtracting the largest score of each row first costs nothing.
    """
    scores, _, _ = draw_even_scores(draw)
    shifts = [torch.tensor(300.0), torch.tensor(-300.0)]

    weights = weights_of(learner.masked_softmax(scores), scores)
    if torch.allclose(weights.double(), softmax_reference(scores), rtol=0, atol=ATOL):
        # Rows far above and far below their neighbours along every axis; where rows compete, which is judged elsewhere,
        # this would be another question.
        places = torch.meshgrid(*(torch.arange(length) for length in scores.shape[:-1]), indexing="ij")
        is_raised = (sum(places) + draw.integers(0, 2)) % 2 == 0
        shifts.append(torch.where(is_raised, 300.0, -300.0)[..., None])
    for shift in shifts:
        shifted = expect_finite(learner.masked_softmax(scores + shift), "attention_weights", AXES)
        expect_close(weights_of(shifted, scores), weights, "attention_weights", AXES, atol=ATOL_LARGE)

    expect_responsive(learner, weights, scores)


def test_large_masked_scores_stay_hidden(learner, draw):
    """Masked keys stay masked when their scores are 900 above all others.

    A softmax over all keys gives everything to the largest score: if that one is masked afterwards, nothing is left.
    """
    scores, mask, _ = draw_even_scores(draw)
    raised = torch.where(mask, scores, scores + 900)

    weights = weights_of(learner.masked_softmax(scores, mask), scores)
    with_raised = expect_finite(learner.masked_softmax(raised, mask), "attention_weights", AXES)

    expect_close(weights_of(with_raised, scores), weights, "attention_weights", AXES, atol=ATOL_LARGE)
    expect_responsive(learner, weights, scores, mask)


def test_no_attention_leaks_when_scores_are_low(learner, draw, observe):
    """Lowering all scores by 900 changes no weight, and lets nothing leak to masked keys.

    A fill such as -100 looks like minus infinity until the allowed scores are lower still: then the masked keys have
    the largest scores of all, and the attention goes to them.
    """
    scores, mask, allowed = draw_even_scores(draw)

    without_mask = expect_finite(learner.masked_softmax(scores - 900), "attention_weights", AXES)
    weights = weights_of(learner.masked_softmax(scores, mask), scores)
    lowered = expect_finite(learner.masked_softmax(scores - 900, mask), "attention_weights", AXES)

    observe(
        "The keys that the mask allows should get as much attention when all scores are 900 lower.",
        attention_on_allowed_keys=float(weights[..., allowed].sum(dim=-1).mean()),
        with_scores_900_lower=float(weights_of(lowered, scores)[..., allowed].sum(dim=-1).mean()),
    )
    expect_close(weights_of(lowered, scores), weights, "attention_weights", AXES, atol=ATOL_LARGE)
    expect_responsive(learner, weights_of(without_mask, scores), scores - 900)


def expect_dtype_kept(learner, draw, dtype, atol):
    """Expect weights of the scores' dtype, close to the learner's own float32 result for the same scores."""
    scores, mask = draw_scores_and_mask(draw)
    scores = scores.to(dtype)

    # Without a mask first: a cast of the scores shows here already, a mask of another dtype only below.
    expect_tensor(learner.masked_softmax(scores), "attention_weights", scores.shape, AXES, dtype)
    weights = expect_tensor(learner.masked_softmax(scores, mask), "attention_weights", scores.shape, AXES, dtype)

    in_float32 = weights_of(learner.masked_softmax(scores.float(), mask), scores)
    expect_close(weights.float(), in_float32, "attention_weights", AXES, atol=atol)
    expect_responsive(learner, weights.float(), scores, mask)


def test_float16_stays_float16(learner, draw):
    """Half-precision scores give half-precision weights.

    The most negative half is -65504: a fill of -1e9 does not exist there.
    """
    # One unit in the last place below 1 is 5e-4; forms that compute in half differ by up to 1.2e-3.
    expect_dtype_kept(learner, draw, torch.float16, atol=4e-3)


def test_bfloat16_stays_bfloat16(learner, draw):
    """bfloat16 scores give bfloat16 weights.

    A mask that is turned into a float32 tensor and added makes the result float32, and the next layer fails.
    """
    # One unit in the last place below 1 is 4e-3; forms that compute in bfloat16 differ by up to 1.2e-2.
    expect_dtype_kept(learner, draw, torch.bfloat16, atol=3e-2)


def test_float64_stays_float64(learner, draw):
    """Double-precision scores give double-precision weights.

    Gradient checks and reference computations run in double precision.
    """
    # The comparison is with float32, so its rounding is what there is to see.
    expect_dtype_kept(learner, draw, torch.float64, atol=ATOL)


# ---- arguments and devices -------------------------------------------------------------------------------------------


def test_scores_are_left_unchanged(learner, draw):
    """The call leaves the scores as they were.

    The caller may need them again: for a plot, for the backward pass, for another mask.
    """
    scores, mask = draw_scores_and_mask(draw)

    observed = learner.masked_softmax.observe(scores, mask)

    expect_unchanged(observed, ("scores", "mask"))
    expect_own_result(learner, weights_of(observed.value, scores), scores, mask)


def test_mask_is_left_unchanged(learner, draw):
    """The call leaves the mask as it was, fully masked rows included.

    One mask serves all layers: opening an empty row in place, to avoid NaN, opens it for everybody.
    """
    scores, mask = draw_scores_and_mask(draw)
    mask, _ = without_some_rows(draw, mask)

    observed = learner.masked_softmax.observe(scores, mask)

    expect_unchanged(observed, ("scores", "mask"))
    expect_own_result(learner, weights_of(observed.value, scores), scores, mask)


def expect_on_device(observed, what):
    """Expect a result on the device that the call was made on, and return it."""
    value = expect_tensor(observed.value, what)
    expect(
        observed.devices == ("pretend",),
        f"{what} should be on the device of the arguments, but is on the CPU: on a GPU the next operation would fail.",
    )
    return value


def test_padding_mask_is_made_where_the_lengths_are(learner, draw):
    """The padding mask is made on the device of the lengths.

    `torch.arange(max_len)` is on the CPU unless it is told where to be; on a GPU the comparison with the lengths fails.
    """
    size, lengths = draw_sentences(draw)

    observed = learner.on("pretend").create_padding_mask.observe(lengths, size.max_len)

    mask = expect_on_device(observed, "padding_mask")
    expect_split_at_lengths(rows_of(mask, size.batch, size.max_len), lengths)


def test_causal_mask_is_made_on_the_given_device(learner, draw):
    """The causal mask is made on the device that is asked for.

    There is no tensor among its arguments to take the device from, so it is an argument itself.
    """
    seq_len = draw.sizes("seq_len", low=6, high=12).seq_len

    observed = learner.on("pretend").create_causal_mask.observe(seq_len, learner.device)

    expect_past_and_future_differ(expect_on_device(observed, "causal_mask"))


def test_masks_are_combined_where_they_are(learner, draw):
    """The combined mask is on the device of the two masks.

    A result that is collected in a new tensor needs to be told where to be.
    """
    padding, causal, lengths = draw_pair_of_masks(draw)

    observed = learner.on("pretend").combine_masks.observe(padding, causal)

    mask = expect_on_device(observed, "combined_mask")
    expect_both_used(pairs_of(mask, padding.shape[0], causal.shape[0]), padding, causal, lengths)


def test_weights_are_computed_where_the_scores_are(learner, draw):
    """The weights are on the device of the scores.

    Any tensor that is made inside, of zeros or of minus infinity say, needs `device=scores.device`.
    """
    scores, mask = draw_scores_and_mask(draw)

    observed = learner.on("pretend").masked_softmax.observe(scores, mask)

    weights = weights_of(expect_on_device(observed, "attention_weights"), scores)
    expect_own_result(learner, weights, scores, mask)


@pytest.mark.accelerator
def test_same_on_an_accelerator(learner, draw):
    """On this machine's accelerator all four functions give what they give on the CPU.

    The real thing, where there is one: other kernels, other rounding, the same answer.
    """
    size, lengths = draw_sentences(draw)
    scores, mask = draw_scores_and_mask(draw)
    mask, _ = without_some_rows(draw, mask)
    there = learner.on("accelerator")
    padding, causal, _ = draw_pair_of_masks(draw)

    own_padding = expect_tensor(learner.create_padding_mask(lengths, size.max_len), "padding_mask")
    own_causal = expect_tensor(learner.create_causal_mask(size.max_len), "causal_mask")
    own_combined = expect_tensor(learner.combine_masks(padding, causal), "combined_mask")
    weights = weights_of(learner.masked_softmax(scores, mask), scores)

    expect_equal(there.create_padding_mask(lengths, size.max_len), own_padding, "padding_mask")
    expect_equal(there.create_causal_mask(size.max_len, learner.device), own_causal, "causal_mask")
    expect_equal(there.combine_masks(padding, causal), own_combined, "combined_mask")
    # Exponentials of other kernels differ by a few units in the last place: far below this.
    expect_close(weights_of(there.masked_softmax(scores, mask), scores), weights, "attention_weights", AXES, atol=ATOL)
    expect_split_at_lengths(rows_of(own_padding, size.batch, size.max_len), lengths)
    expect_responsive(learner, weights, scores, mask)
