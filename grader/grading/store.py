"""Keep what was graded: one transaction for each submission, so that nothing is lost, doubled or half-written."""

import contextlib
import hashlib
import re
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self

import sqlalchemy as sa
from pydantic import AwareDatetime
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from grader.grading.tables import METADATA, SCHEMA, adjustments, courses, facts, gradings, results, runs, submissions
from grader.model.adjustment import Adjustment, adjustments_in_force
from grader.model.base import Model
from grader.model.classroom import HandIn, Student
from grader.model.course import Course
from grader.model.errors import GraderError, RequestError
from grader.model.extras import install_command
from grader.model.grade import Grade, compute_grade
from grader.model.late import assess_lateness
from grader.model.outcome import Outcome, Scoring, outcome_of
from grader.model.report import ScoreReport
from grader.model.rescore import rescore_report
from grader.model.student_result import PointsChange, Standing, StudentResult
from grader.model.submission import Submission

_RUNS: Final = sa.select(runs, courses.c.course, courses.c.verdicts_digest).join(courses)
_PAGE: Final = 200
"""Results that are read at a time: few enough to hold no lock for long, and no memory."""
_ZLIB_LEVEL: Final = 1
"""Reports shrink to a quarter; higher levels take several times as long for a tenth more."""


class StoreError(GraderError):
    """The store cannot be read or written."""


class NotInStoreError(StoreError, RequestError):
    """There is no such store, or no such run in it."""


class Status(StrEnum):
    """How far a student's submission has come in a run."""

    WAITING = "waiting"
    """Not graded yet: the run was interrupted, or is still going on."""
    GRADED = "graded"
    ERRORED = "errored"
    """The grader failed, twice: no grade."""


class _About(Model):
    """The part of a run that is kept as one text."""

    kind: Literal["batch", "regrade", "rescore"]
    base: int | None = None
    """The run that was regraded or rescored."""
    source: str = ""
    """Where the class's work lay."""
    layout: str = ""
    started_at: AwareDatetime
    kit: str
    """What graded; see `kit_stamp`."""
    seed: int
    exercises: tuple[str, ...]
    """What was graded, in teaching order."""
    again: bool = False
    """Whether everything was to be graded anew, although it had been graded before."""
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    """Paths in the source that belong to nobody."""


class Run(_About):
    """One grading of a class."""

    number: int = 0
    finished_at: AwareDatetime | None = None
    """None: not every submission has its result yet."""
    course: Course
    verdicts_digest: str
    """Runs that agree in it can be scored by each other's rubrics."""


class KnownGrading(NamedTuple):
    """A grading that is there already."""

    id: int
    outcome: Outcome


@dataclass(frozen=True)
class StoredResult:
    """One student of a run. Reports are read when they are asked for, because they are large."""

    run: Run
    hand_in: HandIn
    status: Status
    content: str | None
    """Key of what was graded; equal for equal submissions."""
    outcome: Outcome | None
    """Verdicts, misconceptions and flags, without the report's texts; None while waiting."""
    grade: Grade | None
    """Points after adjustments and lateness; None while waiting. Its ``final`` is None if the grader failed."""
    problem: str
    """What the grader failed on, in one line, if it did."""
    _store: "Store" = field(repr=False, compare=False)
    _grading: int | None = field(repr=False)

    @property
    def student(self) -> Student:
        """Whose it is."""
        return self.hand_in.student

    @property
    def handed_in(self) -> bool:
        """Whether there was anything to grade."""
        return self.hand_in.chosen is not None

    def report(self) -> ScoreReport | None:
        """Return the full report by the checks alone, unredacted; None while waiting."""
        if self._grading is None:
            return None
        report = self._store.read_report(self._grading)
        if report.course.digest != self.run.course.digest:
            report = rescore_report(report, self.run.course)
        stamp = report.submission.model_copy(update={"id": self.student.id})
        return report.model_copy(update={"submission": stamp, "notes": (*self.hand_in.notes, *report.notes)})

    def student_result(self) -> StudentResult | None:
        """Return what goes out for this student; None while waiting."""
        report, grade = self.report(), self.grade
        if report is None or grade is None:
            return None
        attempt = self.hand_in.counted
        extra = {(points.exercise, points.criterion) for points in grade.criteria if points.bonus}
        standing = Standing.GRADED if self.handed_in else Standing.NOT_SUBMITTED
        if grade.final is not None:
            report = report.model_copy(update={"complete": True})  # what was errored has been settled by hand
        return StudentResult(
            student=self.student,
            standing=Standing.ERRORED if grade.final is None else standing,
            report=report,
            submitted_at=attempt.submitted_at if attempt else None,
            late_points=grade.late_points,
            lateness=grade.late,
            late_why=grade.late.note,
            adjustments=tuple(
                PointsChange(
                    exercise=applied.adjustment.exercise,
                    criterion=applied.adjustment.criterion,
                    points=applied.after - applied.before,
                    why=applied.adjustment.why,
                    author=applied.adjustment.author,
                    bonus=applied.adjustment.place in extra,
                )
                for applied in grade.adjustments
            ),
            final=grade.final,
            max_score=grade.max_score,
            bonus=grade.bonus,
            max_bonus=grade.max_bonus,
            in_roster=self.hand_in.in_roster,
            problem=self.problem,
        )

    def submission(self) -> Submission | None:
        """Return what was graded, as text; None while waiting."""
        return self._store.read_submission(self.content, self.student.id) if self.content else None


