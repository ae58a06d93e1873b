"""The command ``grade``: finds the asked command's file, and turns faults into one line and an exit code."""

import importlib
import sys
from typing import Any, Final

import click

from grader import __version__

_COMMANDS: Final = {
    "check": "check_command",
    "init": "init_command",
    "quiz": "quiz_command",
    "list": "list_command",
    "hint": "hint_command",
    "show": "show_command",
    "reset": "reset_command",
    "solution": "solution_command",
    "doctor": "doctor_command",
    "batch": "batch_command",
    "adjust": "adjust_command",
    "rescore": "rescore_command",
    "regrade": "regrade_command",
    "diff": "diff_command",
    "publish": "publish_command",
    "summary": "summary_command",
    "export": "export_command",
    "similarity": "similarity_command",
    "nbgrader": "nbgrader_group",
    "schema": "schema_command",
    "course": "course_group",
}
"""The commands in the order of the help text; each is in the file of its name."""

ON_WINDOWS: Final = "Windows: native Python cannot run the grader. Install it inside WSL2, where everything works."

EXIT_FULL_MARKS: Final = 0
EXIT_BELOW: Final = 1
EXIT_USAGE: Final = 2
EXIT_GRADER_FAILED: Final = 3
EXIT_INTERRUPTED: Final = 130


class GradeGroup(click.Group):
    """Imports a command when it is asked for, so that ``grade --help`` is quick and never imports torch."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in teaching order, not alphabetically."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, imported now."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"grader.cli.{cmd_name}")
        command: click.Command = getattr(module, _COMMANDS[cmd_name])
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a fault that is nobody's low score becomes one line and exit code 2 or 3."""
        from grader.model.errors import GraderError, RequestError

        try:
            return super().invoke(ctx)
        except RequestError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(EXIT_USAGE)
        except GraderError as error:
            click.echo(f"The grader failed: {error}", err=True)
            ctx.exit(EXIT_GRADER_FAILED)
        except KeyboardInterrupt:
            # click would end with 1, which reads as a low grade.
            click.echo("Interrupted.", err=True)
            ctx.exit(EXIT_INTERRUPTED)


@click.group(
    cls=GradeGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: grade init my-attention && cd my-attention && grade check",
)
@click.version_option(__version__, prog_name="grade")
def grade() -> None:
    """Learn attention by writing it: fill in the stubs, run `grade check`, and read which idea to fix next.

    Exit codes: 0 full marks, 1 below full marks, 2 wrong usage, 3 the grader failed, 130 interrupted.
    """


def main() -> None:
    """Run the command line; an unexpected fault of the grader is exit code 3, never a low grade's 1."""
    try:
        grade()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if sys.platform == "win32" and isinstance(error, ModuleNotFoundError):
            click.echo(ON_WINDOWS, err=True)
            sys.exit(EXIT_GRADER_FAILED)
        click.echo(f"The grader failed: {type(error).__name__}: {error}", err=True)
        click.echo("This is a fault of attention-dojo, not of your code. Set GRADE_DEBUG=1 to see where.", err=True)
        import os

        if os.environ.get("GRADE_DEBUG"):
            raise
        sys.exit(EXIT_GRADER_FAILED)
