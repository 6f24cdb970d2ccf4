"""Times: parsing, alignment to bins, and durations as people write them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

_DURATION = re.compile(r"(?P<count>\d+)(?P<unit>min|h|d)")
_UNITS = {"min": timedelta(minutes=1), "h": HOUR, "d": DAY}


def parse_time(text: str) -> datetime:
    """``YYYY-MM-DDTHH:MM[:SS][Z]`` as an aware UTC time.

    Raises ValueError for anything else, offsets other than Z included: loggers run on UTC.
    """
    bare = text.strip().removesuffix("Z")
    for pattern in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"):
        try:
            return datetime.strptime(bare, pattern).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
    raise ValueError(f"not a UTC time: {text!r}")


def format_time(time: datetime) -> str:
    """The shortest form that ``parse_time`` reads back."""
    pattern = "%Y-%m-%dT%H:%MZ" if time.second == 0 else "%Y-%m-%dT%H:%M:%SZ"
    return time.astimezone(timezone.utc).strftime(pattern)


def parse_duration(text: str) -> timedelta:
    """``90min``, ``6h``, ``2d`` or a sum such as ``1d12h``."""
    total = timedelta()
    position = 0
    for match in _DURATION.finditer(text):
        if match.start() != position:
            break
        total += int(match["count"]) * _UNITS[match["unit"]]
        position = match.end()
    if position != len(text) or not text:
        raise ValueError(f"not a duration: {text!r}")
    return total


def floor_to(time: datetime, width: timedelta) -> datetime:
    """Start of the bin of ``width`` that holds ``time``; bins are aligned to the UTC day."""
    midnight = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + ((time - midnight) // width) * width


def hours_between(earlier: datetime, later: datetime) -> float:
    """Elapsed hours, fractions included; negative when the order is wrong."""
    return (later - earlier) / HOUR
