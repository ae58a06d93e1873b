"""``grade schema``: JSON Schema of what the kit writes and reads."""

import json

import click


@click.command("schema", epilog="Example: grade schema report > report.schema.json")
@click.argument("what", type=click.Choice(["report", "rubric", "course", "index", "summary"]))
def schema_command(what: str) -> None:
    """Print the JSON Schema of a score report, a rubric, a course's settings, a class's index.json or its summary."""
    from grader.model.base import Model
    from grader.model.class_index import ClassIndex
    from grader.model.class_summary import ClassSummary
    from grader.model.course import CourseSettings
    from grader.model.report import ScoreReport
    from grader.model.rubric import Rubric

    models: dict[str, type[Model]] = {
        "report": ScoreReport,
        "rubric": Rubric,
        "course": CourseSettings,
        "index": ClassIndex,
        "summary": ClassSummary,
    }
    model = models[what]
    click.echo(json.dumps(model.model_json_schema(), indent=2))
