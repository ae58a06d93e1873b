"""Each kind of code gets its verdict, with forked and with spawned workers."""

import textwrap

import pytest

from grader.grading.client import Runner
from grader.grading.messages import Graded, Job
from grader.model.submission import Cell, Entry, FileKind, SourceFile, Submission
from grader.model.verdict import Verdict
from grader.report.sentences import headline
from tests.conftest import GradeMini

RIGHT = """
def double(x, times):
    if times < 0:
        raise ValueError("negative")
    return x * 2 ** times
"""
LAYER = """
import torch
from torch import nn
from double import double

class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return double(x, 1) + self.shift
"""


def misbehaving(statement: str, imports: str = "") -> str:
    """The right answer, but for a statement that is run when doubling three times is asked for."""
    return f"""
{imports}
{RIGHT}
right = double

def double(x, times):
    if times == 3:
        {statement}
    return right(x, times)
"""


def verdicts(report):
    """Verdict by check, over all exercises."""
    return {check.id: check.verdict for exercise in report.exercises for check in exercise.checks}


def first(report):
    """The first check of the first exercise."""
    return report.exercises[0].checks[0]


def test_right_code_earns_full_marks(grade_mini: GradeMini) -> None:
    """All points, nothing to fix, no flag."""
    report = grade_mini(RIGHT)

    assert (4, 4, True) == (report.score, report.max_score, report.full_marks)
    assert () == report.flags


def test_a_long_file_is_read_to_its_end(grade_mini: GradeMini) -> None:
    """A notebook with much text in its cells is nothing unusual."""
    assert 4 == grade_mini(f"# {'a long remark ' * 20_000}\n{RIGHT}").score


@pytest.mark.parametrize(
    "double",
    [
        "twice = torch.compile(lambda x, times: x * 2 ** times)",
        "def twice(x, times):\n    return checkpoint(lambda x: x * 2 ** times, x, use_reentrant=False)",
    ],
)
def test_what_torch_would_write_files_for_works_without_any(double: str, grade_mini: GradeMini) -> None:
    """The compiler's modules ask for a folder when they are imported, which checkpoints do, too."""
    imports = "import torch\nfrom torch.utils.checkpoint import checkpoint\n"

    assert 4 == grade_mini(f"{imports}{double}\n{RIGHT.replace('x * 2 ** times', 'twice(x, times)')}").score


def test_what_is_begun_is_not_said_to_be_still_to_begin(grade_mini: GradeMini) -> None:
    """The first line names what is left."""
    report = grade_mini(RIGHT.replace("ValueError", "NotImplementedError"))

    assert 3 == report.score
    assert headline(report) == (
        "No mistake in what you have written. Next, in double: `double` is still to be written."
    )


def test_a_helper_that_is_still_a_stub_is_named_with_its_file(grade_mini: GradeMini) -> None:
    """The exercise itself is written, so nobody is sent there."""
    report = grade_mini(
        {
            "double.py": "from helper import twice\n\ndef double(x, times):\n    return twice(x)",
            "helper.py": "def twice(x):\n    raise NotImplementedError",
        }
    )

    assert first(report).verdict is Verdict.RAISED
    assert headline(report) == (
        "Fix this next, in double: `double` calls `twice` of helper.py, which is still to be written."
    )


def test_a_forgotten_return_is_what_the_first_line_asks_about(grade_mini: GradeMini) -> None:
    """The idea of the exercise is not what is missing."""
    report = grade_mini("def double(x, times):\n    x * 2 ** times")

    assert headline(report) == (
        "Fix this next, in double: double(x, 1) should be a tensor, but is None. Is there a `return` missing?"
    )
    assert "" == first(report).hint


def test_a_name_that_a_broken_cell_should_have_defined_is_missing_for_that_reason(mini_runner: Runner) -> None:
    """Its place and the exception are told where the name is missed."""
    cells = (Cell(label="cell 1", text="import torch"), Cell(label="cell 2", text="def double(x, times):\n    (x"))
    notebook = SourceFile(path="work.ipynb", kind=FileKind.NOTEBOOK, cells=cells)
    entry = Entry(exercise="double", path="work.ipynb")
    *_, last = mini_runner.grade(Job(submission=Submission(id="test", files=(notebook,)), entries=(entry,), seed=1))

    assert isinstance(last, Graded)
    assert first(last.report).verdict is Verdict.MISSING
    assert (
        "`double` is not there. work.ipynb, cell 2 failed at line 2 with SyntaxError: '(' was never closed"
        in first(last.report).rationale
    )


