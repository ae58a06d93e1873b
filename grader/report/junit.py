"""Write a report as JUnit XML, which CI systems and learning platforms read."""

from xml.etree import ElementTree

from grader.model.advice import MISTAKES
from grader.model.report import CheckResult, CriterionResult, ExerciseReport, ScoreReport
from grader.model.verdict import Verdict
from grader.report import sentences
from grader.report.finding import Look, facts_of
from grader.report.harmless import excerpt, harmless, harmless_line

_OUTPUT_LINES = 200
_OUTPUT_COLUMNS = 500


def render_junit(report: ScoreReport) -> str:
    """
    Return the report as the XML that pytest calls ``xunit2``, in ASCII.

    A suite is an exercise and a case a check. A mistake is a ``failure``, the grader's own fault an ``error``;
    what is not begun, skipped or not judged here is ``skipped``. JUnit has no points, so they are properties of
    the suites. Where only points are shown, a case is a criterion. A bonus that is not earned is ``skipped``.
    """
    suites = ElementTree.Element("testsuites", {"name": harmless_line(report.course.title)})
    for exercise in report.exercises:
        _add_suite(suites, report, exercise)
    totals = {
        key: sum(int(suite.get(key, "0")) for suite in suites) for key in ("tests", "failures", "errors", "skipped")
    }
    suites.attrib.update({key: str(number) for key, number in totals.items()})
    suites.set("time", f"{report.seconds:.3f}")
    ElementTree.indent(suites)
    # Character references instead of characters: right in any encoding that a shell or a file adds.
    body = ElementTree.tostring(suites, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _add_suite(suites: ElementTree.Element, report: ScoreReport, exercise: ExerciseReport) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", {"name": harmless_line(exercise.id)})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties_of(report, exercise):
        ElementTree.SubElement(properties, "property", {"name": harmless_line(name), "value": harmless_line(value)})
    cases: list[str] = []
    for criterion in exercise.criteria:
        name = harmless_line(f"{exercise.id}.{criterion.id}")
        if criterion.checks:
            cases.extend(_add_check(suite, name, check, bonus=criterion.bonus) for check in criterion.checks)
        else:
            cases.append(_add_criterion(suite, harmless_line(exercise.id), criterion))
    suite.attrib.update(
        {
            "tests": str(len(cases)),
            "failures": str(cases.count("failure")),
            "errors": str(cases.count("error")),
            "skipped": str(cases.count("skipped")),
            "time": f"{exercise.seconds:.3f}",
        }
    )
    if exercise.output:
        output = ElementTree.SubElement(suite, "system-out")
        output.text = excerpt(exercise.output, _OUTPUT_LINES, _OUTPUT_COLUMNS).text


def _properties_of(report: ScoreReport, exercise: ExerciseReport) -> list[tuple[str, str]]:
    listed = [
        ("submission", report.submission.id),
        ("course", report.course.id),
        ("seed", str(report.seed)),
        ("complete", str(report.complete).lower()),
        ("score", sentences.number(exercise.score)),
        ("max_score", sentences.number(exercise.max_score)),
    ]
    if exercise.max_bonus > 0:
        listed.append(("bonus", sentences.number(exercise.bonus)))
        listed.append(("max_bonus", sentences.number(exercise.max_bonus)))
    for criterion in exercise.criteria:
        listed.append((f"criterion.{criterion.id}.score", sentences.number(criterion.score)))
        listed.append((f"criterion.{criterion.id}.max_score", sentences.number(criterion.max_score)))
    return listed


def _add_check(suite: ElementTree.Element, name: str, check: CheckResult, *, bonus: bool) -> str:
    """Add the case of a check, and return what became of it."""
    case = _add_case(suite, name, check.id, check.seconds)
    if check.verdict is Verdict.PASSED:
        return "passed"
    word = sentences.SIGNS[check.verdict].word
    # A bonus is nothing to fail by: the points of the suite are full without it.
    lost = "skipped" if bonus else "failure"
    outcome = lost if check.verdict in MISTAKES else "error" if check.verdict is Verdict.ERRORED else "skipped"
    said = sentences.what_happened(check)
    if check.mismatch is not None:
        said = f"{sentences.end(said)} {sentences.mismatch_sentence(check.mismatch)}"
    result = ElementTree.SubElement(
        case, outcome, {"message": harmless_line(f"{word}: {said}"), "type": check.verdict.value}
    )
    result.text = _text_of(check)
    return outcome


def _add_criterion(suite: ElementTree.Element, name: str, criterion: CriterionResult) -> str:
    case = _add_case(suite, name, criterion.id, 0.0)
    said = f"{sentences.title_of(criterion)}: {sentences.points(criterion.score, criterion.max_score)}"
    if criterion.max_score <= 0:
        ElementTree.SubElement(case, "skipped", {"message": harmless_line(said), "type": Verdict.NOT_ASSESSED.value})
        return "skipped"
    if criterion.score < criterion.max_score and criterion.bonus:
        ElementTree.SubElement(case, "skipped", {"message": harmless_line(said), "type": "bonus"})
        return "skipped"
    if criterion.score < criterion.max_score:
        ElementTree.SubElement(case, "failure", {"message": harmless_line(said), "type": "points"})
        return "failure"
    return "passed"


def _add_case(suite: ElementTree.Element, classname: str, name: str, seconds: float) -> ElementTree.Element:
    facts = {"classname": classname, "name": harmless_line(name), "time": f"{seconds:.3f}"}
    return ElementTree.SubElement(suite, "testcase", facts)


def _text_of(check: CheckResult) -> str:
    lines = [harmless(check.title)]
    for fact in facts_of(check):
        if fact.look is Look.SENTENCE:
            lines.append(f"{fact.label}: {fact.lines[0]}")
        elif fact.look is Look.COMPARISON:
            expected, got, *detail = fact.lines
            lines.extend(
                [f"{fact.label}:", f"  expected  {expected}", f"  got       {got}", *(f"  {d}" for d in detail)]
            )
        else:
            lines.extend([f"{fact.label}:", *(f"  {line}" for line in fact.lines)])
    return "\n".join(lines)
