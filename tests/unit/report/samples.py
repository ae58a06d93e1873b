"""Sample reports: every verdict, every feedback level, and what hostile or unlucky code leaves behind."""

from grader.model.feedback import FeedbackLevel
from grader.model.redaction import redact_report
from grader.model.report import (
    CheckResult,
    CourseStamp,
    CriterionResult,
    Diagnosis,
    Environment,
    ExerciseReport,
    Isolation,
    Measurement,
    Mismatch,
    Observation,
    ScoreReport,
    SubmissionStamp,
)
from grader.model.rubric import Category
from grader.model.submission import Flag, LearnerFrame
from grader.model.verdict import Verdict

ALL_LEVELS = tuple(FeedbackLevel)

TITLES = {
    "masking": "Masks and the masked softmax",
    "scaling": "Scaled dot-product attention",
    "heads": "Splitting and merging heads",
    "multihead": "Multi-head attention",
    "positional": "Positional encoding",
    "scores": "Score functions",
    "seq2seq": "Bahdanau attention in a decoder",
    "visualize": "Seeing attention",
    "complexity": "What attention costs",
    "transformer": "Encoder and decoder blocks",
    "concepts": "Predictions about attention",
}

# Text that tries to take over each of the formats.
HOSTILE = (
    "\x1b[31m[bold red]x[/] </script><script>alert(1)</script> ]]> &amp; \x00\x07\x9b2J "
    "\u202egnp.exe\u202c \ufeff\ufffe\ud800 `````` ![a](http://b.c) @everyone <!-- | \x1b]0;title\x07\x1b]8;;http://b.c\x07link"
    "\x1b]8;;\x07 {{ 7 * 7 }} :smile: \r\nnext\tline 'quoted' \"twice\""
)

SCALE_DIAGNOSIS = Diagnosis(
    misconception="scale_by_d_model",
    explanation="You divided the scores by the square root of d_model; each head has only d_k features.",
    look_at="The line that divides the scores, and the size that it takes the square root of.",
    fact="On 3 random draws your weights equal those of code that divides by √d_model.",
)
SCALE_MISMATCH = Mismatch(
    kind="value",
    what="attention_weights",
    index={"batch": 0, "num_heads": 1, "seq_q": 2, "seq_k": 3},
    expected="0.25",
    got="0.0",
    detail="12 of 120 entries differ, by up to 0.25",
)
SCALE_FRAME = LearnerFrame(
    file="scaling.py",
    line=14,
    function="scaled_dot_product_attention",
    source="scores = query @ key.transpose(-2, -1) / math.sqrt(d_model)",
)
VIEW_FRAMES = (
    LearnerFrame(file="heads.py", line=31, function="merge_heads", source="return join(x.transpose(1, 2))"),
    LearnerFrame(file="heads.py", line=9, function="join", source="return x.view(batch, seq_len, -1)"),
)


def make_check(check_id: str, verdict: Verdict = Verdict.PASSED, title: str = "", **fields: object) -> CheckResult:
    """A check with the texts that its verdict usually has; ``fields`` replaces them."""
    texts: dict[str, object] = {
        "title": title or f"{check_id.replace('_', ' ').capitalize()}.",
        "why": "Everything that comes later rests on it.",
        "seconds": 0.004,
    }
    if verdict is not Verdict.PASSED:
        texts["rationale"] = RATIONALES[verdict]
        texts["hint"] = "Write down the shape after each step."
    return CheckResult.model_validate({"id": check_id, "verdict": verdict, **texts, **fields})


RATIONALES = {
    Verdict.FAILED: "attention_weights has wrong values.",
    Verdict.TODO: "The stub still raises NotImplementedError.",
    Verdict.MISSING: "heads.py does not define merge_heads; did you mean merge_head?",
    Verdict.RAISED: "Your code raised RuntimeError: after a transpose, view finds axes that lie apart in memory.",
    Verdict.TIMED_OUT: "The call took longer than 5 s and was stopped.",
    Verdict.CRASHED: "Your code's process was killed: it used more than 2048 MiB of memory.",
    Verdict.BLOCKED: "scaling.py calls F.scaled_dot_product_attention, which is what you are asked to write.",
    Verdict.SKIPPED: "Not run, because weights_have_one_row_per_query did not pass.",
    Verdict.NOT_ASSESSED: "This machine has no accelerator.",
    Verdict.ERRORED: "The hidden suite stopped with an error of its own.",
}


