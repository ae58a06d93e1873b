"""A question has numbers of each learner's own."""

from grader.model.question import Question, Wrong

ORDERED = Question(
    id="order",
    topic="an order",
    text="Order what is around {middle}.",
    draw=lambda chance: {"middle": chance.randint(10, 99)},
    kind="order",
    options=lambda n: (f"{n['middle'] - 1}", f"{n['middle']}", f"{n['middle'] + 1}"),
    right=lambda _: (0, 1, 2),
    sentence="{middle} is in the middle.",
    wrong=(Wrong("reversed", lambda _: (2, 1, 0), "You began at the other end of {middle}.", "The signs."),),
)


def test_the_same_seed_asks_the_same() -> None:
    """A file is graded from its seed alone."""
    assert ORDERED.pose(7).lines == ORDERED.pose(7).lines


def test_other_seeds_and_other_rounds_ask_something_else() -> None:
    """So answers cannot be passed around, and `--again` is no second try at the same."""
    asked = {ORDERED.pose(seed, round_).lines for seed in range(20) for round_ in range(3)}

    assert len(asked) > 50


def test_letters_follow_the_shuffled_options() -> None:
    """Right and wrong are given in the author's order, and answered in the learner's."""
    for seed in range(20):
        posed = ORDERED.pose(seed)
        shown = dict(zip("abc", map(int, posed.options), strict=True))
        ((wrong, value),) = posed.wrong()
        assert sorted(shown, key=shown.__getitem__) == list(str(posed.right))
        assert str(posed.right)[::-1] == value
        assert wrong is posed.mistake_in(posed.read(" > ".join(str(value))))


def test_a_question_says_what_answer_it_takes() -> None:
    """Beside the prompt."""
    assert "the letters a, b, c in order" == ORDERED.pose(1).form
