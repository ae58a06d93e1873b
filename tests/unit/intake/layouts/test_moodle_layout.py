"""Moodle's download: a folder for each participant, or flat files."""

from pathlib import Path

from class_trees import HEADS, by_id, every_form, files_of, read


def test_a_folder_is_a_participant(tmp_path: Path) -> None:
    """Older and newer versions differ in an underscore; text typed into the site is no code."""
    files = {
        "Ann Doe_12345_assignsubmission_file_/heads.py": HEADS,
        "Ann Doe_12345_assignsubmission_onlinetext_/onlinetext.html": "<p>hi</p>",
        "José García López_12346_assignsubmission_file/sub/heads.py": HEADS,
        "Participant_12347_assignsubmission_file_/work.ipynb": "{",
        "Bob_Lee_12348_assignsubmission_onlinetext/onlinetext.html": "<p>hi</p>",
    }
    for source in every_form(tmp_path, files, "LLM101-Attention-77"):
        classroom = read(source)

        assert "moodle" == classroom.layout
        assert {"12345": "Ann Doe", "12346": "José García López", "12347": "", "12348": "Bob_Lee"} == {
            name: one.student.name for name, one in by_id(classroom).items()
        }
        assert {"12345": ["heads.py"], "12346": ["heads.py"], "12347": [], "12348": []} == files_of(source, classroom)


def test_flat_files_are_sorted_by_participant(tmp_path: Path) -> None:
    """As sites with folders turned off write them."""
    files = {
        "Ann Doe_12345_assignsubmission_file_heads.py": HEADS,
        "Ann Doe_12345_assignsubmission_file_masking.py": "x = 1\n",
        "Bob Lee_12346_assignsubmission_file_heads.py": HEADS,
        "notes.txt": "",
    }
    for source in every_form(tmp_path, files):
        classroom = read(source)

        assert {"12345": ["heads.py", "masking.py"], "12346": ["heads.py"]} == files_of(source, classroom)
        assert ["notes.txt"] == [path.rpartition("/")[2] for path in classroom.unmatched]
