"""How much of a submission is read at most."""

MIB = 1024 * 1024

MAX_FILES = 200
"""Source files in one submission."""
MAX_CODE_BYTES = 1 * MIB
"""Bytes of a module, and of the code in a notebook."""
MAX_NOTEBOOK_BYTES = 16 * MIB
"""Bytes of a notebook as a file: the pictures in its outputs are not code, but they have to be read past."""
MAX_ANSWERS_BYTES = 64 * 1024
"""Bytes of a file of predictions."""
MAX_TOTAL_CODE = 4 * MIB
"""Characters of code in all."""
MAX_TOTAL_BYTES = 48 * MIB
"""Bytes read in all, pictures included."""
MAX_DEPTH = 12
"""Folders below the root."""
MAX_PATH = 400
"""Characters of a path inside the submission."""
MAX_ENTRIES = 20_000
"""Directory entries looked at, ignored folders left out."""
MAX_CODE_CELLS = 2_000
"""Code cells in one notebook."""
MAX_TOKENISED = 100_000
"""Characters of cells with magics that are tokenised, in all: seconds at worst, hundreds of ordinary cells."""
MAX_NOTICES = 50
"""Files named as unreadable, and notes: more than a person reads would only hide the rest."""

MAX_ARCHIVES = 5
"""Archives opened inside a folder or an archive."""
MAX_INNER_ARCHIVE_BYTES = 16 * MIB
"""Bytes of an archive inside an archive: it has to be held in memory."""
MAX_DIRECTORY_BYTES = 4 * MIB
"""Bytes of an archive's table of contents, some 40,000 entries."""
MAX_RATIO = 200
"""Bytes that one packed byte may become; source code packs five to ten times."""
RATIO_FREE_BYTES = 64 * 1024
"""Files up to this size may be packed as tightly as they like."""

MAX_CLASS_STUDENTS = 100_000
"""Folders and files of a class that are looked at in one folder."""
MAX_CLASS_ENTRIES = 1_000_000
"""Entries of a class's archive."""
MAX_CLASS_DIRECTORY_BYTES = 256 * MIB
"""Bytes of the table of contents of a class's archive."""
MAX_HANDED_IN_ARCHIVE_BYTES = 64 * MIB
"""Bytes of one student's archive inside the class's: it has to be held in memory."""
MAX_METADATA_BYTES = 256 * MIB
"""Bytes of what a learning platform says about the whole class."""
MAX_NOTE_BYTES = 64 * 1024
"""Bytes of what a learning platform says about one hand-in."""
MAX_ROSTER_BYTES = 16 * MIB
"""Bytes of a roster."""


def in_words(size: int) -> str:
    """Return a size for people, such as ``2.3 MiB``."""
    if size < 1024:
        return f"{size} bytes"
    if size < MIB:
        return f"{size / 1024:.1f} KiB"
    return f"{size / MIB:.1f} MiB"
