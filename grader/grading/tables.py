"""The tables of the store."""

from typing import Final

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA: Final = "1"
"""Goes up when a store of before cannot be used any more."""

METADATA: Final = MetaData()

# Some databases index no text without a bound; PostgreSQL refuses what is longer, and SQLite does not mind.
_STUDENT: Final = String(400).with_variant(Text(), "postgresql")

facts = Table(
    "facts",
    METADATA,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)
"""What holds for the whole store, such as the version of its tables."""

courses = Table(
    "courses",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("verdicts_digest", String(64), nullable=False),
    Column("course", Text, nullable=False),
)
"""Courses as they were when something was graded or scored by them."""

runs = Table(
    "runs",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("course_id", ForeignKey("courses.id"), nullable=False),
    Column("finished_at", String(40)),
    Column("about", Text, nullable=False),
)

submissions = Table(
    "submissions",
    METADATA,
    Column("content", String(64), primary_key=True),
    Column("submission", LargeBinary, nullable=False),
)
"""What was graded, once for all who handed in the same."""

gradings = Table(
    "gradings",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("made_in", ForeignKey("runs.id"), nullable=False),
    Column("content", ForeignKey("submissions.content"), nullable=False),
    Column("errored", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("report", LargeBinary, nullable=False),
    UniqueConstraint("key", "generation"),
)
"""One report for each submission, course, kit, seed and choice of exercises; more if grading again was asked for."""

results = Table(
    "results",
    METADATA,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("student", _STUDENT, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("hand_in", Text, nullable=False),
    Column("content", String(64)),
    Column("grading_id", ForeignKey("gradings.id")),
    Index("results_in_order", "run_id", "position"),
)
"""Who belongs to a run, and which grading is each one's; none yet if ``grading_id`` is empty."""

adjustments = Table(
    "adjustments",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("student", _STUDENT, nullable=False, index=True),
    Column("exercise", String(100), nullable=False),
    Column("criterion", String(100), nullable=False),
    Column("points", Float),
    Column("why", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", String(40), nullable=False),
)
"""Decisions by hand; nothing here is ever changed or deleted."""
