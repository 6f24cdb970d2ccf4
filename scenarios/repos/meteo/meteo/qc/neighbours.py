"""Neighbour check: a station that disagrees with all of its neighbours at once.

Each neighbour's change since the common reference hour is compared with the station's own, so that differences of
height and exposure cancel out. Only neighbours closer than ``REACH_KM`` have a say, and at least two of them must.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.stations import Registry

REACH_KM = 40.0

NEEDED = 2

ALLOWED = {"temperature": 4.0, "dew_point": 4.0, "pressure": 2.0, "humidity": 30.0}
"""Largest believable distance between the station's change and the neighbours' median change."""

REFERENCE = timedelta(hours=3)
"""Changes are taken against the reading this long ago."""


@dataclass(frozen=True)
class Opinion:
    """What the neighbours say about one reading."""

    time: datetime
    own_change: float
    median_change: float
    neighbours: int

    @property
    def distance(self) -> float:
        """How far the station is from its neighbours, in the parameter's unit."""
        return abs(self.own_change - self.median_change)


def check_neighbours(series: Series, others: Mapping[str, Series], registry: Registry) -> Series:
    """Flags readings as suspect whose change no neighbour confirms.

    Parameters that differ from place to place (rain, wind) have no limit and pass unchanged.
    """
    allowed = ALLOWED.get(series.parameter)
    if allowed is None:
        return series
    close = [
        station.id
        for station, distance in registry.nearest(series.station, len(registry.ids()))
        if distance <= REACH_KM and station.id in others
    ]
    changes = [_changes(others[station]) for station in close]
    own = _changes(series)
    return series.with_readings(_judged(reading, own, changes, allowed) for reading in series)


def _judged(
    reading: Reading, own: dict[datetime, float], neighbours: list[dict[datetime, float]], allowed: float
) -> Reading:
    opinion = _opinion(reading.time, own, neighbours)
    if opinion is None or opinion.distance <= allowed:
        return reading
    return reading.worsened(Flag.SUSPECT)


def _opinion(
    time: datetime, own: dict[datetime, float], neighbours: list[dict[datetime, float]]
) -> Opinion | None:
    votes = [changes[time] for changes in neighbours if time in changes]
    if time not in own or len(votes) < NEEDED:
        return None
    return Opinion(time, own[time], statistics.median(votes), len(votes))


def _changes(series: Series) -> dict[datetime, float]:
    """Change of each usable reading against the usable one ``REFERENCE`` earlier, where both exist."""
    usable = {reading.time: reading.value for reading in series if reading.usable()}
    return {time: value - usable[time - REFERENCE] for time, value in usable.items() if time - REFERENCE in usable}
