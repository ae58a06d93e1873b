"""The table of what each layer is for is the one that the script writes."""

import re

import pytest

from benchmarks.attack_table import BEGIN, END, HEAD, PAGE, cases, faults_of, put_into, row, table
from grader.sandbox.jail import LAYERS
from tests.attacks.arena import HONEST, Arena
from tests.attacks.corpus import ATTACKS, Attack

PUBLISHED = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].strip().splitlines()


def test_the_published_table_has_a_row_for_each_case() -> None:
    """Each layer once, all of them together, and the two that matter most turned off together."""
    rows = [line for line in PUBLISHED if line.startswith("|")][2:]

    assert list(HEAD) == [line for line in PUBLISHED if line.startswith("|")][:2]
    assert [row(case, []).split("|")[1] for case in cases()] == [line.split("|")[1] for line in rows]
    assert all(f"`{layer}`" in "".join(rows) for layer in LAYERS)


def test_the_published_rows_name_attacks_that_exist() -> None:
    """A number, and as many names."""
    names = {attack.name for attack in ATTACKS}
    for line in [line for line in PUBLISHED if line.startswith("|")][2:]:
        _, _, count, which, _ = (cell.strip() for cell in line.split("|"))
        listed = [] if which == "—" else which.split("; ")

        assert int(count) == len(listed)
        assert set(listed) <= names


def test_nothing_gets_further_with_all_layers() -> None:
    """Else the page would promise what it shows to be untrue."""
    assert row((), []) in PUBLISHED


def test_the_published_table_is_of_this_corpus() -> None:
    """Its first line counts the attacks."""
    assert str(len(ATTACKS)) == re.match(r"\d+", PUBLISHED[0])[0]


def test_writing_the_table_again_changes_nothing_else() -> None:
    """What stands around the markers stays, and the markers too."""
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    text = table([row((), [])], "root", 3)

    assert f"before\n{text}\nafter\n" == put_into(page, text) == put_into(put_into(page, text), text)


def test_a_page_without_markers_is_refused() -> None:
    """Rather than written somewhere."""
    with pytest.raises(SystemExit, match="expected the markers"):
        put_into("no markers", "text")


def test_a_gained_point_is_a_fault() -> None:
    """Whatever is turned off, so that the script ends with an error."""
    greedy = Attack("honest, but entitled to nothing", 1, HONEST.files)

    with Arena() as arena:
        assert ["4.0 points instead of 0"] == faults_of(greedy, arena.attack(greedy))
