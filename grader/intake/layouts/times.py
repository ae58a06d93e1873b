"""Read the times that learning platforms write."""

import re
from datetime import UTC, datetime, tzinfo

_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\d*\s*(.*)", re.DOTALL)
_UTC_NAMES = frozenset({"UTC", "GMT", "Z"})


def aware(time: datetime, zone: tzinfo | None) -> datetime:
    """Return a time with a time zone: its own, else the one given, else UTC."""
    return time if time.tzinfo else time.replace(tzinfo=zone or UTC)


def parse_time(text: str, zone: tzinfo | None) -> datetime | None:
    """
    Return the time that a text such as ``2026-11-20 10:00:00 UTC`` says, or ``None``.

    A time zone by name is known if it is UTC, or the name of ``zone`` at that time: ``CET`` means many things.
    """
    found = _STAMP.fullmatch(text.strip())
    if not found:
        return None
    try:
        time = datetime.fromisoformat(f"{found[1]} {found[2]}")
        name = found[3].strip()
        if not name:
            return aware(time, zone)
        if name.upper() in _UTC_NAMES:
            return time.replace(tzinfo=UTC)
        if zone and zone.tzname(time) == name:
            return time.replace(tzinfo=zone)
        return datetime.strptime(f"{time.isoformat()} {name}", f"{_format(time)} %z")
    except ValueError:
        return None


def _format(time: datetime) -> str:
    return "%Y-%m-%dT%H:%M:%S.%f" if time.microsecond else "%Y-%m-%dT%H:%M:%S"