def make_criterion(
    criterion_id: str, checks: tuple[CheckResult, ...], points: float = 2.0, title: str = "", category: str = "values"
) -> CriterionResult:
    """A criterion scored by the rule: all its points when every judged check passed, else none."""
    judged = [check for check in checks if check.verdict is not Verdict.NOT_ASSESSED]
    earned = bool(judged) and all(check.verdict is Verdict.PASSED for check in judged)
    return CriterionResult(
        id=criterion_id,
        category=Category(category),
        title=title or criterion_id.replace("_", " ").capitalize(),
        score=points if earned else 0.0,
        max_score=points if judged else 0.0,
        checks=checks,
    )


def make_exercise(exercise_id: str, criteria: tuple[CriterionResult, ...], **fields: object) -> ExerciseReport:
    """An exercise whose score is the sum of its criteria."""
    texts = {"title": TITLES.get(exercise_id, exercise_id), "source": f"{exercise_id}.py", "seconds": 0.31}
    return ExerciseReport.model_validate(
        {
            "id": exercise_id,
            "score": sum(criterion.score for criterion in criteria),
            "max_score": sum(criterion.max_score for criterion in criteria),
            "criteria": criteria,
            **texts,
            **fields,
        }
    )


def make_report(exercises: tuple[ExerciseReport, ...], **fields: object) -> ScoreReport:
    """A report whose score is the sum of its exercises, incomplete when a check is ``errored``."""
    verdicts = {check.verdict for exercise in exercises for check in exercise.checks}
    texts: dict[str, object] = {
        "course": CourseStamp(id="attention", title="Attention from scratch", digest="3f2a91c4" * 8),
        "submission": SubmissionStamp(id="aiko", sha256="ab" * 32, files=tuple(f"{e.id}.py" for e in exercises)),
        "environment": Environment(
            kit="0.1.0",
            python="3.12.7",
            torch="2.13.0",
            platform="Linux-6.1-x86_64",
            device="cpu",
            isolation=Isolation(level="strong", start_method="fork", layers=("landlock", "seccomp")),
        ),
        "seed": 1234,
        "score": sum(exercise.score for exercise in exercises),
        "max_score": sum(exercise.max_score for exercise in exercises),
        "complete": Verdict.ERRORED not in verdicts,
        "exercises": exercises,
        "seconds": 2.41,
    }
    return ScoreReport.model_validate({**texts, **fields})


def _right(exercise_id: str, points: float = 4.0) -> ExerciseReport:
    """An exercise at full marks."""
    return make_exercise(
        exercise_id,
        (
            make_criterion("shapes", (make_check("shape_is_right"), make_check("batch_of_one_stays")), points / 2),
            make_criterion("values", (make_check("values_are_right"),), points / 2),
        ),
    )


def _stub(exercise_id: str) -> ExerciseReport:
    """An exercise that is not begun."""
    todo = Verdict.TODO
    return make_exercise(
        exercise_id,
        (
            make_criterion("shapes", (make_check("shape_is_right", todo), make_check("one", Verdict.SKIPPED))),
            make_criterion("values", (make_check("values_are_right", todo),), 8.0),
        ),
    )


def scaling_by_d_model() -> ExerciseReport:
    """A recognised mistake that fails seven checks, with a trace, a mismatch and prints."""
    failed = {"diagnosis": SCALE_DIAGNOSIS, "mismatch": SCALE_MISMATCH}
    spread = Observation(
        numbers=(Measurement(label="std at d_k = 4", value=0.98213), Measurement(label="std at d_k = 256", value=7.91)),
        sentence="The spread of the scores stays near 1 as d_k grows.",
    )
    values = tuple(
        make_check(check_id, Verdict.FAILED, **failed)
        for check_id in ("small_draw", "wide_draw", "long_draw", "two_heads", "cross_attention")
    )
    first = make_check(
        "scores_are_divided_by_the_root_of_d_k",
        Verdict.FAILED,
        "The scores are divided by √d_k.",
        why="Without the right scale the softmax saturates for large d_k, and its gradient vanishes.",
        hint="Compare the spread of your scores before and after the division.",
        traceback=(SCALE_FRAME,),
        **failed,
    )
    return make_exercise(
        "scaling",
        (
            make_criterion(
                "shapes", (make_check("output_has_the_shape_of_value"),), 2.0, "Shapes come out right", "shapes"
            ),
            make_criterion("values", (first, *values), 10.0, "Weights and output equal the formula"),
            make_criterion(
                "concepts",
                (
                    make_check("spread_stays_near_one", Verdict.FAILED, observation=spread, **failed),
                    make_check("mean_of_equal_keys", observation=spread),
                ),
                4.0,
                "The scale keeps the spread",
                "concepts",
            ),
            make_criterion(
                "parity", (make_check("on_a_gpu", Verdict.NOT_ASSESSED),), 2.0, "The same on a GPU", "parity"
            ),
            make_criterion(
                "numerics",
                (make_check("half", note="Judged on the CPU only."), make_check("bfloat16")),
                4.0,
                "Half precision in, half precision out",
                "numerics",
            ),
        ),
        output="scores.shape = torch.Size([2, 3, 5, 7])\nd_model 12 d_k 4\n" * 3,
    )