def test_a_stub_is_todo_and_not_a_failure(grade_mini: GradeMini) -> None:
    """The stub's own error means that nothing was begun."""
    report = grade_mini("def double(x, times):\n    raise NotImplementedError('later')")

    assert Verdict.TODO == first(report).verdict
    assert {Verdict.TODO, Verdict.SKIPPED} == set(verdicts(report).values())


def test_a_not_implemented_error_from_torch_is_no_todo(grade_mini: GradeMini) -> None:
    """torch raises this type as well, for what a learner did wrong."""
    report = grade_mini("import torch\ndef double(x, times):\n    return torch.nn.Module()(x)")

    assert Verdict.TODO != first(report).verdict


def test_a_wrong_answer_says_where_it_differs(grade_mini: GradeMini) -> None:
    """Named axes, both values, and the known mistake that it equals."""
    check = first(grade_mini("def double(x, times):\n    return x * 3 ** times"))

    assert Verdict.FAILED == check.verdict
    assert check.mismatch is not None
    assert {"batch": 0, "length": 0} == check.mismatch.index
    assert check.diagnosis is not None
    assert "triples" == check.diagnosis.misconception
    assert "on inputs of " in check.diagnosis.explanation


def test_an_exception_shows_the_learners_own_frames_only(grade_mini: GradeMini) -> None:
    """File, line and source of the learner's code; nothing of the kit or of torch."""
    source = textwrap.dedent("""
        def helper(x):
            return x.view(7, 7, 7)

        def double(x, times):
            return helper(x)
    """)

    check = first(grade_mini(source))

    assert Verdict.RAISED == check.verdict
    assert [("double.py", 6, "double"), ("double.py", 3, "helper")] == [
        (frame.file, frame.line, frame.function) for frame in check.traceback
    ]
    assert "return x.view(7, 7, 7)" == check.traceback[-1].source
    assert "RuntimeError" in check.rationale


def test_a_syntax_error_names_the_line(grade_mini: GradeMini) -> None:
    """One full story, and the other checks are skipped rather than repeated."""
    report = grade_mini("def double(x, times):\n    return x *\n")

    assert Verdict.RAISED == first(report).verdict
    assert 2 == first(report).traceback[-1].line
    assert {Verdict.RAISED, Verdict.SKIPPED} == set(verdicts(report).values())


def test_a_missing_name_is_missing(grade_mini: GradeMini) -> None:
    """Not an AttributeError of ours."""
    check = first(grade_mini("def dubble(x, times):\n    return x"))

    assert (Verdict.MISSING, "`double` is not there.") == (check.verdict, check.rationale)


@pytest.mark.parametrize(
    "ending", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)", "import ctypes; ctypes.string_at(0)"]
)
def test_a_process_that_dies_costs_the_check_and_not_the_run(grade_mini: GradeMini, ending: str) -> None:
    """The next check gets a fresh worker."""
    source = misbehaving(ending)
    report = grade_mini(source)

    assert {
        "doubles": Verdict.PASSED,
        "doubles_again": Verdict.CRASHED,
        "passes_gradients": Verdict.PASSED,
        "refuses_negative_times": Verdict.PASSED,
    } == verdicts(report)


def test_a_loop_without_end_is_timed_out_and_not_called_again(grade_forked: GradeMini) -> None:
    """The second call would only take as long, so it is skipped with the reason."""
    report = grade_forked("def double(x, times):\n    while True:\n        pass")

    assert Verdict.TIMED_OUT == first(report).verdict
    assert Verdict.SKIPPED == verdicts(report)["passes_gradients"]


def test_an_import_without_end_is_timed_out(grade_forked: GradeMini) -> None:
    """The message says that code outside functions runs at import."""
    check = first(grade_forked("while True: pass"))

    assert Verdict.TIMED_OUT == check.verdict
    assert "at import" in check.rationale


def test_exit_at_import_is_the_learners_error(grade_mini: GradeMini) -> None:
    """sys.exit raises, so it is told like any other exception."""
    check = first(grade_mini(f"import sys\n{RIGHT}\nsys.exit(0)"))

    assert Verdict.RAISED == check.verdict
    assert "SystemExit" in check.rationale


def test_too_much_memory_is_refused(grade_forked: GradeMini) -> None:
    """The limit is the rubric's, and the worker goes on."""
    source = misbehaving("torch.ones(2 ** 30)", "import torch")
    report = grade_forked(source)

    assert Verdict.RAISED == verdicts(report)["doubles_again"]
    assert Verdict.PASSED == verdicts(report)["passes_gradients"]


