"""The store: all of a result or nothing, the same result again, and one line when it cannot be."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from grader.grading.exclusive import exclusive
from grader.grading.store import Status, Store, StoreError, open_store
from grader.model.adjustment import Adjustment
from grader.model.late import LateRule
from grader.model.student_result import Standing
from grader.model.verdict import Verdict
from tests.postgresql import new_database
from tests.unit.grading.made_up import COURSE, NOON, hand_in_of, keep_all, report_of, run_of, submission_of


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store may be made: in a file, and on a server if there is one."""
    if request.param == "sqlite":
        yield str(tmp_path / "grades.sqlite")
    else:
        with new_database(request.getfixturevalue("postgresql_server")) as url:
            yield url


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    """An empty store."""
    with open_store(location, create=True) as opened:
        yield opened


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    """An empty store in a file."""
    with open_store(tmp_path / "grades.sqlite", create=True) as opened:
        yield opened


def adjustment(student: str, points: float | None, criterion: str = "values") -> Adjustment:
    """A decision by hand about double."""
    return Adjustment(
        student=student, exercise="double", criterion=criterion, points=points, why="seen", author="Ada", at=NOON
    )


def test_what_is_kept_comes_back_as_it_was(store: Store, location: str) -> None:
    """The whole report, also after the store was closed."""
    run = keep_all(store, run_of(), {"ana": "a", "bo": "b"}, doubles=Verdict.FAILED)
    store.finish_run(run)

    with open_store(location) as again:
        (read,) = again.runs()
        results = list(again.results(read))

    assert ["ana", "bo"] == [result.student.id for result in results]
    assert report_of(submission_of("a", "ana"), doubles=Verdict.FAILED) == store.read_report(1)
    assert read == store.run()
    assert {"double": {"doubles": "triples"}} == results[0].outcome.misconceptions
    assert 5 == results[0].grade.final
    assert 7 == results[0].grade.max_score


def test_a_report_bears_the_name_of_whoever_asks(store: Store) -> None:
    """Equal submissions share a grading, and nobody sees another's name."""
    run = store.begin_run(run_of(), [hand_in_of("ana"), hand_in_of("bo")])
    submission = submission_of("same", "ana")
    store.keep(run, ["ana", "bo"], submission, "content", "key", report_of(submission))

    assert ["ana", "bo"] == [result.report().submission.id for result in store.results(run)]
    assert ["ana", "bo"] == [result.submission().id for result in store.results(run)]


def test_an_interrupted_run_goes_on_with_what_it_has(store: Store) -> None:
    """Who is new is added, who is gone is taken out, and a result stays with its student."""
    run = keep_all(store, run_of(), {"ana": "a", "bo": "b"})

    store.begin_run(run, [hand_in_of("bo"), hand_in_of("cy")])

    assert [("bo", Status.GRADED), ("cy", Status.WAITING)] == [
        (result.student.id, result.status) for result in store.results(run)
    ]
    assert {Status.WAITING: 1, Status.GRADED: 1, Status.ERRORED: 0} == store.count(run)


def test_a_grading_is_found_by_its_key_unless_the_grader_failed(store: Store) -> None:
    """An errored one is no answer: it is tried again."""
    run = store.begin_run(run_of(), [hand_in_of("ana")])
    submission = submission_of("a", "ana")

    store.keep(run, ["ana"], submission, "content", "key", report_of(submission, doubles=Verdict.ERRORED), "it died")
    assert store.find_grading("key") is None
    (errored,) = store.results(run)
    store.keep(run, ["ana"], submission, "content", "key", report_of(submission))
    (graded,) = store.results(run)

    assert store.find_grading("key") is not None
    assert Status.ERRORED is errored.status
    assert "it died" == errored.problem
    assert errored.grade.final is None
    assert Status.GRADED is graded.status


