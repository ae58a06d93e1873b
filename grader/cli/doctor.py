"""``grade doctor``: what this machine offers, and what to do about what is missing."""

import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import click

from grader import __version__
from grader.cli.main import ON_WINDOWS

_LEVELS = {
    "strong": "strong: a learner's code cannot read other files, write, open sockets or start processes",
    "basic": "basic: a learner's code is limited, but can read the files that you can read",
    "process": "process: a learner's code runs in a process of its own with a time limit, and that is all",
}


@click.command("doctor", epilog="Example: grade doctor")
@click.pass_context
def doctor_command(ctx: click.Context) -> None:
    """Say what this machine offers (torch, accelerator, isolation) and what to do about what is missing."""
    click.echo(
        f"attention-dojo {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    if sys.platform == "win32":
        click.echo(ON_WINDOWS)
        ctx.exit(3)
    from grader.sandbox.launch import python_command, trusted_environment

    command = [*python_command(), "-m", "grader.sandbox.probe"]
    result = subprocess.run(command, capture_output=True, env=trusted_environment(), cwd="/", check=False)
    if result.returncode:
        last = result.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        click.echo(f"No worker can be started here: {' '.join(last) or 'no reason given'}")
        click.echo("If torch is missing, install it: https://pytorch.org/get-started/locally")
        ctx.exit(3)
    for line in _describe(json.loads(result.stdout)):
        click.echo(line)


def _describe(facts: dict[str, Any]) -> Iterator[str]:
    yield f"torch {facts['torch']}, {facts['cores']} cores"
    if facts["accelerator"] == "cpu":
        yield "Accelerator: none. Device mistakes are found on a pretend one; parity with a real one is not judged."
    else:
        yield f"Accelerator: {facts['accelerator']}."
    if facts["pretend"]:
        yield f"Pretend accelerator: not available, so device mistakes are not judged ({facts['pretend']})."
    for worker in facts["workers"]:
        yield f"A worker by {worker['start_method']} is ready in {worker['ms']:.0f} ms."
        yield f"  isolation {_LEVELS[worker['level']]}"
    first = facts["workers"][0]
    yield f"  in force: {', '.join(first['layers']) or 'nothing'}"
    for missing in first["missing"]:
        yield f"  missing: {missing}"
    if first["level"] == "basic":
        yield "For strong isolation use Linux 5.13 or later with Landlock, or run the grader as root in a container."
    if first["level"] == "process":
        yield "Grade only code here that you would run anyway. For strong isolation use Linux, a container or WSL2."