class Store:
    """
    Results of a course's classes. One process writes; any number may read.

    Args:
        url: What SQLAlchemy opens.
        shown: How messages call it.
        create: Whether to make it if it is not there yet.
        timeout_s: How long to wait for somebody else's lock.
    """

    def __init__(self, url: sa.URL, shown: str, *, create: bool, timeout_s: float = 30.0) -> None:
        self.shown = shown
        self._writes = create
        # How long to wait: for a lock in a file, for a server that does not answer.
        waits = {"sqlite": "timeout", "postgresql": "connect_timeout"}.get(url.get_backend_name())
        arguments: dict[str, Any] = (
            {waits: max(2, int(timeout_s)) if waits != "timeout" else timeout_s} if waits else {}
        )
        self._engine = sa.create_engine(url, connect_args=arguments)
        if self._engine.dialect.name == "sqlite":
            sa.event.listen(self._engine, "connect", _set_up_sqlite)
            sa.event.listen(self._engine, "begin", _begin_sqlite)
        try:
            if create:
                self._keep_journal("WAL")
            with self._transaction(writes=create) as connection:
                _check_schema(connection, shown, create=create)
        except BaseException:
            self._engine.dispose()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        if self._writes:
            self._keep_journal("DELETE")
        self._engine.dispose()

    # ---- Reading

    def runs(self) -> list[Run]:
        """Return all runs, oldest first."""
        with self._transaction() as connection:
            return [_run_from(row) for row in connection.execute(_RUNS.order_by(runs.c.id))]

    def run(self, number: int | None = None) -> Run:
        """Return a run; the latest if no number is given. `StoreError` if there is none."""
        query = _RUNS.where(runs.c.id == number) if number else _RUNS.order_by(runs.c.id.desc()).limit(1)
        with self._transaction() as connection:
            row = connection.execute(query).first()
            if row is None:
                known = connection.scalars(sa.select(runs.c.id).order_by(runs.c.id)).all()
        if row is not None:
            return _run_from(row)
        if not known:
            raise NotInStoreError(f"{self.shown}: nothing has been graded yet. Start with: grade batch SOURCE")
        raise NotInStoreError(f"{self.shown}: there is no run {number}. The runs are {_enumerate(known)}.")

    def count(self, run: Run) -> dict[Status, int]:
        """Return how many students of a run have which status."""
        query = (
            sa.select(results.c.grading_id.is_(None), gradings.c.errored, sa.func.count())
            .select_from(results.outerjoin(gradings))
            .where(results.c.run_id == run.number)
            .group_by(results.c.grading_id.is_(None), gradings.c.errored)
        )
        found = dict.fromkeys(Status, 0)
        with self._transaction() as connection:
            for waiting, errored, number in connection.execute(query):
                found[_status(waiting=waiting, errored=errored)] += number
        return found

    def results(self, run: Run, students: Collection[str] = ()) -> Iterator[StoredResult]:
        """Yield the results of a run by student id, all or those of these students. Few at a time are held."""
        by_student = self.adjustments_by_student()
        scoring = Scoring(run.course.exercises)
        after = -1
        while True:
            query = (
                sa.select(results, gradings.c.errored, gradings.c.problem, gradings.c.outcome)
                .select_from(results.outerjoin(gradings))
                .where(results.c.run_id == run.number, results.c.position > after)
                .order_by(results.c.position)
                .limit(_PAGE)
            )
            with self._transaction() as connection:
                page = connection.execute(query).all()
            for row in page:
                after = row.position
                if not students or row.student in students:
                    yield self._result_from(run, scoring, row, by_student.get(row.student, []))
            if len(page) < _PAGE:
                return

    def read_report(self, grading: int) -> ScoreReport:
        """Return the report of a grading, as it was made."""
        with self._transaction() as connection:
            packed = connection.scalars(sa.select(gradings.c.report).where(gradings.c.id == grading)).one()
        return ScoreReport.model_validate_json(zlib.decompress(packed))

    def read_submission(self, content: str, student: str) -> Submission:
        """Return what was graded, under a student's id."""
        query = sa.select(submissions.c.submission).where(submissions.c.content == content)
        with self._transaction() as connection:
            packed = connection.scalars(query).one()
        return Submission.model_validate_json(zlib.decompress(packed)).model_copy(update={"id": student})

    def find_submission(self, content: str | None, student: str) -> Submission | None:
        """Return what was graded, or None if nothing was yet, or not even read."""
        return self.read_submission(content, student) if content else None

    def adjustments(self, student: str | None = None) -> list[Adjustment]:
        """Return all adjustments ever made, oldest first; those that were taken back or replaced too."""
        query = sa.select(adjustments).order_by(adjustments.c.id)
        if student is not None:
            query = query.where(adjustments.c.student == student)
        with self._transaction() as connection:
            return [_adjustment_from(row) for row in connection.execute(query)]

    # ---- Writing

    def begin_run(
        self,
        run: Run,
        hand_ins: Sequence[HandIn],
        carry: Run | None = None,
        *,
        only: Collection[str] | None = None,
    ) -> Run:
        """
        Start a run, or go on with an interrupted one, and return it with its number.

        Args:
            run: What it is; with its number if it is to go on.
            hand_ins: The class as it is now. Who is new is added, who is gone is taken out of the run; gradings stay.
            carry: A run whose results a new run begins with.
            only: Whose hand-ins are going to be looked at; everybody's if None. A result stays with the attempt that
                it is of: others keep both, and these wait if another attempt counts now.
        """
        source = run.number or (carry.number if carry else 0)
        with self._transaction(writes=True) as connection:
            course_id = _keep_course(connection, run)
            values = {"course_id": course_id, "finished_at": None, "about": _about(run)}
            if run.number:
                connection.execute(sa.update(runs).where(runs.c.id == run.number).values(values))
            else:
                number = connection.execute(sa.insert(runs).values(values)).inserted_primary_key
                assert number is not None
                run = run.model_copy(update={"number": number[0]})
            known = sa.select(results.c.student, results.c.hand_in, results.c.content, results.c.grading_id)
            before = {row.student: row for row in connection.execute(known.where(results.c.run_id == source))}
            connection.execute(sa.delete(results).where(results.c.run_id == run.number))
            rows = []
            for position, hand_in in enumerate(sorted(hand_ins, key=lambda hand_in: hand_in.student.id)):
                student = hand_in.student.id
                kept = _kept(before.get(student), hand_in, looked_at=only is None or student in only)
                rows.append({"run_id": run.number, "student": student, "position": position, **kept})
            if rows:
                connection.execute(sa.insert(results), rows)
        return run

    def find_grading(self, key: str, made_in: Run | None = None) -> "KnownGrading | None":
        """Return the latest grading with this key, unless it is errored; only what one run made if it is given."""
        query = sa.select(gradings.c.id, gradings.c.outcome).where(gradings.c.key == key, gradings.c.errored == 0)
        if made_in is not None:
            query = query.where(gradings.c.made_in == made_in.number)
        with self._transaction() as connection:
            row = connection.execute(query.order_by(gradings.c.generation.desc()).limit(1)).first()
        return KnownGrading(row.id, Outcome.model_validate_json(row.outcome)) if row else None

    def link(self, run: Run, links: Sequence[tuple[str, str, int]]) -> None:
        """Give students of a run gradings that are there already: student, content and grading of each."""
        if links:
            with self._transaction(writes=True) as connection:
                _link(connection, run, links)

    def keep(
        self,
        run: Run,
        students: Sequence[str],
        submission: Submission,
        content: str,
        key: str,
        report: ScoreReport,
        problem: str = "",
    ) -> None:
        """Keep a report as the result of all who handed in the same; all of it or nothing."""
        with self._transaction(writes=True) as connection:
            known = connection.scalars(sa.select(submissions.c.content).where(submissions.c.content == content)).first()
            if known is None:
                packed = _pack(submission.model_dump_json())
                connection.execute(sa.insert(submissions).values(content=content, submission=packed))
            newest = sa.select(sa.func.max(gradings.c.generation)).where(gradings.c.key == key)
            values = {
                "key": key,
                "made_in": run.number,
                "generation": (connection.scalars(newest).first() or 0) + 1,
                "content": content,
                "errored": int(not report.complete),
                "problem": problem,
                "outcome": outcome_of(report).model_dump_json(),
                "report": _pack(report.model_dump_json()),
            }
            inserted = connection.execute(sa.insert(gradings).values(values)).inserted_primary_key
            assert inserted is not None
            _link(connection, run, [(student, content, inserted[0]) for student in students])

    def finish_run(self, run: Run) -> Run:
        """Say that every submission has its result."""
        now = datetime.now(UTC)
        with self._transaction(writes=True) as connection:
            connection.execute(sa.update(runs).where(runs.c.id == run.number).values(finished_at=now.isoformat()))
        return run.model_copy(update={"finished_at": now})

    def copy_run(self, run: Run, base: Run) -> Run:
        """Start a run with the class and the gradings of another, and return it with its number."""
        with self._transaction(writes=True) as connection:
            values = {"course_id": _keep_course(connection, run), "finished_at": None, "about": _about(run)}
            inserted = connection.execute(sa.insert(runs).values(values)).inserted_primary_key
            assert inserted is not None
            copied = [column for column in results.c if column is not results.c.run_id]
            rows = sa.select(sa.literal(inserted[0]), *copied).where(results.c.run_id == base.number)
            connection.execute(sa.insert(results).from_select(["run_id", *(column.name for column in copied)], rows))
        return run.model_copy(update={"number": inserted[0]})

    def adjust(self, adjustment: Adjustment) -> None:
        """Keep a decision by hand."""
        values = {**adjustment.model_dump(exclude={"at"}), "at": adjustment.at.isoformat()}
        with self._transaction(writes=True) as connection:
            connection.execute(sa.insert(adjustments).values(values))

    # ---- Within

    def _keep_journal(self, mode: str) -> None:
        """
        Choose how SQLite keeps a journal, if it can.

        While a class is graded, in a file beside the database: commits wait for the disk once instead of four times,
        and nobody who reads is kept waiting. At the end, so that the database is one plain file, which may be copied
        and read anywhere. Where the file system cannot do the first, or a reader is in the way of the second, it stays
        as it is.
        """
        if self._engine.dialect.name == "sqlite":
            with contextlib.suppress(SQLAlchemyError, sqlite3.Error):
                connection = self._engine.raw_connection()
                try:
                    connection.cursor().execute(f"PRAGMA journal_mode = {mode}")
                finally:
                    connection.close()

    @contextlib.contextmanager
    def _transaction(self, *, writes: bool = False) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect().execution_options(writes=writes) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(f"{self.shown}: {_explain(error)}") from None

    def adjustments_by_student(self) -> Mapping[str, list[Adjustment]]:
        """Return all adjustments ever made by student, oldest first; see `adjustments`."""
        found: dict[str, list[Adjustment]] = defaultdict(list)
        for adjustment in self.adjustments():
            found[adjustment.student].append(adjustment)
        return found

    def _result_from(self, run: Run, scoring: Scoring, row: sa.Row[Any], by_hand: Sequence[Adjustment]) -> StoredResult:
        hand_in = HandIn.model_validate_json(row.hand_in)
        outcome = Outcome.model_validate_json(row.outcome) if row.outcome else None
        return StoredResult(
            run=run,
            hand_in=hand_in,
            status=_status(waiting=row.grading_id is None, errored=row.errored),
            content=row.content,
            outcome=outcome,
            grade=_grade(run, scoring, hand_in, outcome, adjustments_in_force(by_hand)) if outcome else None,
            problem=row.problem or "",
            _store=self,
            _grading=row.grading_id,
        )


