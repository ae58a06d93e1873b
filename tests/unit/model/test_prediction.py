"""A prediction is read in whatever way it was typed, and nothing in it is run."""

import pytest

from grader.model.prediction import read_choice, read_number, read_numbers, read_order, same_value, show_value


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("64", 64),
        (" 64.0 ", 64),
        ("1/8", 0.125),
        ("12.5%", 0.125),
        ("sqrt(64)", 8),
        ("√64", 8),
        ("√(60 + 4)", 8),
        ("2^3", 8),
        ("2**3", 8),
        ("32^2 * 64", 65536),
        ("4 × 16 − 1", 63),
        ("= 3", 3),
        ("math.sqrt(16)", 4),
        ("ln(e)", 1),
        ("-1", -1),
        ("1e-3", 0.001),
        ("2*pi", 6.283185307179586),
    ],
)
def test_a_number_may_be_typed_as_people_type_it(typed: str, expected: float) -> None:
    """Fractions, roots and powers are numbers."""
    assert expected == pytest.approx(read_number(typed))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "found nothing"),
        ("many", "put the number in for many"),
        ("sqrt(d_k)", "put the number in for d_k"),
        ("1,000", "no thousands separator"),
        ("0,5", "decimal point"),
        ("9**9**9**9", "expected a number"),
        ("1/0", "expected a number"),
        ("(-1)**0.5", "expected a number"),
        ("__import__('os').system('true')", "expected a number"),
        ("(lambda: 1)()", "expected a number"),
        ("[1][0]", "expected a number"),
        ("True", "expected a number"),
        ("1e999", "finite"),
        ("(" * 150, "expected a number"),
        ("1" * 201, "at most 200 characters"),
        ("8 8", "expected a number"),
        ("\0", "expected a number"),
    ],
)
def test_what_is_no_number_is_refused_in_one_sentence(typed: str, said: str) -> None:
    """With what was expected; it is never evaluated as Python."""
    with pytest.raises(ValueError, match=".") as error:
        read_number(typed)

    assert said in str(error.value)
    assert 1 == len(str(error.value).splitlines())


@pytest.mark.parametrize(
    "typed",
    ["8, 64", "8,64", "(8, 64)", "[8, 64]", "8 64", "8; 64", "torch.Size([8, 64])", "(8), (64)", "sqrt(64), 8^2,"],
)
def test_several_numbers_may_be_typed_as_people_type_them(typed: str) -> None:
    """With brackets or without."""
    assert (8, 64) == read_numbers(typed, 2)


def test_the_wrong_count_of_numbers_is_refused() -> None:
    """It cannot be an answer, so it is not a wrong one."""
    with pytest.raises(ValueError, match="expected 2 numbers with commas between them, found '8'"):
        read_numbers("8", 2)


@pytest.mark.parametrize("typed", ["b", "B", "(b)", "b)", "b.", "only the output", "Only the output!"])
def test_a_choice_is_a_letter_or_the_words(typed: str) -> None:
    """Whatever stands around the letter."""
    assert "b" == read_choice(typed, ["only the weights", "only the output", "both"])


@pytest.mark.parametrize("typed", ["d", "ab", "output", "1"])
def test_what_is_no_option_is_refused(typed: str) -> None:
    """A part of the words says nothing for sure."""
    with pytest.raises(ValueError, match="expected one of the letters a, b, c"):
        read_choice(typed, ["only the weights", "only the output", "both"])


@pytest.mark.parametrize("typed", ["cab", "c a b", "C > A > B", "[c, a, b]", "c, a, b."])
def test_an_order_is_letters(typed: str) -> None:
    """With anything between them."""
    assert "cab" == read_order(typed, ["x", "y", "z"])


@pytest.mark.parametrize("typed", ["ca", "caab", "c a d", ""])
def test_an_order_has_each_letter_once(typed: str) -> None:
    """Or it cannot be an answer."""
    with pytest.raises(ValueError, match="expected"):
        read_order(typed, ["x", "y", "z"])


def test_values_are_shown_as_they_may_be_typed() -> None:
    """What is shown can be read again, within two digits."""
    assert ["8", "0.1667", "8, 0.5", "b", "c a b"] == [
        show_value(value) for value in (8.0, 1 / 6, (8.0, 0.5), "b", "cab")
    ]


def test_numbers_may_be_off_by_the_tolerance_and_letters_by_nothing() -> None:
    """The tolerance is a share of the right one."""
    assert same_value(0.17, 1 / 6, 0.02)
    assert not same_value(0.16, 1 / 6, 0.02)
    assert not same_value(65, 64, 0.0)
    assert not same_value("a", "b", 1.0)
    assert not same_value((1.0, 2.0), (1.0, 2.0, 3.0), 1.0)
