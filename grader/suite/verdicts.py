"""Turn what happened in a check into its result."""

from typing import Final

from grader.model.course import CheckClaim
from grader.model.report import CheckResult, Observation
from grader.model.verdict import Verdict
from grader.sandbox.problems import CannotJudgeError, LearnerProblem, NotAssessedError
from grader.suite.expect import CheckFailed
from grader.suite.explain import explain_exception

_NOT_THAT_FAR: Final = (Verdict.MISSING, Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.SKIPPED)


def result_of(
    claim: CheckClaim, error: BaseException | None, observation: Observation | None, hint: str
) -> CheckResult:
    """
    Return the result of a check that was run.

    Args:
        claim: What the check claims.
        error: What its test function raised; None if nothing.
        observation: What it measured, if it is a concept check that came that far.
        hint: The hint of its criterion, given when it did not pass.
    """
    base = CheckResult(id=claim.id, title=claim.title, why=claim.why, verdict=Verdict.PASSED, observation=observation)
    if error is None:
        return base
    if isinstance(error, CannotJudgeError):
        return base.model_copy(update={"note": str(error)})
    if isinstance(error, NotAssessedError):
        return base.model_copy(update={"verdict": Verdict.NOT_ASSESSED, "rationale": str(error)})
    if isinstance(error, LearnerProblem):
        return base.model_copy(update=_describe_problem(error, hint))
    if isinstance(error, CheckFailed):
        facts = {"rationale": error.rationale, "mismatch": error.mismatch, "diagnosis": error.diagnosis}
        if error.mismatch is not None and error.mismatch.kind == "type":
            hint = ""  # what came back is no answer yet; the hint is about right and wrong ones
        return base.model_copy(update={"verdict": Verdict.FAILED, "hint": hint, **facts})
    if isinstance(error, AssertionError):
        return base.model_copy(update={"verdict": Verdict.FAILED, "hint": hint, "rationale": str(error)})
    where = _place_of(error)
    rationale = f"The check itself failed with {type(error).__name__}: {error}{where}"[:600]
    return base.model_copy(update={"verdict": Verdict.ERRORED, "rationale": rationale})


def _describe_problem(problem: LearnerProblem, hint: str) -> dict[str, object]:
    explanation = explain_exception(problem.type_name, problem.message) if problem.type_name else ""
    # The hint is about the criterion's idea: code that is not there, does not end or fails for a reason that is told
    # has not come that far.
    if problem.verdict in _NOT_THAT_FAR or explanation:
        hint = ""
    return {
        "verdict": problem.verdict,
        "hint": hint,
        "rationale": f"{problem.rationale} {explanation}".strip(),
        "message": f"{problem.type_name}: {problem.message}" if problem.message else "",
        "traceback": problem.frames,
    }


def _place_of(error: BaseException) -> str:
    traceback = error.__traceback__
    place = ""
    while traceback is not None:
        place = f" ({traceback.tb_frame.f_code.co_filename}, line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place
