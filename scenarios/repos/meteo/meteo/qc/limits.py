"""Limits check: values that can't be, and values that hardly ever are."""

from __future__ import annotations

from dataclasses import dataclass

from meteo.model import Reading, Series
from meteo.qc.flags import Flag


@dataclass(frozen=True)
class Limits:
    """Physical limits (outside: bad) and climatological limits (outside: suspect), both inclusive."""

    physical: tuple[float, float]
    climate: tuple[float, float]

    def judge(self, value: float) -> Flag:
        """The flag that a value deserves by its size alone."""
        if not self.physical[0] <= value <= self.physical[1]:
            return Flag.BAD
        if not self.climate[0] <= value <= self.climate[1]:
            return Flag.SUSPECT
        return Flag.GOOD


LIMITS = {
    "temperature": Limits((-80.0, 60.0), (-30.0, 42.0)),
    "dew_point": Limits((-90.0, 45.0), (-40.0, 28.0)),
    "pressure": Limits((800.0, 1100.0), (940.0, 1060.0)),
    "wind_speed": Limits((0.0, 110.0), (0.0, 45.0)),
    "gust": Limits((0.0, 130.0), (0.0, 65.0)),
    "wind_direction": Limits((0.0, 360.0), (0.0, 360.0)),
    "rain": Limits((0.0, 150.0), (0.0, 60.0)),
    "humidity": Limits((0.0, 100.0), (5.0, 100.0)),
}


def check_limits(series: Series, limits: dict[str, Limits] | None = None) -> Series:
    """Flags each reading by its size; a parameter without limits passes."""
    table = LIMITS if limits is None else limits
    limit = table.get(series.parameter)
    if limit is None:
        return series
    return series.with_readings(_judged(reading, limit) for reading in series)


def _judged(reading: Reading, limit: Limits) -> Reading:
    if reading.value is None:
        return reading
    return reading.worsened(limit.judge(reading.value))


def dew_point_above_temperature(temperature: Series, dew_point: Series, tolerance: float = 0.3) -> Series:
    """Flags dew points above the air temperature of the same moment as suspect.

    ``tolerance`` covers the rounding of both instruments, in C.
    """
    air = {reading.time: reading.value for reading in temperature if reading.usable(accept_suspect=True)}
    checked = []
    for reading in dew_point:
        reference = air.get(reading.time)
        impossible = reading.value is not None and reference is not None and reading.value > reference + tolerance
        checked.append(reading.worsened(Flag.SUSPECT) if impossible else reading)
    return dew_point.with_readings(checked)
