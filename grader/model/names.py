"""Compare people's names, which every system writes in its own way."""

import re
import unicodedata


def name_keys(name: str) -> set[str]:
    """Return how a name could be written in one word: ``Doe, Ann Mary`` and ``Ann Mary Doe`` share one."""
    words = name_words(name)
    turned = {"".join(words[at:] + words[:at]) for at in range(len(words))}
    return turned | {"".join(sorted(words))} if words else set()


def name_words(name: str) -> list[str]:
    """Return the words of a name in lower case, without accents and signs."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word for part in re.split(r"[\s,_]+", letters) if (word := re.sub(r"\W", "", part))]


def names_agree(name: str, other: str) -> bool:
    """Whether two names can be one person's; one that is empty says nothing for it."""
    return not name_keys(name).isdisjoint(name_keys(other))


def names_differ(name: str, other: str) -> bool:
    """Whether two names speak against being one person's; one that is empty says nothing against it."""
    return bool(name_keys(name) and name_keys(other)) and not names_agree(name, other)
