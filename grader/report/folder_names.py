"""Name a student's folder so that every file system can hold it beside all others."""

import hashlib
import re
import unicodedata

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,46}[a-z0-9])?")
_DIGEST = re.compile(r"-[0-9a-f]{12}$")
# Windows keeps these for devices, with any ending.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin|conout|com[0-9]|lpt[0-9])")
_LONGEST_BYTES = 60


def folder_name(student_id: str) -> str:
    """
    Return a name of at most 73 bytes, the same each time, that no other id gets.

    An id of lower-case letters, digits, ``-`` and ``_`` is its own name. Any other one keeps its letters and digits, of
    any script, in lower case and gets a digest of the id behind it: so ids that differ only in letter case, in how
    their accents are encoded or in signs that a file system refuses stay apart on all of them.
    """
    if _PLAIN.fullmatch(student_id) and not _DIGEST.search(student_id) and not _RESERVED.fullmatch(student_id):
        return student_id
    digest = hashlib.sha256(student_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_slug(student_id) or 'student'}-{digest}"


def _slug(text: str) -> str:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    # Beyond the first plane, and for letters that need marks to be drawn, file systems and archivers differ.
    kept = "".join(letter if letter.isalnum() and ord(letter) < 0x10000 else "-" for letter in folded)
    words = "-".join(word for word in kept.split("-") if word)
    return words.encode()[:_LONGEST_BYTES].decode("utf-8", "ignore").strip("-")