def _grade(run: Run, scoring: Scoring, hand_in: HandIn, outcome: Outcome, by_hand: Sequence[Adjustment]) -> Grade:
    settings = run.course.settings
    attempt = hand_in.counted
    lateness = assess_lateness(
        settings.late,
        deadline=settings.deadline,
        extension=hand_in.student.extension,
        zone=settings.zone,
        submitted_at=attempt.submitted_at if attempt else None,
        marked_late=attempt.marked_late if attempt else False,
    )
    return compute_grade(scoring.points_of(outcome), by_hand, lateness)


def open_store(location: str | Path, *, create: bool = False, timeout_s: float = 30.0) -> Store:
    """
    Open a store.

    Args:
        location: A path of an SQLite file, or the URL of a database; with PostgreSQL the tests run, too.
        create: Make it if it is not there yet.
        timeout_s: How long to wait for somebody else's lock.

    Raises:
        StoreError: If it is not there, is no store, or cannot be used; one line that says why.
    """
    url = database_url(location)
    text = str(location)
    if url is not None and is_file(url):
        text = str(url.database)
    elif url is not None:
        shown = url.render_as_string(hide_password=True)
        try:
            return Store(url, shown, create=create, timeout_s=timeout_s)
        except (SQLAlchemyError, ImportError) as error:
            raise unusable(url, error) from None
    path = Path(text)
    try:
        _check_place(path, create=create)
    except OSError as error:  # a folder on the way that nobody may look into, a name that is too long
        raise NotInStoreError(f"{path}: {error.strerror}. Name another place with --store.") from None
    return Store(sa.URL.create("sqlite", database=str(path)), text, create=create, timeout_s=timeout_s)