def heads_by_view() -> ExerciseReport:
    """An exception at one line that several checks meet, and one wrong answer beside it."""
    raised = {"traceback": VIEW_FRAMES, "message": "RuntimeError: view size is not compatible with input tensor's size"}
    hint = "view needs axes that lie together in memory; after a transpose they do not."
    return make_exercise(
        "heads",
        (
            make_criterion(
                "split", (make_check("split_gives_each_head_an_axis"), make_check("split_keeps_tokens")), 3.0, "Split"
            ),
            make_criterion(
                "merge",
                (
                    make_check("merge_undoes_split", Verdict.RAISED, "Merging undoes splitting.", hint=hint, **raised),
                    make_check("merge_keeps_each_token", Verdict.RAISED, hint=hint, **raised),
                    make_check("merge_lays_heads_side_by_side", Verdict.SKIPPED),
                ),
                5.0,
                "Each token gets its parts back, in the order of the heads",
            ),
            make_criterion(
                "dtypes",
                (
                    make_check(
                        "split_keeps_the_dtype",
                        Verdict.FAILED,
                        "Splitting keeps the dtype.",
                        rationale="split_heads(x) should be float16, but is float32.",
                        mismatch=Mismatch(kind="dtype", what="split_heads(x)", expected="float16", got="float32"),
                    ),
                ),
                1.0,
                "The dtype stays",
                "numerics",
            ),
        ),
    )


def ordinary() -> ScoreReport:
    """The usual case: one exercise right, two with mistakes, two not begun."""
    return make_report(
        (_right("masking", 10.0), scaling_by_d_model(), heads_by_view(), _stub("multihead"), _stub("positional"))
    )


def untouched() -> ScoreReport:
    """The stubs as they were handed out."""
    return make_report(tuple(_stub(exercise_id) for exercise_id in list(TITLES)[:5]))


def full_marks() -> ScoreReport:
    """Everything right, with a concept check that measured something."""
    scaling = scaling_by_d_model()
    passed = scaling.criteria[2].checks[1]
    concepts = make_criterion("concepts", (passed,), 4.0, "The scale keeps the spread", "concepts")
    return make_report(
        (_right("masking"), make_exercise("scaling", (concepts,)), *(_right(e) for e in ("heads", "multihead")))
    )


def begun() -> ScoreReport:
    """No mistake so far, and the rest not begun."""
    return make_report((_right("masking"), _stub("scaling"), _stub("heads")))


def every_verdict() -> ScoreReport:
    """One exercise for each verdict, and one criterion of each kind."""
    exercises = tuple(
        make_exercise(
            f"case_{verdict.value}",
            (make_criterion("only", (make_check(f"is_{verdict.value}", verdict), make_check("ok"))),),
            title=f"An exercise with a check that is {verdict.value}",
        )
        for verdict in Verdict
    )
    return make_report(exercises)


def grader_failed() -> ScoreReport:
    """Nothing but the grader's own fault."""
    broken = make_criterion("values", (make_check("a", Verdict.ERRORED), make_check("b", Verdict.ERRORED)))
    return make_report((_right("masking"), make_exercise("scaling", (broken,))))


def partial() -> ScoreReport:
    """One exercise of many was graded, and it is right."""
    return make_report((_right("heads"),), complete=False)


def nothing_judged() -> ScoreReport:
    """A report whose ``max_score`` is zero."""
    check = make_check("on_a_gpu", Verdict.NOT_ASSESSED)
    return make_report((make_exercise("parity", (make_criterion("parity", (check,)),)),))


def no_exercises() -> ScoreReport:
    """A report without anything in it."""
    return make_report((), complete=False)


def notebook() -> ScoreReport:
    """A notebook in which one cell failed and a name was defined twice."""
    frame = LearnerFrame(file="attention.ipynb, cell 3", line=2, function="merge_heads", source="x.view(2, -1)")
    check = make_check("merge_undoes_split", Verdict.RAISED, traceback=(frame,), message="RuntimeError: view")
    exercise = make_exercise(
        "heads",
        (make_criterion("merge", (check,)),),
        source="attention.ipynb",
        notes=(
            "Cell 5 failed with NameError; the cells after it were run.",
            "split_heads is defined twice: cell 3 won.",
        ),
    )
    return make_report(
        (exercise,),
        submission=SubmissionStamp(id="佐藤 愛子", sha256="cd" * 32, files=("attention.ipynb",)),
        notes=("attention.ipynb was read as CP932.",),
        flags=(Flag(id="shadows_module", message="torch.py has the name of a library; it was not imported."),),
    )


