"""Hidden suite: halve"""

import torch

from grader.suite import expect_close


def test_predicts_half(answers):
    """You predict a half."""
    answers.expect_right("half")


def test_predicts_parity(answers):
    """You predict parity."""
    answers.expect_right("parity")


def test_measures_half(learner, answers, observe):
    """Your `halve` measures a half."""
    whole = answers.numbers("half")["whole"]
    got = learner.halve(torch.tensor(float(whole)))
    expect_close(got, torch.tensor(whole / 2), "half")
    if answers.is_answered("half"):
        observe(answers.pose("half").sentence, **answers.beside("half", got.item()))


def test_measures_parity(learner, answers, observe):
    """Your `halve` shows what is even."""
    even = answers.numbers("parity")["even"]
    got = learner.halve(torch.tensor([float(even), even + 1.0]))
    expect_close(got, torch.tensor([even / 2, even / 2 + 0.5]), "halves")
    if answers.is_answered("parity"):
        observe(answers.pose("parity").sentence, **answers.beside("parity", even / 2))
