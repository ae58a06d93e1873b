"""ILIAS's download: a folder for each person."""

from pathlib import Path

from class_trees import HEADS, by_id, every_form, files_of, read


def test_people_are_known_by_their_login(tmp_path: Path) -> None:
    """Late files say so in their names, and duplicates are numbered."""
    files = {
        "Abgaben/Doe_Ann Mary_adoe_4711/heads.py": "old = 1\n",
        "Abgaben/Doe_Ann Mary_adoe_4711/heads (2).py": HEADS,
        "Abgaben/Garcia_Pepe_pgarcia_4712/Verspaetete Abgabe - heads.py": HEADS,
        "Abgaben/Garcia_Pepe_pgarcia_4712/Verspaetete Abgabe - masking.py": "x = 1\n",
        "status.csv": "",
    }
    for source in every_form(tmp_path, files, "Uebung 1"):
        classroom = read(source)

        people = by_id(classroom)
        assert "ilias" == classroom.layout
        assert {"adoe": "Ann Mary Doe", "pgarcia": "Pepe Garcia"} == {
            name: one.student.name for name, one in people.items()
        }
        assert {"adoe": ["heads (2).py", "heads.py"], "pgarcia": ["heads.py", "masking.py"]} == files_of(
            source, classroom
        )
        assert [False, True] == [one.attempts[0].marked_late for one in people.values()]
        assert ["status.csv"] == [path.rpartition("/")[2] for path in classroom.unmatched]


def test_a_team_hands_in_together(tmp_path: Path) -> None:
    """Whoever of them uploaded a file."""
    files = {
        "Team 12/Doe_Ann_adoe_4711/heads.py": HEADS,
        "Team 12/Lee_Bob_blee_4712/masking.py": "x = 1\n",
        "Team 13/Dee_Cy_cdee_4713/heads.py": HEADS,
    }
    for source in every_form(tmp_path, files):
        classroom = read(source)

        both = ["Doe_Ann_adoe_4711/heads.py", "Lee_Bob_blee_4712/masking.py"]
        assert {"adoe": both, "blee": both, "cdee": ["heads.py"]} == files_of(source, classroom)
        assert ("what Team 12 handed in, 2 people together",) == by_id(classroom)["adoe"].notes
