"""``grade schema``: JSON Schema of what the kit writes and reads."""

import json

import click


@click.command("schema", epilog="Example: grade schema report > report.schema.json")
@click.argument("what", type=click.Choice(["report", "rubric", "course"]))
def schema_command(what: str) -> None:
    """Print the JSON Schema of a score report, of a rubric, or of a course's settings."""
    from grader.model.base import Model
    from grader.model.course import CourseSettings
    from grader.model.report import ScoreReport
    from grader.model.rubric import Rubric

    models: dict[str, type[Model]] = {"report": ScoreReport, "rubric": Rubric, "course": CourseSettings}
    model = models[what]
    click.echo(json.dumps(model.model_json_schema(), indent=2))
