"""Gaps: where readings should be and aren't."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.timeutil import format_time, hours_between


@dataclass(frozen=True)
class Gap:
    """An outage: the last usable reading before it and the first one after it."""

    before: datetime
    after: datetime
    missing: int

    @property
    def hours(self) -> float:
        """Length between the two usable readings."""
        return hours_between(self.before, self.after)

    def __str__(self) -> str:
        return f"{format_time(self.before)} to {format_time(self.after)}: {self.missing} readings missing"


def find_gaps(series: Series, interval: timedelta, tolerance: float = 0.5) -> list[Gap]:
    """Stretches longer than one interval between usable readings.

    ``tolerance`` is the share of an interval by which a reading may be late. Gaps before the first and after the last
    usable reading can't be seen from the series alone.
    """
    gaps = []
    previous: datetime | None = None
    for reading in series:
        if not reading.usable(accept_suspect=True):
            continue
        if previous is not None and reading.time - previous > interval * (1.0 + tolerance):
            missing = round((reading.time - previous) / interval) - 1
            gaps.append(Gap(previous, reading.time, max(missing, 1)))
        previous = reading.time
    return gaps


def with_missing(series: Series, interval: timedelta) -> Series:
    """The series with an explicit missing reading wherever one was due inside a gap."""
    added = []
    for gap in find_gaps(series, interval):
        time = gap.before + interval
        while time < gap.after - interval / 2:
            added.append(Reading(time, None, Flag.MISSING))
            time += interval
    known = {reading.time for reading in series}
    return Series.build(
        series.station, series.parameter, [*series, *(reading for reading in added if reading.time not in known)]
    )


def longest_gap(series: Series, interval: timedelta) -> Gap | None:
    """The gap with the most hours; the earlier one of equals."""
    return max(find_gaps(series, interval), key=lambda gap: gap.hours, default=None)


def longest_outage_line(series: Series, interval: timedelta) -> str:
    """One line for the station report."""
    gap = longest_gap(series, interval)
    if gap is None:
        return f"{series.parameter}: no outage"
    return f"{series.parameter}: longest outage {gap.hours:.1f} h ({gap})"
