"""Questions: halve"""

from grader.model.question import Question, Wrong

QUESTIONS = (
    Question(
        id="half",
        topic="what is half of a number",
        text="What is half of {whole}?",
        draw=lambda chance: {"whole": 2 * chance.randint(10, 400)},
        right=lambda n: n["whole"] / 2,
        sentence="Half of {whole} is what makes {whole} twice.",
        wrong=(
            Wrong("doubled", lambda n: n["whole"] * 2, "You doubled {whole}.", "Which way is half?"),
            Wrong("kept", lambda n: n["whole"], "You left {whole} as it is.", "What does a half do?"),
        ),
    ),
    Question(
        id="parity",
        topic="what is even",
        text="Which is even?",
        kind="choice",
        draw=lambda chance: {"even": 2 * chance.randint(10, 400)},
        options=lambda n: (str(n["even"]), str(n["even"] + 1), str(n["even"] + 3)),
        right=lambda n: 0,
        sentence="{even} is twice something.",
        wrong=(Wrong("odd_taken_for_even", lambda n: 1, "That is odd.", "The last digit."),),
    ),
)