def test_the_latest_adjustment_counts_and_all_are_kept(store: Store) -> None:
    """Points are set, not added; None takes back."""
    run = keep_all(store, run_of(), {"ana": "a"}, doubles=Verdict.FAILED)

    for points, expected in ((1, 6), (2, 7), (99, 7), (None, 5)):
        store.adjust(adjustment("ana", points))
        (result,) = store.results(run)
        assert expected == result.grade.final

    assert [1, 2, 99, None] == [made.points for made in store.adjustments("ana")]
    assert [] == store.adjustments("bo")


def test_an_adjustment_settles_what_the_grader_failed_at(store: Store) -> None:
    """A person decided, so it is a grade."""
    run = keep_all(store, run_of(), {"ana": "a"}, doubles=Verdict.ERRORED)
    store.adjust(adjustment("ana", 2))

    (result,) = store.results(run)
    out = result.student_result()

    assert 7 == result.grade.final
    assert Standing.GRADED is out.standing
    assert 7 == out.grade
    assert [2] == [change.points for change in out.adjustments]


def test_an_adjustment_of_a_criterion_that_is_gone_is_told_of(store: Store) -> None:
    """Not lost, not applied."""
    run = keep_all(store, run_of(), {"ana": "a"})
    store.adjust(adjustment("ana", 0, "elegance"))

    (result,) = store.results(run)

    assert ["elegance"] == [unused.criterion for unused in result.grade.unused]
    assert 7 == result.grade.final


def test_lateness_is_taken_off_after_adjustments(store: Store) -> None:
    """As if the checks had decided so."""
    late = COURSE.settings.late.model_copy(update={"rule": LateRule.PER_DAY, "percent_per_day": 10})
    settings = COURSE.settings.model_copy(update={"deadline": NOON, "late": late})
    run = run_of(COURSE.model_copy(update={"settings": settings}))
    run = store.begin_run(run, [hand_in_of("ana", submitted_at=NOON + timedelta(hours=30))])
    submission = submission_of("a", "ana")
    store.keep(run, ["ana"], submission, "content", "key", report_of(submission, doubles=Verdict.FAILED))
    store.adjust(adjustment("ana", 0, "refusal"))

    (result,) = store.results(store.run())

    assert 4 == result.grade.adjusted
    assert 0.8 == result.grade.late_points
    assert 3.2 == result.grade.final
    assert "2 days late (due 2026-03-01 12:00 UTC): 20 % of the points earned taken off." == result.grade.late.note
    assert 3.2 == result.student_result().grade


