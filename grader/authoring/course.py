"""Prove a whole course: each exercise, and that no file is left over."""

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring.kept import KeptProofs
from grader.authoring.prove import ExerciseProof, ExerciseProver
from grader.course.load import load_course
from grader.course.trees import CourseTrees
from grader.grading.client import Runner
from grader.grading.messages import RunnerSettings
from grader.model.course import Course, Exercise


@dataclass
class CourseProof:
    """What was tried on a course, and what was found wrong with it."""

    course: Course
    exercises: list[ExerciseProof]
    seeds: int
    chaff_seeds: int
    with_twins: bool
    with_mutants: bool
    partial: bool
    """Whether exercises of the course were left out."""
    problems: list[str] = field(default_factory=list)
    """What belongs to no single exercise."""

    @property
    def sound(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems and all(proof.sound for proof in self.exercises)

    def all_problems(self) -> Iterator[str]:
        """Yield every problem, each with its exercise."""
        yield from self.problems
        for proof in self.exercises:
            yield from (f"{proof.exercise}: {problem}" for problem in proof.problems)


def prove_course(
    trees: CourseTrees,
    only: Collection[str] = (),
    *,
    seeds: int,
    chaff_seeds: int,
    with_twins: bool = True,
    with_mutants: bool = False,
    jobs: int | None = None,
    keep: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> CourseProof:
    """
    Prove a course or some of its exercises.

    Args:
        trees: The course's files.
        only: Exercises to prove; all if empty.
        seeds: How often right code is graded.
        chaff_seeds: How often wrong code is graded.
        with_twins: Whether to try each mistake in its second form as well.
        with_mutants: Whether to try mutants of each solution; needs mutmut.
        jobs: How many exercises at a time; the number of cores if None.
        keep: A folder of kept proofs: what is in it and still holds is not proved again, and what is found sound is
            added.
        tell: Told what is being tried.
    """
    course = load_course(trees, only)
    tried = f"{seeds} and {chaff_seeds} seeds, twins: {with_twins}, mutants: {with_mutants}"
    kept = KeptProofs(keep, trees, tried) if keep else None

    def prove(exercise_id: str) -> ExerciseProof:
        exercise = course.exercise(exercise_id)
        proof = kept.read(exercise) if kept else None
        if proof is None:
            proof = prove_anew(exercise_id)
            if kept and proof.sound:
                kept.write(exercise, proof)
        return proof

    def prove_anew(exercise_id: str) -> ExerciseProof:
        with Runner(RunnerSettings(course=str(trees.root), only=(exercise_id,))) as runner:
            return ExerciseProver(
                runner=runner,
                trees=trees,
                exercise=course.exercise(exercise_id),
                seeds=seeds,
                chaff_seeds=chaff_seeds,
                with_twins=with_twins,
                with_mutants=with_mutants,
                tell=lambda what: tell(f"{exercise_id}: {what}"),
            ).prove()

    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        # What takes longest begins first, so that no core waits for it at the end.
        started = {
            exercise.id: pool.submit(prove, exercise.id)
            for exercise in sorted(course.exercises, key=lambda exercise: -_work_in(trees, exercise))
        }
        proofs = [started[exercise.id].result() for exercise in course.exercises]
    orphans = [] if only else list(find_orphans(trees, course))
    return CourseProof(
        course=course,
        exercises=proofs,
        seeds=seeds,
        chaff_seeds=chaff_seeds,
        with_twins=with_twins,
        with_mutants=with_mutants,
        partial=len(course.exercises) < len(course.settings.exercises),
        problems=orphans,
    )


def _work_in(trees: CourseTrees, exercise: Exercise) -> int:
    """Return about how much there is to grade, in checks."""
    return len(exercise.claims) * (len(trees.wheats(exercise.id)) + len(trees.chaffs(exercise.id)))


def find_orphans(trees: CourseTrees, course: Course) -> Iterator[str]:
    """Yield a sentence for each file of the course's trees that belongs to no exercise."""
    known = {trees.settings}
    for exercise in course.exercises:
        name = exercise.id
        known |= {trees.stub(name), trees.solution(name), trees.rubric(name), trees.suite(name)}
        known |= {trees.mutants(name), trees.questions(name)}
        if exercise.has_questions:
            known.add(trees.answers(name))
        known |= {*trees.wheats(name), *trees.chaffs(name), *map(trees.twin, trees.chaffs(name))}
        known.add(trees.pictures(name))
    for path in (*trees.graded_files(), *trees.all_pictures()):
        if path not in known:
            shown = path.relative_to(trees.root).as_posix()
            yield f"{shown} belongs to no exercise of rubrics/course.yaml; name it there or delete it."
