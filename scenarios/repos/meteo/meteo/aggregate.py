"""Hourly and daily values; the rules stand in ``docs/aggregation.md``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from meteo.model import Reading, Series
from meteo.timeutil import DAY, HOUR, floor_to
from meteo.units import normalise_degrees

NEEDED_SHARE = 0.75
"""Share of the expected readings that a bin must hold."""

CALM = 0.0
"""Direction that instruments report when there is no wind to have one."""

SHORTEST_RESULTANT = 0.01
"""Average arrows shorter than this point nowhere."""


@dataclass(frozen=True)
class Bin:
    """One aggregated value. ``value`` is None when too few readings were usable."""

    start: datetime
    width: timedelta
    value: float | None
    count: int
    expected: int

    @property
    def complete(self) -> bool:
        """Whether every expected reading was usable."""
        return self.count >= self.expected


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values)


def _total(values: list[float]) -> float | None:
    return math.fsum(values)


def _direction(values: list[float]) -> float | None:
    """Mean direction in degrees, 360 for north; None when there was none."""
    blowing = [value for value in values if value != CALM]
    if not blowing:
        return None
    return normalise_degrees(round(_mean(blowing), 1))


METHODS: dict[str, Callable[[list[float]], float | None]] = {
    "temperature": _mean,
    "dew_point": _mean,
    "pressure": _mean,
    "humidity": _mean,
    "wind_speed": _mean,
    "gust": max,
    "rain": _total,
    "wind_direction": _direction,
}


def aggregate(
    series: Series,
    width: timedelta,
    interval: timedelta,
    needed_share: float = NEEDED_SHARE,
    accept_suspect: bool = False,
) -> list[Bin]:
    """The bins from the first to the last reading, empty ones included.

    ``interval`` is the time between readings that the station promises; it gives the number that is expected.
    """
    method = METHODS[series.parameter]
    expected = max(1, width // interval)
    usable = _by_bin((r for r in series if r.usable(accept_suspect)), width)
    bins = []
    for start in _starts(series, width):
        values = usable.get(start, [])
        enough = bool(values) and len(values) >= needed_share * expected
        bins.append(Bin(start, width, method(values) if enough else None, len(values), expected))
    return bins


def hourly(series: Series, interval: timedelta, **options: object) -> list[Bin]:
    """``aggregate`` by the hour."""
    return aggregate(series, HOUR, interval, **options)


def daily(series: Series, interval: timedelta, **options: object) -> list[Bin]:
    """``aggregate`` by the day (UTC)."""
    return aggregate(series, DAY, interval, **options)


def extremes(series: Series) -> tuple[Reading, Reading] | None:
    """The lowest and the highest usable reading, the earlier of equals; None when nothing is usable."""
    usable = [reading for reading in series if reading.usable()]
    if not usable:
        return None
    lowest = min(usable, key=lambda reading: (reading.value, reading.time))
    highest = min(usable, key=lambda reading: (-reading.value, reading.time))
    return lowest, highest


def _by_bin(readings: Iterable[Reading], width: timedelta) -> dict[datetime, list[float]]:
    values: dict[datetime, list[float]] = {}
    for reading in readings:
        values.setdefault(floor_to(reading.time, width), []).append(reading.value)
    return values


def _starts(series: Series, width: timedelta) -> list[datetime]:
    """Starts of all bins that the series touches, without holes."""
    if not len(series):
        return []
    start = floor_to(series.readings[0].time, width)
    last = floor_to(series.readings[-1].time, width)
    starts = []
    while start <= last:
        starts.append(start)
        start += width
    return starts
