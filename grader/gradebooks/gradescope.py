"""Write one student's report as the ``results.json`` that Gradescope takes.

Source: gradescope/autograder_samples, ``docs/specs.md``.
"""

import json

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import CriterionResult
from grader.model.student_result import StudentResult
from grader.model.verdict import Verdict
from grader.report.finding import facts_of
from grader.report.grade_words import grade_sentences
from grader.report.harmless import harmless_line
from grader.report.outline import earned_all
from grader.report.sentences import SIGNS, bare, headline, title_of


def render_gradescope(result: StudentResult, feedback: FeedbackLevel, *, with_bonus: bool = False) -> str | None:
    """
    Return the JSON, with one test for each criterion; ``None`` for a student who has no grade.

    Args:
        result: What the student ends up with.
        feedback: How much of the report is shown.
        with_bonus: Whether the grade holds the bonus points, so that it may be more than all points.
    """
    grade = result.grade
    if grade is None or result.report is None:
        return None
    report = redact_report(result.report, feedback)
    tests = []
    for place, exercise in enumerate(report.exercises, 1):
        for number, criterion in enumerate(exercise.criteria, 1):
            if criterion.max_score <= 0:
                continue
            earned = earned_all(criterion)
            tests.append(
                {
                    "name": harmless_line(f"{exercise.id}: {title_of(criterion)}"),
                    "name_format": "text",
                    "number": f"{place}.{number}",
                    "score": criterion.score,
                    "max_score": criterion.max_score,
                    "status": "passed" if earned else "failed",
                    "output": "" if earned else "\n".join(_output(criterion)),
                    "output_format": "text",
                    "tags": [exercise.id, criterion.category.value],
                    "visibility": "visible",
                }
            )
    said = [harmless_line(sentence) for sentence in (headline(report), *grade_sentences(result), *report.notes)]
    document = {
        # After lateness and adjustments; without it Gradescope would add up the tests.
        "score": grade + (result.bonus if with_bonus else 0.0),
        "execution_time": round(report.seconds, 3),
        "output": "\n".join(said),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"submission_sha256": report.submission.sha256, "course_digest": report.course.digest},
    }
    return json.dumps(document, indent=2) + "\n"


def _output(criterion: CriterionResult) -> list[str]:
    lines = []
    for check in criterion.checks:
        if check.verdict in (Verdict.PASSED, Verdict.NOT_ASSESSED):
            continue
        lines.append(f"{SIGNS[check.verdict].symbol} {harmless_line(bare(check.title))}: {SIGNS[check.verdict].word}")
        lines += [f"   {fact.label}: {' / '.join(fact.lines)}" for fact in facts_of(check)]
    return lines