def test_results_come_a_page_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, each once and in order."""
    monkeypatch.setattr("grader.grading.store._PAGE", 3)
    names = [f"s{number}" for number in range(7)]
    run = store.begin_run(run_of(), [hand_in_of(name) for name in names])

    assert names == [result.student.id for result in store.results(run)]
    assert ["s4"] == [result.student.id for result in store.results(run, ["s4"])]


def test_a_run_is_copied_with_its_results(store: Store) -> None:
    """The gradings are shared, the runs are not."""
    base = keep_all(store, run_of(), {"ana": "a", "bo": "b"})

    copy = store.copy_run(run_of(kind="rescore", base=base.number), base)

    assert copy.number != base.number
    assert list(store.results(base)) != list(store.results(copy))
    assert [r.report() for r in store.results(base)] == [r.report() for r in store.results(copy)]


def test_runs_that_are_not_there_are_named(store: Store) -> None:
    """With those that are."""
    with pytest.raises(StoreError, match="nothing has been graded yet. Start with: grade batch SOURCE"):
        store.run()
    store.begin_run(run_of(), [])
    with pytest.raises(StoreError, match="there is no run 7. The runs are 1."):
        store.run(7)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "there is no store. `grade batch SOURCE` makes it"),
        (b"", "this database is empty"),
        (b"not a database at all, but long enough" * 30, "this is no SQLite database"),
    ],
)
def test_what_is_no_store_is_told_in_one_line(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    """Where, what was found and what to do."""
    path = tmp_path / "grades.sqlite"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(StoreError) as caught:
        open_store(path)

    assert complaint in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    """Even when asked to make a store there."""
    path = tmp_path / "grades.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")

    with pytest.raises(StoreError, match="holds something else"):
        open_store(path, create=True)


def test_a_store_of_another_version_is_not_read(tmp_path: Path) -> None:
    """Nor written."""
    path = tmp_path / "grades.sqlite"
    open_store(path, create=True).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE facts SET value = '99'")

    with pytest.raises(StoreError, match="this store is of schema 99, and this version of attention-dojo reads 1"):
        open_store(path)


def test_a_locked_store_is_one_line(file_store: Store, tmp_path: Path) -> None:
    """After waiting; and nothing of the result is there afterwards."""
    run = file_store.begin_run(run_of(), [hand_in_of("ana")])
    submission = submission_of("a", "ana")
    with open_store(tmp_path / "grades.sqlite", timeout_s=0.05) as impatient:
        other = sqlite3.connect(tmp_path / "grades.sqlite", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(StoreError, match=r"another program holds it locked.*type the same command again"):
            impatient.keep(run, ["ana"], submission, "content", "key", report_of(submission))

        other.close()
    (result,) = file_store.results(run)
    assert Status.WAITING is result.status


_WRITE_UNTIL_FULL = """
import resource, sys
from grader.grading.store import StoreError, open_store
from tests.unit.grading.made_up import hand_in_of, report_of, run_of, submission_of

store = open_store(sys.argv[1], create=True)
names = [f"s{number}" for number in range(500)]
run = store.begin_run(run_of(), [hand_in_of(name) for name in names])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
for name in names:
    submission = submission_of("".join(chr(97 + hash((name, i)) % 26) for i in range(3000)), name)
    try:
        store.keep(run, [name], submission, name, name, report_of(submission))
    except StoreError as error:
        print(error)
        break
"""


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    """What was kept is whole, and the next run goes on."""
    path = tmp_path / "grades.sqlite"

    result = subprocess.run(
        [sys.executable, "-c", _WRITE_UNTIL_FULL, str(path)], capture_output=True, text=True, check=True
    )

    assert "what was graded is kept" in result.stdout, result.stdout + result.stderr
    assert 1 == len(result.stdout.splitlines())
    with open_store(path) as store:
        graded = [result for result in store.results(store.run()) if result.status is Status.GRADED]
        assert 10 < len(graded) < 500
        assert all(result.report().score == 7 for result in graded)
        first = next(result for result in store.results(store.run()) if result.status is Status.WAITING)
        submission = submission_of("x", first.student.id)
        store.keep(store.run(), [first.student.id], submission, "x", "x", report_of(submission))
        assert Status.GRADED is next(store.results(store.run(), [first.student.id])).status


def test_a_closed_store_is_one_plain_file(file_store: Store, tmp_path: Path) -> None:
    """It can be copied, and read where nothing can be written."""
    keep_all(file_store, run_of(), {"ana": "a"})
    file_store.close()
    assert ["grades.sqlite"] == [path.name for path in tmp_path.iterdir()]

    (tmp_path / "grades.sqlite").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with open_store(tmp_path / "grades.sqlite") as read_only:
            assert 7 == next(read_only.results(read_only.run())).grade.final
    finally:
        tmp_path.chmod(0o755)


_WRITE_READ_ONLY = """
import os, sys
from grader.grading.store import StoreError, open_store
open_store(sys.argv[1]).close()  # everything that has to be imported is, now
os.setuid(65534)
try:
    open_store(sys.argv[1], create=True)
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become somebody who may not write")
def test_a_store_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """With what to do."""
    path = tmp_path / "grades.sqlite"
    open_store(path, create=True).close()
    above = [folder for folder in tmp_path.parents if folder.is_relative_to(tempfile.gettempdir())]
    for folder in [tmp_path, *above[:-1]]:
        folder.chmod(0o755)

    result = subprocess.run(
        [sys.executable, "-c", _WRITE_READ_ONLY, str(path)], capture_output=True, text=True, check=False
    )

    assert "it cannot be written. Make the file and its folder writable" in result.stdout, result.stderr
    assert 1 == len(result.stdout.splitlines())


