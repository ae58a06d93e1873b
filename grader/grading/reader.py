"""The process that reads hand-ins of a class, so that nothing in there can harm the one that keeps the results."""

import sys
from pathlib import Path
from typing import Final

from grader.grading.line_process import take_standard_output
from grader.grading.messages import ReaderSettings, Reading, ReadingDone
from grader.intake.attempts import AttemptReader
from grader.intake.locate import locate_entries
from grader.model.errors import SubmissionError
from grader.model.submission import Entry, Submission

NOTHING: Final = "Nothing was handed in."


def main() -> None:
    """Read a hand-in for each line of standard input."""
    answers = take_standard_output()
    lines = sys.stdin.buffer
    settings = ReaderSettings.model_validate_json(lines.readline())
    attempts: AttemptReader | None = None
    for line in lines:
        reading = Reading.model_validate_json(line)
        try:
            submission = reading.submission
            if submission is None:
                attempts = attempts or AttemptReader(
                    Path(settings.source), exercise_ids=tuple(settings.promises), promises=settings.promises
                )
                submission = attempts.read(reading.hand_in)
            done = ReadingDone(submission=submission, entries=_locate(reading, submission, settings))
        except SubmissionError as error:
            done = ReadingDone(problem=str(error))
        except Exception as error:  # noqa: BLE001 - whatever is in there, the others are to be read
            done = ReadingDone(problem=f"it cannot be read: {type(error).__name__}: {error}")
        answers.write(done.model_dump_json().encode() + b"\n")
        answers.flush()


def _locate(reading: Reading, submission: Submission, settings: ReaderSettings) -> tuple[Entry, ...]:
    if reading.hand_in.chosen is None:
        return tuple(Entry(exercise=exercise, path=None, note=NOTHING) for exercise in settings.promises)
    entries = locate_entries(submission, settings.promises)
    return tuple(entries[exercise] for exercise in settings.promises)


if __name__ == "__main__":
    main()