def long_output() -> ScoreReport:
    """Prints of thousands of lines, very long lines, progress bars and colours."""
    text = "\n".join(f"step {step}: " + "0.123 " * 60 for step in range(3000))
    bars = "\r".join(f"{percent}%|{'█' * (percent // 10)}" for percent in range(101))
    exercise = scaling_by_d_model().model_copy(
        update={"output": f"\x1b[32mgreen\x1b[0m\n{bars}\n{text}", "output_dropped": 12345}
    )
    return make_report((exercise,))


def huge_traceback() -> ScoreReport:
    """Endless recursion, with lines of source that are far too long."""
    frames = tuple(
        LearnerFrame(
            file="heads.py",
            line=12 + index % 2,
            function="split_heads",
            source="return split_heads(x, " + "1 + " * 300 + "1)",
        )
        for index in range(900)
    )
    check = make_check(
        "split",
        Verdict.RAISED,
        traceback=frames,
        message="RecursionError: " + "maximum recursion depth exceeded " * 200,
    )
    return make_report((make_exercise("heads", (make_criterion("split", (check,)),)),))


def big(checks: int = 25) -> ScoreReport:
    """Eleven exercises of 25 checks, every sixth of which is wrong in a way of its own."""
    exercises = []
    for exercise_id in TITLES:
        every = [
            make_check(
                f"claim_{index}",
                Verdict.FAILED if index % 6 == 5 else Verdict.PASSED,
                f"Claim number {index} of {exercise_id} holds for sizes that are pairwise different.",
                mismatch=SCALE_MISMATCH if index % 6 == 5 else None,
                rationale=f"attention_weights has wrong values in case {index}." if index % 6 == 5 else "",
            )
            for index in range(checks)
        ]
        criteria = tuple(
            make_criterion(
                f"criterion_{start}", tuple(every[start : start + 3]), 2.0, f"Criterion {start} of the rubric"
            )
            for start in range(0, checks, 3)
        )
        exercises.append(make_exercise(exercise_id, criteria, output="hello\n" * 10))
    return make_report(tuple(exercises))


def hostile(text: str = HOSTILE) -> ScoreReport:
    """The same unfriendly text wherever a learner can put one."""
    frame = LearnerFrame(file=text, line=3, function=text, source=text)
    diagnosis = Diagnosis(misconception="m", explanation=text, look_at=text, fact=text)
    mismatch = Mismatch(kind="value", what=text, index={"batch": 1, text: 2}, expected=text, got=text, detail=text)
    observation = Observation(numbers=(Measurement(label=text, value=float("nan")),), sentence=text)
    fields: dict[str, object] = {
        "rationale": text,
        "hint": text,
        "why": text,
        "mismatch": mismatch,
        "observation": observation,
        "message": text,
        "traceback": (frame,),
        "note": text,
    }
    shown = make_check("first", Verdict.FAILED, title=text, diagnosis=diagnosis, **fields)
    raised = make_check("second", Verdict.RAISED, title=text, **fields)
    broken = make_check("third", Verdict.ERRORED, title=text, **fields)
    passed = make_check("fourth", Verdict.PASSED, title=text, observation=observation, note=text)
    exercise = make_exercise(
        "heads",
        (make_criterion("values", (shown, raised, broken, passed), title=text),),
        title=text,
        source=text,
        notes=(text,),
        output=text,
    )
    return make_report(
        (exercise,),
        course=CourseStamp(id="attention", title=text, digest="00"),
        submission=SubmissionStamp(id=text, sha256="00", files=(text,)),
        notes=(text,),
        flags=(Flag(id="odd", message=text),),
    )


def all_samples() -> dict[str, ScoreReport]:
    """Every sample by name, the ordinary one at each feedback level."""
    makers = (
        ordinary,
        untouched,
        full_marks,
        begun,
        every_verdict,
        grader_failed,
        partial,
        nothing_judged,
        no_exercises,
        notebook,
        long_output,
        huge_traceback,
        big,
        hostile,
    )
    samples = {maker.__name__: maker() for maker in makers}
    for level in ALL_LEVELS:
        samples[f"ordinary_{level.value}"] = redact_report(ordinary(), level)
    return samples
