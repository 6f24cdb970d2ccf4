"""Storage: one CSV file a station and day, written whole or not at all."""

from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path

from meteo.errors import ParseError
from meteo.formats import csvlog
from meteo.model import Series
from meteo.retention import Policy, expired, file_name
from meteo.timeutil import DAY, floor_to


class Store:
    """A folder of daily files. Times and days are UTC."""

    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, station: str, all_series: dict[str, Series]) -> list[str]:
        """Merges the readings into the days that they touch and returns the names of the files written.

        A new reading replaces a stored one of the same moment. Bad readings are stored as missing.
        """
        written = []
        for day in self._days(all_series):
            merged = self._merge(self.read(station, day), _of_day(all_series, day))
            name = file_name(station, day)
            self._replace(self.folder / name, csvlog.render(merged))
            written.append(name)
        return written

    def read(self, station: str, day: date) -> dict[str, Series]:
        """The series of one day; empty when nothing is stored for it."""
        path = self.folder / file_name(station, day)
        if not path.exists():
            return {}
        return csvlog.parse(path.read_text(encoding="utf-8"), station, source=path.name)

    def read_range(self, station: str, first: date, last: date) -> dict[str, Series]:
        """The series of all days from ``first`` to ``last``, both included."""
        joined: dict[str, Series] = {}
        day = first
        while day <= last:
            joined = self._merge(joined, self.read(station, day))
            day += DAY
        return joined

    def clean(self, policy: Policy, today: date) -> list[str]:
        """Deletes expired files and returns their names."""
        names = [path.name for path in self.folder.iterdir() if path.is_file()]
        gone = expired(names, policy, today)
        for name in gone:
            (self.folder / name).unlink()
        return gone

    def damaged(self) -> list[str]:
        """Messages about files that can't be read, sorted by name."""
        messages = []
        for path in sorted(self.folder.glob("*.csv")):
            try:
                csvlog.parse(path.read_text(encoding="utf-8"), "any", source=path.name)
            except (ParseError, UnicodeDecodeError) as error:
                messages.append(f"{error}")
        return messages

    @staticmethod
    def _days(all_series: dict[str, Series]) -> list[date]:
        return sorted({reading.time.date() for series in all_series.values() for reading in series})

    @staticmethod
    def _merge(old: dict[str, Series], new: dict[str, Series]) -> dict[str, Series]:
        merged = dict(old)
        for parameter, series in new.items():
            before = old[parameter].readings if parameter in old else ()
            merged[parameter] = Series.build(series.station, parameter, [*before, *series])
        return merged

    @staticmethod
    def _replace(path: Path, text: str) -> None:
        """A crash leaves either the old file or the new one."""
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def _of_day(all_series: dict[str, Series], day: date) -> dict[str, Series]:
    found = {}
    for parameter, series in all_series.items():
        readings = [reading for reading in series if reading.time.date() == day]
        if readings:
            start = floor_to(readings[0].time, DAY)
            found[parameter] = series.between(start, start + timedelta(days=1))
    return found
