"""Prove one exercise: stub, solution, wheats, chaffs, hollow answers and mutants each get just what they should."""

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring.equivalents import MutantCounts, judge_mutants, read_equivalents
from grader.authoring.hollow import hollow_answers
from grader.authoring.mutate import Mutant, make_mutants, normal_form
from grader.authoring.questions import find_ambiguities, wrong_sheets
from grader.course.answers import AnswerSheet, answers_file, right_answers, seed_in
from grader.course.load import load_chaffs
from grader.course.questions import load_questions
from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.messages import Graded, Job, ShowJob
from grader.model.course import Chaff, Exercise
from grader.model.picture import DrawnPicture
from grader.model.question import PREDICTS
from grader.model.report import CheckResult, Environment, ExerciseReport
from grader.model.submission import AnswersFile, Cell, Entry, SourceFile, Submission
from grader.model.verdict import Verdict

_UNDONE = frozenset({Verdict.TODO, Verdict.SKIPPED, Verdict.NOT_ASSESSED})
_SEEDS_FOR_SURVIVORS = 3
"""A mutant that one seed does not kill is tried on two more before it counts as a survivor."""


@dataclass
class Tally:
    """How often code of one kind was graded, and how often it did not get what it should."""

    gradings: int = 0
    wrong: int = 0

    @classmethod
    def sum(cls, tallies: "Iterable[Tally]") -> "Tally":
        """Return the tally of all of them."""
        counted = list(tallies)
        return cls(sum(tally.gradings for tally in counted), sum(tally.wrong for tally in counted))


@dataclass
class ExerciseProof:
    """What was tried on one exercise, and what was found wrong with it."""

    exercise: str
    checks: int
    wheats: int = 0
    wheats_accepted: int = 0
    chaffs: int = 0
    chaffs_rejected: int = 0
    chaffs_named: int = 0
    twins: int = 0
    twins_rejected: int = 0
    twins_named: int = 0
    hollow: int = 0
    hollow_refused: int = 0
    questions: int = 0
    wrong_answers: int = 0
    """Known wrong answers to questions, each with a named mistake."""
    wrong_answers_named: int = 0
    mutants: MutantCounts | None = None
    """None if no mutants were tried."""
    right_code: Tally = field(default_factory=Tally)
    """The solution and the wheats; wrong is a false rejection."""
    wrong_code: Tally = field(default_factory=Tally)
    """Chaffs and twins; wrong is one that does not lose just what it names."""
    gradings: int = 0
    environment: Environment | None = None
    """What it was graded with."""
    problems: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems


