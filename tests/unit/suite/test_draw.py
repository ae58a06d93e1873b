"""Inputs are drawn afresh from the seed, and from nothing else."""

import pytest
import torch

from grader.suite.draw import Draw, seed_for


def test_the_same_seed_draws_the_same():
    """A report's seed repeats the run."""
    one, two = Draw(5), Draw(5)

    assert vars(one.sizes("a", "b", "c")) == vars(two.sizes("a", "b", "c"))
    assert torch.equal(one.normal(3, 4), two.normal(3, 4))


def test_each_check_has_a_seed_of_its_own():
    """Two checks with the same calls see other inputs."""
    assert seed_for(1, "heads", "one") != seed_for(1, "heads", "two")
    assert seed_for(1, "heads", "one") != seed_for(2, "heads", "one")


@pytest.mark.parametrize("seed", range(50))
def test_sizes_differ_pairwise(seed):
    """A swapped axis cannot pass."""
    sizes = vars(Draw(seed).sizes("a", "b", "c", "d", d_k=4, low=2, high=7))

    assert 5 == len(set(sizes.values()))
    assert 4 == sizes["d_k"]


def test_sizes_that_do_not_fit_are_refused():
    """Instead of a loop without end."""
    with pytest.raises(ValueError, match="3 different sizes do not fit between 2 and 3"):
        Draw(0).sizes("a", "b", "c", low=2, high=3)


@pytest.mark.parametrize("seed", range(30))
def test_a_permutation_moves_something(seed):
    """The identity would test nothing."""
    drawn = Draw(seed).permutation(3)

    assert [0, 1, 2] == drawn.sort().values.tolist()
    assert [0, 1, 2] != drawn.tolist()


@pytest.mark.parametrize("seed", range(30))
def test_lengths_differ_and_one_is_the_longest(seed):
    """Equal lengths would hide a mask that is given to the wrong sample."""
    lengths = Draw(seed).lengths(3, 6)

    assert 3 == len(set(lengths.tolist()))
    assert 6 == int(lengths.max())
    assert 1 <= int(lengths.min())


def test_numbers_are_remembered_for_diagnoses():
    """An explanation may name the sizes of the very check."""
    draw = Draw(0)
    size = draw.sizes("d_k")
    draw.remember(gain=2.5)

    assert {"d_k": size.d_k, "gain": 2.5} == draw.remembered
