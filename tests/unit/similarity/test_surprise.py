"""Choices that are common each are not common all together."""

import random

from grader.similarity.surprise import Surprise

FORMS = 4
STATEMENTS = 30


def choose(chance: random.Random) -> list[int]:
    """One of the forms of each statement."""
    return [FORMS * statement + chance.randrange(FORMS) for statement in range(STATEMENTS)]


def test_only_the_pair_that_chose_everything_alike_is_surprising() -> None:
    """In a class in which a quarter wrote each form; who works alone shares a quarter by chance."""
    chance = random.Random(1)
    class_ = [choose(chance) for _ in range(200)]
    class_.append(list(class_[17]))
    nearly = list(class_[40])
    nearly[:4] = choose(chance)[:4]
    class_.append(nearly)

    assert [(17, 200), (40, 201)] == sorted((left, right) for _, left, right in Surprise(class_).pairs(12, 0.75))


def test_what_everybody_writes_says_nothing() -> None:
    """However much it is; and neither does an empty class, or one who wrote nothing."""
    assert [] == list(Surprise([[1, 2, 3]] * 20).pairs(1, 0.1))
    assert [] == list(Surprise([]).pairs(1, 0.1))
    assert [] == list(Surprise([[], []]).pairs(1, 0.1))


def test_a_few_statements_alike_are_not_enough() -> None:
    """Five statements in few forms are alike by chance in a class of a hundred."""
    chance = random.Random(2)
    class_ = [choose(chance)[:5] for _ in range(100)]

    assert [] == list(Surprise(class_).pairs(12, 0.75))
