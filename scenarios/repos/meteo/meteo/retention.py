"""Retention: which of the stored daily files may go.

Recent days are kept in full; older ones thin out to the first day of each month, and those of each year stay for good.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from meteo.timeutil import parse_duration

_NAME = re.compile(r"(?P<station>[A-Z]+)-(?P<day>\d{4}-\d{2}-\d{2})\.csv")


@dataclass(frozen=True)
class Policy:
    """How long files of each kind are kept, counted back from today."""

    days: timedelta = timedelta(days=90)
    months: timedelta = timedelta(days=730)

    @classmethod
    def parse(cls, days: str, months: str) -> "Policy":
        """Reads durations such as ``90d``. Raises ValueError when months end before days do."""
        policy = cls(parse_duration(days), parse_duration(months))
        if policy.months < policy.days:
            raise ValueError("monthly files can't be kept for less time than daily ones")
        return policy

    def keeps(self, day: date, today: date) -> bool:
        """Whether the file of a day is still wanted; a day in the future always is."""
        age = today - day
        if age <= self.days:
            return True
        if day.day != 1:
            return False
        return day.month == 1 or age <= self.months


def expired(names: list[str], policy: Policy, today: date) -> list[str]:
    """File names that may be deleted, sorted. Names of another shape are never touched."""
    gone = []
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        if not policy.keeps(date.fromisoformat(match["day"]), today):
            gone.append(name)
    return sorted(gone)


def file_name(station: str, day: date) -> str:
    """Name under which a station's day is stored."""
    return f"{station}-{day.isoformat()}.csv"
