"""Wind: components, sectors, the Beaufort scale and the wind rose."""

from __future__ import annotations

import math
from collections import Counter

from meteo.model import Series
from meteo.units import normalise_degrees

SECTORS = ("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW")

BEAUFORT = (0.3, 1.6, 3.4, 5.5, 8.0, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7)
"""Lower ends of forces 1 to 12, m/s."""


def components(speed: float, direction: float) -> tuple[float, float]:
    """(u, v): the wind's movement to the east and to the north, in the unit of ``speed``.

    The direction says where the wind comes from, so a north wind has a negative v.
    """
    angle = math.radians(direction)
    return -speed * math.sin(angle), -speed * math.cos(angle)


def from_components(u: float, v: float) -> tuple[float, float]:
    """(speed, direction); the direction of no wind at all is 0."""
    speed = math.hypot(u, v)
    if speed == 0.0:
        return 0.0, 0.0
    return speed, normalise_degrees(math.degrees(math.atan2(-u, -v)))


def sector(direction: float) -> str:
    """Name of one of sixteen sectors; ``calm`` for 0."""
    if direction == 0.0:
        return "calm"
    width = 360.0 / len(SECTORS)
    return SECTORS[int((direction + width / 2.0) // width) % len(SECTORS)]


def beaufort(speed: float) -> int:
    """Force 0 to 12 of a ten-minute mean speed in m/s."""
    return sum(speed >= lower for lower in BEAUFORT)


def rose(direction: Series) -> dict[str, float]:
    """Share of usable readings in each sector and in calm; sums to 1 unless nothing is usable."""
    counts = Counter(sector(reading.value) for reading in direction if reading.usable())
    total = sum(counts.values())
    return {name: counts[name] / total if total else 0.0 for name in (*SECTORS, "calm")}


def prevailing(direction: Series) -> str | None:
    """The most frequent sector, the first one clockwise from north among equals; None without readings."""
    shares = rose(direction)
    blowing = {name: share for name, share in shares.items() if name != "calm" and share > 0.0}
    if not blowing:
        return None
    return max(blowing, key=lambda name: (blowing[name], -SECTORS.index(name)))


def gust_factor(speed: Series, gust: Series) -> float | None:
    """Mean ratio of gust to mean speed where it blows with at least 5 m/s; None without such a moment."""
    mean_speed = {reading.time: reading.value for reading in speed if reading.usable()}
    ratios = [
        reading.value / mean_speed[reading.time]
        for reading in gust
        if reading.usable() and mean_speed.get(reading.time, 0.0) >= 5.0
    ]
    return math.fsum(ratios) / len(ratios) if ratios else None
