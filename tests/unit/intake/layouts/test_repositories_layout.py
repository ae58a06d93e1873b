"""One folder for each repository."""

from datetime import UTC, datetime
from pathlib import Path

from class_trees import HEADS, by_id, every_form, files_of, read, write_tree

SCORES = (
    "username,first_name,last_name,email,section,score,max-score,datetime,submission,submitted_by,review,late,override\n"
    "ann-lee,Ann,Lee,ann@uni.test,A,,,2026-11-19T10:00:00Z,submit/1,ann-lee,,false,\n"
    "ann-lee,Ann,Lee,ann@uni.test,A,,,2026-11-20T10:00:00Z,submit/2,ann-lee,,true,\n"
    "ann-may,Ann,May,may@uni.test,B,,,2026-11-18T10:00:00Z,submit/1,ann-may,,false,\n"
)
REPOSITORIES = {
    "llm101-attention-ann-lee/heads.py": HEADS,
    "llm101-attention-ann-lee/.git/HEAD": "ref: refs/heads/main\n",
    "llm101-attention-ann-lee/result.json": '{"owner": "ann-may"}',
    "llm101-attention-ann-may/heads.py": HEADS,
    "llm101-attention-ann-may/.git/HEAD": "ref: refs/heads/main\n",
}


def test_a_download_of_classroom_50_names_users_and_times(tmp_path: Path) -> None:
    """The table beside the folders is the platform's; what lies in a repository is the student's own claim."""
    for source in every_form(tmp_path, {**REPOSITORIES, "scores.csv": SCORES}):
        classroom = read(source)

        people = by_id(classroom)
        assert "repositories" == classroom.layout
        assert {"ann-lee": ["heads.py"], "ann-may": ["heads.py"]} == files_of(source, classroom)
        assert ("Ann Lee", "ann@uni.test", "A") == (
            people["ann-lee"].student.name,
            people["ann-lee"].student.email,
            people["ann-lee"].student.section,
        )
        assert datetime(2026, 11, 20, 10, tzinfo=UTC) == people["ann-lee"].attempts[0].submitted_at
        assert [True, False] == [one.attempts[0].marked_late for one in people.values()]


def test_clones_beside_each_other_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    """And it is said what was left off, because users may begin alike."""
    files = {f"hw1-{user}/{path}": "" for user in ("ann", "bob") for path in ("heads.py", ".git/HEAD")}
    source = write_tree(tmp_path / "clones", files)

    classroom = read(source)

    assert ["ann", "bob"] == list(by_id(classroom))
    assert ("'hw1-', which the folders' names begin with, was left off the students' ids",) == classroom.notes


def test_the_downloads_own_name_says_what_to_leave_off(tmp_path: Path) -> None:
    """So that users who begin alike keep their whole names."""
    folder = "llm101-attention_submissions_2026_11_20_T_14_30_45"
    source = write_tree(tmp_path / folder, REPOSITORIES)

    assert ["ann-lee", "ann-may"] == list(by_id(read(source)))
