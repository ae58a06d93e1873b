"""What `configure` sets in a course of nbgrader."""

from traitlets.config import Config

from grader.notebook.configure import configure


def test_checks_may_take_longer_than_nbgraders_cells() -> None:
    """On a slow machine importing torch alone takes half a minute; a loop in a kernel is no reason to wait longer."""
    c = Config()

    configure(c)

    assert 600 == c.Execute.timeout
    assert 30 == c.GradeWithKit.timeout


def test_a_limit_of_the_teachers_stays() -> None:
    """It was set for a reason."""
    c = Config()
    c.Execute.timeout = 90

    configure(c)

    assert 90 == c.Execute.timeout
    assert "timeout" not in c.GradeWithKit
