"""What people hand in, made by hand."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping

from grader.model.submission import Submission

Read = Callable[..., Submission]
HandIn = Callable[[Mapping[str, str | bytes]], Submission]
HandInZip = Callable[[bytes], Submission]

PROMISES = {
    "masking": ("create_causal_mask", "masked_softmax"),
    "heads": ("split_heads", "merge_heads"),
    "multihead": ("MultiHeadAttention",),
}


def pack_zip(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of files by name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def notebook(*sources: str, **metadata: object) -> str:
    """Return a notebook of format 4.5 with these code cells, all with the same id."""
    cells = [
        {"cell_type": "code", "id": "same", "execution_count": 9, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


def texts(submission: Submission) -> dict[str, str]:
    """Return the text of each file by path."""
    return {file.path: file.text for file in submission.files}


def reasons(submission: Submission) -> dict[str, str]:
    """Return why each unreadable file is unreadable, by path."""
    return {file.path: file.reason for file in submission.unreadable}
