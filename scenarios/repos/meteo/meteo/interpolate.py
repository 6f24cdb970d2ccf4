"""Interpolation: fills gaps that are short enough to be filled honestly."""

from __future__ import annotations

from datetime import timedelta

from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.units import normalise_degrees

NEVER_FILLED = frozenset({"rain", "gust"})
"""Sums and extremes can't be guessed from their neighbours."""

CALM = 0.0


def fill(series: Series, longest: timedelta = timedelta(hours=1)) -> Series:
    """Fills missing readings whose usable neighbours are at most ``longest`` apart.

    Filled readings are suspect: they are estimates. Longer gaps stay missing.
    """
    if series.parameter in NEVER_FILLED:
        return series
    readings = list(series.readings)
    for index, reading in enumerate(readings):
        if reading.value is not None:
            continue
        before, after = _neighbours(series, index)
        if before is None or after is None or after.time - before.time > longest:
            continue
        share = (reading.time - before.time) / (after.time - before.time)
        value = between(series.parameter, before.value, after.value, share)
        if value is not None:
            readings[index] = Reading(reading.time, value, Flag.SUSPECT)
    return series.with_readings(readings)


def between(parameter: str, start: float, end: float, share: float) -> float | None:
    """The value at ``share`` (0 to 1) of the way from ``start`` to ``end``.

    Directions take the short way round; between a direction and calm there is nothing to interpolate.
    """
    if parameter != "wind_direction":
        return start + (end - start) * share
    if CALM in (start, end):
        return None
    return normalise_degrees(start + shortest_turn(start, end) * share)


def shortest_turn(start: float, end: float) -> float:
    """Signed angle from one direction to another, in (-180, 180]; clockwise is positive."""
    turn = (end - start) % 360.0
    return turn - 360.0 if turn > 180.0 else turn


def _neighbours(series: Series, index: int) -> tuple[Reading | None, Reading | None]:
    """The closest usable readings on either side of a position."""
    before = next((r for r in reversed(series.readings[:index]) if r.usable()), None)
    after = next((r for r in series.readings[index + 1 :] if r.usable()), None)
    return before, after


def resample(series: Series, interval: timedelta) -> Series:
    """Values at exact multiples of ``interval`` from the first reading on, interpolated where needed."""
    usable = [reading for reading in series if reading.usable()]
    if len(usable) < 2:
        return series.with_readings(usable)
    result = []
    time = usable[0].time
    position = 0
    while time <= usable[-1].time:
        while position + 2 < len(usable) and usable[position + 1].time <= time:
            position += 1
        start, end = usable[position], usable[position + 1]
        share = (time - start.time) / (end.time - start.time)
        result.append(Reading(time, between(series.parameter, start.value, end.value, min(share, 1.0))))
        time += interval
    return series.with_readings(result)
