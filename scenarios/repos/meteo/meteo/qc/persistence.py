"""Persistence check: a sensor that is stuck repeats itself."""

from __future__ import annotations

from datetime import timedelta

from meteo.model import Reading, Series
from meteo.qc.flags import Flag

STUCK_AFTER = {
    "temperature": timedelta(hours=6),
    "dew_point": timedelta(hours=6),
    "pressure": timedelta(hours=5),
    "humidity": timedelta(hours=12),
    "wind_speed": timedelta(hours=4),
    "wind_direction": timedelta(hours=4),
}
"""How long a value may stay the same."""

MAY_REST_AT_ZERO = frozenset({"wind_speed", "wind_direction", "gust", "rain"})

SATURATED = {"humidity": 100.0}
"""Values at which an instrument may rest for days: fog keeps the humidity at 100 %."""


def check_persistence(series: Series, stuck_after: dict[str, timedelta] | None = None) -> Series:
    """Flags whole runs of equal values that last at least the parameter's stuck time."""
    table = STUCK_AFTER if stuck_after is None else stuck_after
    limit = table.get(series.parameter)
    if limit is None:
        return series
    stuck: set[int] = set()
    for run in _runs(series):
        first, last = series.readings[run[0]], series.readings[run[-1]]
        if last.time - first.time >= limit and not _may_rest(series.parameter, first.value):
            stuck.update(run)
    return series.with_readings(
        reading.worsened(Flag.SUSPECT) if index in stuck else reading for index, reading in enumerate(series)
    )


def _runs(series: Series) -> list[list[int]]:
    """Positions of equal values that follow each other; missing readings neither break nor lengthen a run."""
    runs: list[list[int]] = []
    previous: Reading | None = None
    for index, reading in enumerate(series):
        if reading.value is None:
            continue
        if previous is not None and reading.value == previous.value:
            runs[-1].append(index)
        else:
            runs.append([index])
        previous = reading
    return runs


def _may_rest(parameter: str, value: float) -> bool:
    if value == 0.0 and parameter in MAY_REST_AT_ZERO:
        return True
    return SATURATED.get(parameter) == value
