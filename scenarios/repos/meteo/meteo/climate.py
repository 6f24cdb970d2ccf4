"""Climate figures from daily values: means, frost and summer days, degree days, and deviations from normals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from meteo.aggregate import Bin, daily, extremes
from meteo.model import Series

HEATING_BASE = 15.0
"""Below this daily mean buildings are heated (VDI 3807)."""

INDOOR = 20.0


@dataclass(frozen=True)
class Day:
    """Temperature of one day in C; None where too little was usable."""

    day: date
    mean: float | None
    lowest: float | None
    highest: float | None

    @property
    def frost(self) -> bool:
        """The lowest temperature was below 0."""
        return self.lowest is not None and self.lowest < 0.0

    @property
    def ice(self) -> bool:
        """It never rose to 0."""
        return self.highest is not None and self.highest < 0.0

    @property
    def summer(self) -> bool:
        """It reached 25 or more."""
        return self.highest is not None and self.highest >= 25.0


@dataclass(frozen=True)
class Summary:
    """Figures of a period."""

    days: int
    mean: float | None
    frost_days: int
    ice_days: int
    summer_days: int
    degree_days: float
    incomplete: int


def temperature_days(temperature: Series, interval: timedelta, needed_share: float = 0.75) -> list[Day]:
    """One entry a day from the first to the last reading."""
    days = []
    for bin_ in daily(temperature, interval, needed_share=needed_share):
        readings = temperature.between(bin_.start, bin_.start + bin_.width)
        found = extremes(readings) if bin_.value is not None else None
        low, high = (found[0].value, found[1].value) if found else (None, None)
        days.append(Day(bin_.start.date(), bin_.value, low, high))
    return days


def summarise(days: list[Day]) -> Summary:
    """Counts and means over the days that are complete; the others are counted as incomplete."""
    complete = [day for day in days if day.mean is not None]
    mean = math.fsum(day.mean for day in complete) / len(complete) if complete else None
    return Summary(
        days=len(days),
        mean=mean,
        frost_days=sum(day.frost for day in complete),
        ice_days=sum(day.ice for day in complete),
        summer_days=sum(day.summer for day in complete),
        degree_days=math.fsum(degree_day(day.mean) for day in complete),
        incomplete=len(days) - len(complete),
    )


def degree_day(mean: float) -> float:
    """Heating degree day of a daily mean: its distance to the room's temperature, 0 on days without heating."""
    return INDOOR - mean if mean < HEATING_BASE else 0.0


def deviations(bins: list[Bin], normals: Mapping[int, float]) -> dict[date, float]:
    """Difference of each daily value from the normal of its month; days without a value or a normal are left out."""
    found = {}
    for bin_ in bins:
        normal = normals.get(bin_.start.month)
        if bin_.value is not None and normal is not None:
            found[bin_.start.date()] = bin_.value - normal
    return found


def trend(values: list[float]) -> float | None:
    """Slope of the least-squares line through equally spaced values, per step; None for fewer than three."""
    count = len(values)
    if count < 3:
        return None
    middle = (count - 1) / 2.0
    level = math.fsum(values) / count
    above = math.fsum((index - middle) * (value - level) for index, value in enumerate(values))
    below = math.fsum((index - middle) ** 2 for index in range(count))
    return above / below
