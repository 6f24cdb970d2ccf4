"""SYNOP telegrams of automatic stations; the subset stands in ``docs/formats.md``."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from meteo.errors import ParseError
from meteo.model import Reading, Series
from meteo.units import convert

_FILE_NAME = re.compile(r".*(?P<year>\d{4})-(?P<month>\d{2}).*")
_WIND_UNITS = {"0": "m/s", "1": "m/s", "3": "kt", "4": "kt"}
_CALM = 0.0


def month_from_name(name: str) -> tuple[int, int]:
    """Telegrams carry the day but not the month; the file's name does: ``synop-2026-03.txt``."""
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        raise ParseError(name, 1, "the file's name must hold the month as YYYY-MM")
    return int(match["year"]), int(match["month"])


def parse(text: str, station: str, year: int, month: int, source: str = "input") -> dict[str, Series]:
    """All telegrams of a file that belong to the station."""
    readings: dict[str, list[Reading]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        groups = line.strip().rstrip("=").split()
        if not groups or groups[0] != "AAXX":
            continue
        if len(groups) < 6:
            raise ParseError(source, number, "telegram ends before its wind group")
        if groups[3] != station:
            continue
        try:
            time = datetime(year, month, int(groups[1][:2]), int(groups[1][2:4]), tzinfo=timezone.utc)
            found = dict(_wind(groups[5], _WIND_UNITS[groups[1][4]]))
            for group in groups[6:]:
                found.update(_group(group))
        except (ValueError, KeyError, IndexError):
            raise ParseError(source, number, "not a telegram of the known subset") from None
        for parameter, value in found.items():
            readings.setdefault(parameter, []).append(Reading(time, value))
    return {parameter: Series.build(station, parameter, found) for parameter, found in readings.items()}


def _wind(group: str, unit: str) -> list[tuple[str, float | None]]:
    """``Nddff``: direction in tens of degrees, 00 for calm and 99 for variable."""
    tens, speed = group[1:3], group[3:5]
    direction = None if tens in ("99", "//") else float(tens) * 10.0
    force = None if speed == "//" else convert("wind_speed", float(speed), unit)
    return [("wind_direction", _CALM if force == 0.0 else direction), ("wind_speed", force)]


def _group(group: str) -> dict[str, float | None]:
    """The parameters of one five-figure group; empty for groups outside the subset."""
    kind, body = group[0], group[1:]
    if kind == "1":
        return {"temperature": _signed_tenths(body)}
    if kind == "2":
        return {"dew_point": _signed_tenths(body)}
    if kind == "4":
        return {"pressure": _pressure(body)}
    if kind == "6":
        return {"rain": _rain(body[:3])}
    return {}


def _signed_tenths(body: str) -> float | None:
    if "/" in body:
        return None
    sign = {"0": 1.0, "1": -1.0}[body[0]]
    return sign * int(body[1:]) / 10.0


def _pressure(body: str) -> float | None:
    """Tenths of hPa without the thousands: 9985 is 998.5, 0132 is 1013.2."""
    if "/" in body:
        return None
    tenths = int(body)
    return (tenths + 10000) / 10.0 if tenths < 5000 else tenths / 10.0


def _rain(body: str) -> float | None:
    """Whole millimetres; 990 is a trace and 991 to 999 are tenths."""
    if "/" in body:
        return None
    amount = int(body)
    return (amount - 990) / 10.0 if amount >= 990 else float(amount)