@dataclass
class ExerciseProver:
    """
    Grades an exercise's known code and compares with what it should get.

    Args:
        runner: Grades.
        trees: The course's files.
        exercise: The exercise.
        seeds: How often correct code is graded.
        chaff_seeds: How often wrong code is graded.
        with_twins: Whether to try each mistake in its second form as well.
        with_mutants: Whether to try mutants of the solution.
        first_seed: The lowest seed.
        tell: Told what is being tried.
    """

    runner: Runner
    trees: CourseTrees
    exercise: Exercise
    seeds: int
    chaff_seeds: int
    with_twins: bool = True
    with_mutants: bool = False
    first_seed: int = 0
    tell: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        self._proof = ExerciseProof(exercise=self.exercise.id, checks=len(self.exercise.claims))
        self._once_failed: set[str] = set()
        self._questions = load_questions(self.trees, self.exercise.id)

    def prove(self) -> ExerciseProof:
        """Try everything, and return the proof."""
        self._prove_rubric()
        self._prove_stub()
        self.prove_right_code()
        self.prove_wrong_code()
        self._prove_hollow()
        self._prove_answers()
        self._prove_pictures()
        if self.with_mutants:
            self._prove_mutants()
        self._prove_every_check_can_fail()
        return self._proof

    def prove_right_code(self) -> ExerciseProof:
        """Grade the solution and the wheats, and return what is known so far."""
        self._prove_right("solution", self.trees.solution(self.exercise.id))
        for path in self.trees.wheats(self.exercise.id):
            self._proof.wheats += 1
            self._proof.wheats_accepted += self._prove_right(f"wheat {path.stem}", path)
        return self._proof

    def prove_wrong_code(self) -> ExerciseProof:
        """Grade the chaffs and their twins, and return what is known so far."""
        for chaff in load_chaffs(self.trees, self.exercise.rubric):
            self._prove_chaff(chaff)
        return self._proof

    def _grade(
        self,
        text: str,
        seed: int,
        *,
        sheet: AnswerSheet | None = None,
        enforce_forbids: bool = True,
        fail_fast: bool = False,
    ) -> ExerciseReport:
        """Grade code, with these predictions or, if the exercise asks for any, with the right ones."""
        answers: tuple[AnswersFile, ...] = ()
        if self._questions and sheet is not None:
            answers = (answers_file(self.exercise.id, sheet, self._questions),)
        elif self._questions:
            answers = (right_answers(self.exercise.id, self._questions, seed),)
        submission, entry = self._submission(text, answers)
        job = Job(
            submission=submission, entries=(entry,), seed=seed, enforce_forbids=enforce_forbids, fail_fast=fail_fast
        )
        self._proof.gradings += 1
        *_, last = self.runner.grade(job)
        assert isinstance(last, Graded)
        self._proof.environment = last.report.environment
        (report,) = last.report.exercises
        for check in report.checks:
            if check.verdict is Verdict.ERRORED:
                self._complain(f"{check.id}: {check.rationale}")
        return report

    def _submission(self, text: str, answers: tuple[AnswersFile, ...] = ()) -> tuple[Submission, Entry]:
        path = f"{self.exercise.id}.py"
        submission = Submission(id=path, files=(SourceFile(path=path, cells=(Cell(text=text),)),), answers=answers)
        return submission, Entry(exercise=self.exercise.id, path=path)

    def _prove_rubric(self) -> None:
        for forbidden in self.exercise.rubric.forbids:
            try:
                pkgutil.resolve_name(forbidden.name)
            except (ImportError, AttributeError, ValueError):
                self._complain(
                    f"{self.trees.rubric(self.exercise.id).name} forbids {forbidden.name!r}, which cannot be imported "
                    "here, so nobody can use it: look at the spelling"
                )

    def _prove_stub(self) -> None:
        self.tell("stub")
        report = self._grade(self.trees.stub(self.exercise.id).read_text("utf-8"), seed=0, sheet=AnswerSheet(0))
        if report.score:
            self._complain(f"the untouched stub earns {report.score:g} points")
        for check in report.checks:
            if check.verdict not in _UNDONE:
                self._complain(f"the untouched stub gets {check.verdict} in {check.id}; expected todo")

    def _prove_right(self, name: str, path: Path) -> bool:
        """Return whether it gets full marks on every seed."""
        self.tell(name)
        text = path.read_text("utf-8")
        accepted = True
        for seed in range(self.first_seed, self.first_seed + self.seeds):
            report = self._grade(text, seed, enforce_forbids=path != self.trees.stand_in(self.exercise.id))
            lost = _lost(report)
            self._proof.right_code.gradings += 1
            self._proof.right_code.wrong += bool(lost)
            accepted = accepted and not lost
            for check in lost:
                self._complain(f"{name}, seed {seed}: {check.id} is {check.verdict}: {_say(check)}")
        return accepted

    def _prove_chaff(self, chaff: Chaff) -> None:
        path = self.trees.chaff(self.exercise.id, chaff.id)
        self._proof.chaffs += 1
        rejected, named = self._try_chaff(f"chaff {chaff.id}", chaff, path)
        self._proof.chaffs_rejected += rejected
        self._proof.chaffs_named += named
        twin = self.trees.twin(path)
        if self.with_twins and twin.is_file():
            self._proof.twins += 1
            rejected, named = self._try_chaff(f"twin {chaff.id}", chaff, twin)
            self._proof.twins_rejected += rejected
            self._proof.twins_named += named

    def _try_chaff(self, name: str, chaff: Chaff, path: Path) -> tuple[bool, bool]:
        """Return whether the chaff loses just what it should, and whether it is named, on every seed."""
        self.tell(name)
        text = path.read_text("utf-8")
        rejected = named = True
        for seed in range(self.first_seed, self.first_seed + self.chaff_seeds):
            report = self._grade(text, seed)
            self._proof.wrong_code.gradings += 1
            lost = {criterion.id for criterion in report.criteria if criterion.score < criterion.max_score}
            self._once_failed.update(check.id for check in _lost(report))
            if lost != set(chaff.loses):
                rejected = False
                self._proof.wrong_code.wrong += 1
                why = "; ".join(
                    f"{check.id}: {_say(check)}"
                    for criterion in report.criteria
                    if criterion.id in lost - set(chaff.loses)
                    for check in criterion.checks
                    if check.verdict is not Verdict.PASSED
                )
                self._complain(
                    f"{name}, seed {seed}: loses {_list(lost)}, expected {_list(chaff.loses)}. {why}".strip()
                )
            diagnoses = [check.diagnosis for check in report.checks if check.diagnosis]
            names = {diagnosis.misconception for diagnosis in diagnoses}
            if names != {chaff.misconception}:
                named = False
                self._complain(f"{name}, seed {seed}: is named {_list(names)}, expected {chaff.misconception!r}")
            elif chaff.numbers and all(diagnosis.explanation == chaff.explanation for diagnosis in diagnoses):
                self._complain(f"{name}: `numbers` names a size that no check which it fails has drawn or remembered")
        return rejected, named

    def _prove_hollow(self) -> None:
        solution = self.trees.solution(self.exercise.id).read_text("utf-8")
        for name, text in hollow_answers(solution, self.exercise.promises):
            self.tell(f"hollow {name}")
            report = self._grade(text, seed=0, sheet=AnswerSheet(0))
            passed = [check.id for check in report.checks if check.verdict is Verdict.PASSED]
            self._proof.hollow += 1
            self._proof.hollow_refused += not passed
            for check_id in passed:
                self._complain(f"an answer without work ({name}) passes {check_id}")

    def _prove_answers(self) -> None:
        """Each known wrong answer fails its own check and is named, and no right one fails."""
        for problem in find_ambiguities(self._questions):
            self._complain(problem)
        solution = self.trees.solution(self.exercise.id).read_text("utf-8")
        self._proof.questions = len(self._questions)
        self._prove_written_answers()
        for sheet, mistakes in wrong_sheets(self._questions, self.first_seed):
            self.tell("wrong answers")
            checks = {check.id: check for check in self._grade(solution, self.first_seed, sheet=sheet).checks}
            for question in self._questions:
                check = checks[f"{PREDICTS}{question.id}"]
                mistake = mistakes.get(question.id)
                self._proof.wrong_answers += mistake is not None
                named = check.diagnosis.misconception if check.diagnosis else ""
                if mistake is None and check.verdict is not Verdict.PASSED:
                    self._complain(f"{check.id} is {check.verdict} for the right answer")
                elif mistake and (check.verdict is not Verdict.FAILED or named != mistake.misconception):
                    self._complain(
                        f"{check.id} is {check.verdict}, named {named!r}, for the wrong answer {mistake.misconception}"
                    )
                elif mistake:
                    self._once_failed.add(check.id)
                    self._proof.wrong_answers_named += 1

    def _prove_written_answers(self) -> None:
        """The answers among the solutions are as they would be written now, so that they are right."""
        if not self._questions:
            return
        path = self.trees.answers(self.exercise.id)
        text = path.read_text("utf-8") if path.is_file() else ""
        if text != right_answers(self.exercise.id, self._questions, seed_in(text) or 0).text:
            command = f"grade course answers {self.exercise.id} > solutions/{path.name}"
            self._complain(f"solutions/{path.name} does not hold the right answers; write it with: {command}")

    def _prove_pictures(self) -> None:
        """Each picture is drawn with the solution, and shows something of the code, so that a stub draws none."""
        self.tell("pictures")
        for picture in self._show(self.trees.solution(self.exercise.id)):
            if picture.problem:
                self._complain(f"picture {picture.claim.name}, with the solution: {picture.problem}")
        for picture in self._show(self.trees.stub(self.exercise.id)):
            if not picture.problem:
                self._complain(f"picture {picture.claim.name} is drawn with the untouched stub, so of no code")

    def _show(self, path: Path) -> tuple[DrawnPicture, ...]:
        submission, entry = self._submission(path.read_text("utf-8"))
        return self.runner.show(ShowJob(submission=submission, entries=(entry,), form="svg"))

    def _prove_mutants(self) -> None:
        solution = self.trees.solution(self.exercise.id).read_text("utf-8")
        # If that were not so, every mutant would be killed, and none of them by its change.
        for check in _lost(self._grade(normal_form(solution), seed=0)):
            self._complain(f"the solution in the form that is mutated loses {check.id}: {_say(check)}")
        mutants = make_mutants(solution)
        listed = read_equivalents(self.trees, self.exercise.id)
        counts = judge_mutants(self.exercise.id, mutants, listed, self._is_killed)
        self._proof.mutants = counts
        for problem in counts.problems:
            self._complain(problem)

    def _is_killed(self, mutant: Mutant) -> bool:
        self.tell(f"mutant {mutant.name}")
        for seed in range(_SEEDS_FOR_SURVIVORS):
            # The first failure settles it. So a mutant that loops costs the limit of one call, and no more.
            lost = _lost(self._grade(mutant.text, seed, fail_fast=True))
            if lost:
                self._once_failed.update(check.id for check in lost if check.verdict is not Verdict.SKIPPED)
                return True
        return False

    def _prove_every_check_can_fail(self) -> None:
        report = self._grade(self.trees.solution(self.exercise.id).read_text("utf-8"), seed=0)
        for check in report.checks:
            if check.verdict is Verdict.PASSED and check.id not in self._once_failed:
                self._complain(
                    f"{check.id} failed for no chaff or mutant: add the mistake that it is there for, or drop it"
                )

    def _complain(self, problem: str) -> None:
        if problem not in self._proof.problems:
            self._proof.problems.append(problem)


def _lost(report: ExerciseReport) -> list[CheckResult]:
    return [check for check in report.checks if check.verdict not in (Verdict.PASSED, Verdict.NOT_ASSESSED)]


def _say(check: CheckResult) -> str:
    facts = check.mismatch
    detail = f" at {facts.index}: expected {facts.expected}, got {facts.got}, {facts.detail}" if facts else ""
    return f"{check.verdict}, {check.rationale}{detail} {check.message}".strip()


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
