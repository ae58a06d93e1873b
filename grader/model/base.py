"""The base of every model: immutable, and strict about names that it does not know."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """An immutable value that refuses unknown fields."""

    # A measured number may be infinite; JSON has no word for that, so it is written as text and read back.
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")
