"""The base of every model: immutable, and strict about names that it does not know."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """An immutable value that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)