def test_prints_and_warnings_are_kept_apart_and_cost_nothing(grade_mini: GradeMini) -> None:
    """They are shown, never scored."""
    source = f"import warnings, sys\nprint('hello')\nwarnings.warn('careful')\n{RIGHT}"

    report = grade_mini(source)

    assert 4 == report.score
    assert "hello" in report.exercises[0].output
    assert "careful" in report.exercises[0].output


def test_a_flood_of_output_is_capped(grade_forked: GradeMini) -> None:
    """4 KiB are kept by the rubric, the rest is counted."""
    report = grade_forked(f"print('x' * 1_000_000)\n{RIGHT}")

    assert 4 == report.score
    assert 4096 == len(report.exercises[0].output)
    assert report.exercises[0].output_dropped > 900_000


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("name = input('Name? ')", "EOFError at double.py, line 3. While code is graded nobody can type"),
        ("open('x.txt', 'w')", "PermissionError at double.py, line 3. While code is graded it cannot write files"),
        ("os.makedirs('out')", "PermissionError at double.py, line 3. While code is graded it cannot write files"),
    ],
)
def test_what_a_file_cannot_do_while_it_is_graded_is_told(grade_mini: GradeMini, line: str, what: str) -> None:
    """Nobody is there to type, and nothing can be written; the line may stay, where it is run by hand only."""
    by_hand = 'if __name__ == "__main__":'
    check = first(grade_mini(f"import os\n\n{line}\n{RIGHT}"))

    assert what in check.rationale
    assert by_hand in check.rationale
    assert 4 == grade_mini(f"{RIGHT}\n{by_hand}\n    {line}\n").score


def test_show_does_not_block(grade_mini: GradeMini) -> None:
    """A plot at import is harmless."""
    report = grade_mini(f"import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n{RIGHT}")

    assert 4 == report.score


@pytest.mark.parametrize(
    "lines",
    [
        "import matplotlib\nmatplotlib.use('TkAgg')\nimport matplotlib.pyplot as plt",
        "import matplotlib.pyplot as plt\nplt.switch_backend('QtAgg')",
    ],
)
def test_a_backend_with_windows_may_be_asked_for(grade_mini: GradeMini, lines: str) -> None:
    """It is a usual line; no window opens, and what is drawn goes nowhere."""
    assert 4 == grade_mini(f"{lines}\nplt.plot([1, 2])\nplt.show()\n{RIGHT}").score


@pytest.mark.parametrize("line", ["plt.savefig('x.png')", "plt.gcf().savefig('x.png')", "plt.show()"])
def test_a_figure_that_is_saved_or_shown_at_import_costs_nothing(grade_mini: GradeMini, line: str) -> None:
    """Nobody would see it, and the code is right; nothing is printed about that either."""
    report = grade_mini(f"import matplotlib.pyplot as plt\nplt.plot([1, 2])\n{line}\n{RIGHT}")

    assert (4, "") == (report.score, report.exercises[0].output)


def test_what_one_submission_imports_no_other_one_has(grade_mini: GradeMini) -> None:
    """A colour map of seaborn's is for who imports it, whoever was graded before."""
    pytest.importorskip("seaborn")
    draws = f"import matplotlib.pyplot as plt\nplt.get_cmap('mako')\n{RIGHT}"

    reports = [grade_mini(f"import seaborn\n{draws}"), grade_mini(draws)]

    assert [4, 0] == [report.score for report in reports]
    assert "" == reports[0].exercises[0].output


def test_what_a_file_sets_for_the_whole_process_is_undone(grade_mini: GradeMini) -> None:
    """Default dtype, grad mode and arguments are back before the checks."""
    settings = "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\nsys.argv = []"
    source = f"import torch, sys\n{settings}\n{RIGHT}"

    assert 4 == grade_mini(source).score


def test_a_wrong_sibling_costs_nothing_in_what_builds_on_it(grade_mini: GradeMini) -> None:
    """layer sees a stand-in for double."""
    report = grade_mini({"double.py": "def double(x, times):\n    return x * 5", "layer.py": LAYER}, ("layer",))

    assert 3 == report.score


def test_a_sibling_that_does_not_import_costs_nothing(grade_mini: GradeMini) -> None:
    """The stand-in needs nothing of it."""
    report = grade_mini({"double.py": "import nothing_of_this_name", "layer.py": LAYER}, ("layer",))

    assert 3 == report.score