def _check_place(path: Path, *, create: bool) -> None:
    if not create and not path.exists():
        raise NotInStoreError(
            f"{path}: there is no store. `grade batch SOURCE` makes it; if yours is elsewhere, name it with --store."
        )
    if not path.parent.is_dir():
        raise NotInStoreError(
            f"{path}: the folder {path.parent} is not there. Make it, or name another place with --store."
        )
    if path.is_dir():
        raise NotInStoreError(f"{path}: expected a file, found a folder. Name a file with --store.")


def database_url(location: str | Path) -> sa.URL | None:
    """
    Return the URL that names a store, or None if a path does.

    Raises:
        StoreError: If it looks like a URL and is none.
    """
    text = str(location)
    if "://" not in text:
        return None
    try:
        url = sa.make_url(text)
    except (SQLAlchemyError, ValueError):  # what it says may hold the password
        raise NotInStoreError(
            "--store: this URL cannot be read; expected something like postgresql://USER@HOST/DATABASE. Signs such as "
            "@ or / in a user's name or password have to be written as %40 or %2F."
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    return url


def is_file(url: sa.URL) -> bool:
    """Whether a URL says no more than a path would."""
    return url.drivername == "sqlite" and bool(url.database) and not url.query


def unusable(url: sa.URL, error: Exception) -> StoreError:
    """Say in one line why a database cannot be used at all, and what to do."""
    shown = url.render_as_string(hide_password=True)
    other = "name a file, or a URL such as postgresql://USER@HOST/DATABASE."
    if isinstance(error, ImportError) and url.get_backend_name() == "postgresql":
        return NotInStoreError(
            f"{shown}: PostgreSQL needs psycopg, which is not installed: {install_command('postgresql')}"
        )
    if isinstance(error, ImportError):
        return NotInStoreError(f"{shown}: its driver is not installed ({_first_line(error)}). Install it, or {other}")
    if isinstance(error, NoSuchModuleError):
        kind = f"{url.drivername!r} is no kind of database that is known"
        return NotInStoreError(f"{shown}: {kind}; {other}")
    return StoreError(f"{shown}: {_explain(error) if isinstance(error, SQLAlchemyError) else _first_line(error)}")


def _set_up_sqlite(connection: Any, record: object) -> None:
    del record
    # Commits wait for the disk, so that power may fail too.
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    # Python's own transactions leave statements that make tables outside, and a kill between two of them would show.
    connection.isolation_level = None


def _begin_sqlite(connection: sa.Connection) -> None:
    # Whoever is going to write says so at the beginning, so that two who write wait for each other.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _check_schema(connection: sa.Connection, shown: str, *, create: bool) -> None:
    inspector = sa.inspect(connection)
    if inspector.has_table(facts.name):
        version = connection.scalars(sa.select(facts.c.value).where(facts.c.name == "schema")).first()
        if version != SCHEMA:
            raise NotInStoreError(
                f"{shown}: this store is of schema {version}, and this version of attention-dojo reads {SCHEMA}. "
                "Use the version that made it, or begin a new store with --store."
            )
        if create:
            # Before hours are spent on results that could not be kept.
            connection.execute(sa.update(facts).where(facts.c.name == "schema").values(value=SCHEMA))
    elif inspector.get_table_names():
        raise NotInStoreError(f"{shown}: this database holds something else. Name another with --store.")
    elif create:
        METADATA.create_all(connection)
        connection.execute(sa.insert(facts).values(name="schema", value=SCHEMA))
    else:
        raise NotInStoreError(f"{shown}: this database is empty. Start with: grade batch SOURCE")


def _keep_course(connection: sa.Connection, run: Run) -> str:
    text = run.course.model_dump_json()
    course_id = hashlib.sha256(f"{run.verdicts_digest}\0{text}".encode()).hexdigest()
    if connection.scalars(sa.select(courses.c.id).where(courses.c.id == course_id)).first() is None:
        values = {"id": course_id, "verdicts_digest": run.verdicts_digest, "course": text}
        connection.execute(sa.insert(courses).values(values))
    return course_id


def _kept(before: Any, hand_in: HandIn, *, looked_at: bool) -> dict[str, object]:
    """Return what a run begins with for a student: a result of before only beside the attempt that it is of."""
    if before is not None and before.grading_id is not None:
        old = HandIn.model_validate_json(before.hand_in)
        if old.counted != hand_in.counted:
            if looked_at:
                before = None
            else:
                hand_in = old.model_copy(update={"student": hand_in.student, "in_roster": hand_in.in_roster})
    return {
        "hand_in": hand_in.model_dump_json(),
        "content": before.content if before is not None else None,
        "grading_id": before.grading_id if before is not None else None,
    }


def _link(connection: sa.Connection, run: Run, links: Sequence[tuple[str, str, int]]) -> None:
    statement = (
        sa.update(results)
        .where(results.c.run_id == run.number, results.c.student == sa.bindparam("whose"))
        .values(content=sa.bindparam("what"), grading_id=sa.bindparam("which"))
    )
    rows = [{"whose": student, "what": content, "which": grading} for student, content, grading in links]
    connection.execute(statement, rows)


def _about(run: Run) -> str:
    return run.model_dump_json(include=set(_About.model_fields))


def _run_from(row: sa.Row[Any]) -> Run:
    about = _About.model_validate_json(row.about)
    return Run(
        **about.model_dump(),
        number=row.id,
        finished_at=datetime.fromisoformat(row.finished_at) if row.finished_at else None,
        course=Course.model_validate_json(row.course),
        verdicts_digest=row.verdicts_digest,
    )


def _adjustment_from(row: sa.Row[Any]) -> Adjustment:
    fields = row._asdict()
    del fields["id"]
    return Adjustment(**fields)


def _status(*, waiting: object, errored: object) -> Status:
    if waiting:
        return Status.WAITING
    return Status.ERRORED if errored else Status.GRADED


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode(), _ZLIB_LEVEL)