def test_long_names_and_any_letters_are_kept(store: Store) -> None:
    """As a learner's folder may be called."""
    names = ["Ж" * 600, "a'b\"c;--", "王小明"]
    run = keep_all(store, run_of(), {name: f"# {number}" for number, name in enumerate(names)})

    assert sorted(names) == [result.student.id for result in store.results(run)]
    assert sorted(names) == [result.submission().id for result in store.results(run)]


def test_only_one_at_a_time_grades_into_a_store(location: str) -> None:
    """The second is told so in one line; when the first is done, the next may."""
    busy = pytest.raises(StoreError, match=r"another process.* is grading into it\. Wait until it is done")
    with exclusive(location), busy, exclusive(location):
        pass
    with exclusive(location):
        pass


_HOLD = """
import sys, time
from grader.grading.exclusive import exclusive
with exclusive(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_whoever_is_killed_keeps_nobody_out(location: str) -> None:
    """The lock ends with the process."""
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, location], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert "held\n" == holder.stdout.readline()
    with pytest.raises(StoreError, match="is grading into it"), exclusive(location):
        pass

    holder.kill()
    holder.communicate()

    for _ in range(100):  # a server notices a little later
        try:
            with exclusive(location):
                return
        except StoreError:
            time.sleep(0.1)
    raise AssertionError("it is still locked")


@pytest.mark.parametrize("use", [exclusive, open_store])
def test_a_server_that_cannot_be_used_is_one_line(postgresql_server: sa.URL, tmp_path: Path, use: object) -> None:
    """What is wrong, and what to do; the password is not shown."""
    server = postgresql_server.set(drivername="postgresql", password="secret")
    for url, complaint in (
        (server.set(database="grades_not_there"), "there is no database 'grades_not_there'"),
        (server.set(host="localhost", port=1, query={}), "the server does not answer"),
        (server.set(query={"host": str(tmp_path)}), "the server does not answer"),
    ):
        with pytest.raises(StoreError) as caught:
            _enter(use, url.render_as_string(hide_password=False))

        assert complaint in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("use", "url", "complaint"),
    [
        (
            exclusive,
            "postgresql://me@localhost/grades",
            "PostgreSQL needs psycopg, which is not installed: ",
        ),
        (open_store, "postgresql://me@localhost/grades", "PostgreSQL needs psycopg, which is not installed: "),
        (open_store, "postgre://me@localhost/grades", "'postgre' is no kind of database that is known"),
        (exclusive, "postgresql://me:p@ss:w@host:x/grades", "this URL cannot be read; expected something like"),
        (open_store, "postgresql://me:p@ss:w@host:x/grades", "this URL cannot be read; expected something like"),
    ],
)
def test_a_url_that_cannot_be_used_is_one_line(
    monkeypatch: pytest.MonkeyPatch, use: object, url: str, complaint: str
) -> None:
    """With an example of one that can."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StoreError) as caught:
        _enter(use, url)

    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def _enter(use: object, url: str) -> None:
    with use(url):
        pass


def test_the_url_of_a_file_is_the_file(tmp_path: Path) -> None:
    """Also to the lock, and to whoever looks for a store that is not there."""
    url = f"sqlite:///{tmp_path / 'grades.sqlite'}"

    with pytest.raises(StoreError, match="there is no store"):
        open_store(url)
    open_store(url, create=True).close()
    with (
        exclusive(url),
        pytest.raises(StoreError, match="is grading into it"),
        exclusive(str(tmp_path / "grades.sqlite")),
    ):
        pass