@pytest.mark.parametrize("source", ["while True: pass", "import os\nos._exit(0)"])
def test_a_sibling_that_does_not_finish_importing_costs_nothing(grade_mini: GradeMini, source: str) -> None:
    """It is left out, and the learner is told."""
    report = grade_mini({"double.py": source, "layer.py": LAYER}, ("layer",))

    assert 3 == report.score
    assert "double.py" in report.exercises[0].notes[-1]


def test_a_file_that_does_not_finish_by_itself_is_blamed_although_there_is_a_sibling(grade_mini: GradeMini) -> None:
    """Leaving the sibling out would not help, and is not what the learner reads."""
    report = grade_mini({"double.py": RIGHT, "layer.py": f"{LAYER}\nimport os\nos._exit(0)"}, ("layer",))

    assert Verdict.CRASHED is first(report).verdict
    assert not report.exercises[0].notes


def test_a_sibling_that_is_not_there_costs_nothing(grade_mini: GradeMini) -> None:
    """Somebody may begin with the second exercise."""
    assert 3 == grade_mini({"layer.py": LAYER, "other.py": ""}, ("layer",)).score


def test_a_helper_from_a_sibling_is_the_learners_own(grade_mini: GradeMini) -> None:
    """Only the promised names are replaced."""
    double = "def double(x, times):\n    return x * 5\n\ndef zero(x):\n    return x * 0"
    layer = LAYER.replace("from double import double", "from double import double, zero").replace(
        "+ self.shift", "+ self.shift + zero(x)"
    )

    assert 3 == grade_mini({"double.py": double, "layer.py": layer}, ("layer",)).score


def test_a_helper_from_a_sibling_that_fails_is_told_as_that_failure(grade_mini: GradeMini) -> None:
    """Not as a name that cannot be imported."""
    layer = LAYER.replace("from double import double", "from double import double, zero")

    check = first(grade_mini({"double.py": "1 / 0", "layer.py": layer}, ("layer",)))

    assert "ZeroDivisionError" in check.rationale


def test_a_definition_with_other_parameters_is_the_learners_own(grade_mini: GradeMini) -> None:
    """A stand-in would not fit the learner's calls."""
    double = "def double(x):\n    return x * 2"
    layer = LAYER.replace("double(x, 1)", "double(x)")

    assert 3 == grade_mini({"double.py": double, "layer.py": layer}, ("layer",)).score


def test_a_definition_with_other_parameter_names_gets_the_stand_in(grade_mini: GradeMini) -> None:
    """The learner's keywords still work."""
    double = "def double(tensor, n):\n    return tensor * 5"
    layer = LAYER.replace("double(x, 1)", "double(n=1, tensor=x)")

    assert 3 == grade_mini({"double.py": double, "layer.py": layer}, ("layer",)).score


def test_more_parameters_that_are_not_given_change_nothing(grade_mini: GradeMini) -> None:
    """A mistake costs points once, whatever else the definition could do."""
    double = "def double(x, times, dropout=None):\n    return x * 5"

    assert 3 == grade_mini({"double.py": double, "layer.py": LAYER}, ("layer",)).score
    given = LAYER.replace("double(x, 1)", "double(x, 1, 'given')")
    assert 0 == grade_mini({"double.py": double, "layer.py": given}, ("layer",)).score


OWN_DOUBLE = LAYER.replace("from double import double", "def double(x, times):\n    return x * FACTOR").replace(
    "double(x, 1)", "double(x, 0) * FACTOR / 2"
)


@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("beside", [{"double.py": RIGHT}, {}])
def test_what_an_exercises_own_file_defines_is_the_learners_own(
    grade_forked: GradeMini, beside: dict[str, str], factor: int
) -> None:
    """It may do something else under an earlier exercise's name; and what is wrong with it costs its points here."""
    layer = OWN_DOUBLE.replace("FACTOR", str(factor))

    assert (3 if factor == 2 else 0) == grade_forked({"layer.py": layer, **beside}, ("layer",)).score


@pytest.mark.parametrize("beside", [{"double.py": RIGHT}, {}])
def test_in_a_notebook_a_name_answers_an_earlier_exercise_that_has_no_file(
    mini_runner: Runner, beside: dict[str, str]
) -> None:
    """There it is replaced, since a mistake costs its points in that exercise."""
    cells = (Cell(label="cell 1", text=OWN_DOUBLE.replace("FACTOR", "2")),)
    others = (SourceFile(path=path, cells=(Cell(text=text),)) for path, text in beside.items())
    files = (SourceFile(path="work.ipynb", kind=FileKind.NOTEBOOK, cells=cells), *others)
    entry = Entry(exercise="layer", path="work.ipynb")
    *_, last = mini_runner.grade(Job(submission=Submission(id="test", files=files), entries=(entry,), seed=1))

    assert isinstance(last, Graded)
    assert (3 if beside else 0) == last.report.score