def _explain(error: SQLAlchemyError) -> str:
    """Say in words what a database refused, and what to do."""
    said = _first_line(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    missing = re.search(r'database "([^"]*)" does not exist', said)
    if missing:
        return f"there is no database {missing[1]!r}. Make it on the server (createdb {missing[1]}), or name another."
    advice = {
        "password": "the server does not let you in. Look at the user's name, and put the password into ~/.pgpass",
        "role": "the server does not know this user. Look at the name in the URL",
        "permission denied": "you may not do that there. Ask whoever runs the server for the right to make tables",
        "resolve": "there is no such host. Look at its name in the URL",
        "connection to server": "the server does not answer. Look at host and port, and whether it runs",
        "No space left": "the server's disk is full. Make room and type the same command again; what was graded is "
        "kept",
        "terminat": "the server ended the connection. Type the same command again; what was graded is kept",
        "closed the connection": "the server ended the connection. Type the same command again; what was graded is "
        "kept",
        "locked": "another program holds it locked. Close that one and type the same command again",
        "readonly": "it cannot be written. Make the file and its folder writable, or name another with --store",
        "disk is full": "the disk is full. Make room and type the same command again; what was graded is kept",
        "disk I/O": "the disk does not take or give its data. Look for room and for a limit on file sizes, then type "
        "the same command again; what was graded is kept",
        "not a database": "this is no SQLite database. Name another file with --store",
        "unable to open": "it cannot be opened. Look whether you may write there, or name another with --store",
        "malformed": "the database is damaged. Restore it from a backup, or begin a new one with --store",
    }
    for sign, sentence in advice.items():
        if sign in said:
            return f"{sentence} ({said})."
    return f"the database failed: {said}"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _enumerate(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) if len(numbers) <= 12 else f"{numbers[0]} to {numbers[-1]}"
