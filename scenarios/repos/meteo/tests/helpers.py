"""Small builders for the tests."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from meteo.model import Reading, Series
from meteo.stations import Station

START = datetime(2026, 3, 4, tzinfo=timezone.utc)

HARBOUR = Station(
    "HARBOUR", "Old harbour", 54.18, 7.89, 4.0, network_ids={"wow": "a1c9-harbour", "coastwatch": "CW-0117"}
)


def series(parameter: str, values: list[float | None], minutes: float = 10, start: datetime = START) -> Series:
    """Values at equal distances from ``start`` on."""
    readings = [Reading(start + timedelta(minutes=minutes * index), value) for index, value in enumerate(values)]
    return Series.build("HARBOUR", parameter, readings)


def at_hours(parameter: str, values: dict[float, float | None]) -> Series:
    """Values at the given hours after ``START``."""
    readings = [Reading(START + timedelta(hours=hour), value) for hour, value in values.items()]
    return Series.build("HARBOUR", parameter, readings)


def flags(checked: Series) -> list[str]:
    """Flag names in order."""
    return [reading.flag.name.lower() for reading in checked]