@pytest.mark.parametrize(
    "line", ["from .double import double", "import double as d; double = d.double", "from work.double import double"]
)
def test_siblings_are_found_however_they_are_imported(grade_mini: GradeMini, line: str) -> None:
    """As a sibling, relative, or through the folder."""
    layer = LAYER.replace("from double import double", line)

    assert (
        3
        == grade_mini(
            {"work/double.py": RIGHT, "work/layer.py": layer, "double.py": "", "layer.py": layer}, ("layer",)
        ).score
    )


def test_one_file_may_define_everything(grade_mini: GradeMini) -> None:
    """The wrong double in it costs its own points and no others."""
    text = "def double(x, times):\n    return x * 5\n" + LAYER.replace("from double import double\n", "")

    report = grade_mini({"all.py": text}, ("double", "layer"))

    assert [0, 3] == [report.exercises[0].criteria[0].score, report.exercises[1].score]


def test_a_file_named_like_a_library_does_not_shadow_it(grade_mini: GradeMini) -> None:
    """The learner's other files need the real one."""
    report = grade_mini(
        {"double.py": f"import torch, math\ntorch.ones(1)\n{RIGHT}", "torch.py": "1/0", "math.py": "1/0"}
    )

    assert 4 == report.score


def test_fail_fast_stops_at_the_first_mistake(grade_forked: GradeMini) -> None:
    """What is left is skipped, and says why."""
    report = grade_forked(
        {"double.py": "def double(x, times):\n    return x", "layer.py": LAYER}, ("double", "layer"), fail_fast=True
    )

    assert Verdict.SKIPPED == report.exercises[1].checks[0].verdict
    assert "asked to stop" in report.exercises[1].checks[0].rationale


def test_the_same_seed_gives_the_same_report(grade_forked: GradeMini) -> None:
    """But for times."""
    first_report, second_report = (grade_forked("def double(x, times):\n    return x * 3", seed=7) for _ in range(2))

    assert without_times(first_report) == without_times(second_report)


def test_another_seed_draws_other_inputs(grade_forked: GradeMini) -> None:
    """Hard-coded answers cannot survive."""
    one, two = (grade_forked("def double(x, times):\n    return x * 3", seed=seed) for seed in (1, 2))

    assert first(one).mismatch != first(two).mismatch


def without_times(value):
    """A report as plain data without its seconds."""
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "seconds"}
    return [without_times(item) for item in value] if isinstance(value, (list, tuple)) else value


def test_a_concept_check_shows_its_numbers(grade_forked: GradeMini) -> None:
    """Two numbers and a sentence, also when it passes."""
    observation = first(grade_forked(RIGHT)).observation

    assert observation is not None
    assert ("Twice is twice.", 2) == (observation.sentence, len(observation.numbers))


def test_what_was_forged_is_a_crash_with_a_flag(grade_mini: GradeMini) -> None:
    """Bytes that are no frame earn nothing, and somebody should look."""
    source = misbehaving("os.write(3, b'x' * 64)", "import os")
    report = grade_mini(source)

    assert Verdict.CRASHED == verdicts(report)["doubles_again"]
    assert ["protocol"] == [flag.id for flag in report.flags]


def test_code_that_cannot_be_searched_to_its_end_is_graded_with_a_flag(grade_forked: GradeMini) -> None:
    """It may hide what is not allowed, so its points are for a person to look at."""
    tangle = "".join(f"        times = times.part_{number}\n" for number in range(15))
    report = grade_forked(f"import torch\n{RIGHT}    if times < 0:\n        times = torch\n{tangle}")

    assert report.full_marks
    assert ["unsearched"] == [flag.id for flag in report.flags]
    assert "What is not allowed in double could not be looked for in all of the code" in report.flags[0].message


@pytest.mark.parametrize(
    "value",
    [
        "None",
        "'text'",
        "(1, 2, 3)",
        "x.new_zeros(2, 2, 2)",
        "x * float('nan')",
        "7",
        "object()",
        "{1: x}",
        "x.to_sparse()",
        "x.double()",
    ],
)
def test_garbage_is_never_the_graders_fault(grade_mini: GradeMini, value: str) -> None:
    """Whatever comes back, the check fails with a sentence."""
    report = grade_mini(f"def double(x, times):\n    return {value}")

    assert report.complete
    assert Verdict.FAILED == first(report).verdict
