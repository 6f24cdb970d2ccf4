"""Rain: events, intensity and dry spells from what a tipping bucket delivers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from meteo.model import Reading, Series
from meteo.timeutil import format_time, hours_between

DRY_BETWEEN_EVENTS = timedelta(hours=4)
"""So long without rain separates two events."""

TRACE = 0.05
"""Amounts below this are dew on the funnel, mm."""

CLASSES = ((50.0, "violent"), (10.0, "heavy"), (2.5, "moderate"), (0.0, "light"))
"""Lower ends of the intensity classes, mm an hour."""


@dataclass(frozen=True)
class Event:
    """A stretch of rain; ``peak`` is the largest intensity in mm an hour."""

    start: datetime
    end: datetime
    total: float
    peak: float

    @property
    def hours(self) -> float:
        """Duration, including the interval of the last reading."""
        return hours_between(self.start, self.end)

    @property
    def kind(self) -> str:
        """Class of the peak intensity."""
        return next(name for lower, name in CLASSES if self.peak >= lower)

    def __str__(self) -> str:
        return f"{format_time(self.start)}: {self.total:.1f} mm in {self.hours:.1f} h, {self.kind}"


def events(rain: Series, interval: timedelta, dry: timedelta = DRY_BETWEEN_EVENTS) -> list[Event]:
    """All events in order. Missing readings count as dry: they can't prove rain."""
    found: list[Event] = []
    wet: list[Reading] = []
    for reading in rain:
        if not reading.usable(accept_suspect=True) or reading.value < TRACE:
            continue
        if wet and reading.time - wet[-1].time > dry:
            found.append(_event(wet, interval))
            wet = []
        wet.append(reading)
    if wet:
        found.append(_event(wet, interval))
    return found


def _event(wet: list[Reading], interval: timedelta) -> Event:
    per_hour = timedelta(hours=1) / interval
    return Event(
        start=wet[0].time,
        end=wet[-1].time + interval,
        total=math.fsum(reading.value for reading in wet),
        peak=max(reading.value for reading in wet) * per_hour,
    )


def longest_dry_spell(rain: Series) -> timedelta:
    """The longest time between two wet readings, or to the ends of the series."""
    if not len(rain):
        return timedelta(0)
    edges = [rain.readings[0].time]
    edges += [r.time for r in rain if r.usable(accept_suspect=True) and r.value >= TRACE]
    edges.append(rain.readings[-1].time)
    return max(later - earlier for earlier, later in zip(edges, edges[1:], strict=False))


def rolling_maximum(rain: Series, window: timedelta) -> tuple[float, datetime] | None:
    """The largest sum in any window and the moment when that window ends; the earliest of equals."""
    best: tuple[float, datetime] | None = None
    usable = [reading for reading in rain if reading.usable(accept_suspect=True)]
    first = 0
    for last, reading in enumerate(usable):
        while reading.time - usable[first].time >= window:
            first += 1
        total = math.fsum(r.value for r in usable[first : last + 1])
        if best is None or total > best[0]:
            best = (total, reading.time)
    return best
