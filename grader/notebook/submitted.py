"""Read a notebook that was handed in for showing it, within bounds."""

import importlib
import json
import warnings
from pathlib import Path
from typing import Any

from grader.intake.folders import found_on_disk
from grader.intake.limits import MAX_NOTEBOOK_BYTES
from grader.intake.listing import read_found
from grader.intake.refusal import Refused
from grader.intake.text import decode_json
from grader.notebook.released import notebook_metadata


def read_submitted(path: Path) -> Any:
    """
    Return a notebook in format 4, without outputs and with a course's own metadata.

    Raises:
        ValueError: If it is not there or cannot be read, with the reason in one line.
    """
    nbformat: Any = importlib.import_module("nbformat")
    try:
        if path.parent.is_symlink():
            raise Refused("its folder is a link, and links are not followed")
        found = found_on_disk(path, path.name)
        text = decode_json(read_found(found, MAX_NOTEBOOK_BYTES, "clear its outputs")).text
        content = json.loads(text)
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
            if not isinstance(cell.get("metadata"), dict):
                cell["metadata"] = {}
            if isinstance(cell.get("source"), list):
                cell["source"] = "".join(cell["source"])
            cell["source"] = cell["source"].replace("\0", "\ufffd")
        # What editors add may be wrong or large (half a kernel, the state of widgets), and says nothing of the work.
        content["metadata"] = notebook_metadata()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.convert(nbformat.from_dict(content), 4)
            nbformat.validate(notebook)
    except FileNotFoundError:
        raise ValueError("there is no such notebook") from None
    except Refused as refused:
        raise ValueError(str(refused)) from None
    except (OSError, ValueError, RecursionError) as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ValueError(f"it is no whole notebook ({said[:200]})") from None
    except Exception as error:  # noqa: BLE001 - any shape of JSON gets here, and nbformat trusts it
        raise ValueError(f"its cells are not as a notebook's should be ({type(error).__name__})") from None
    return notebook
