"""What grading means: pydantic models and pure functions, no input or output."""
