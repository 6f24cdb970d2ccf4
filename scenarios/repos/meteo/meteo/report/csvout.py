"""CSV for spreadsheets: a point as decimal sign, empty where there is no value."""

from __future__ import annotations

import csv
import io

from meteo.report import Row
from meteo.units import OWN_UNIT

DIGITS = {"pressure": 1, "temperature": 1, "dew_point": 1, "humidity": 0, "rain": 1, "wind_direction": 0}


def render(rows: list[Row]) -> str:
    """The column line names the units, as the logger's does."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    parameters = list(rows[0].values) if rows else []
    writer.writerow(["time", *(f"{parameter}[{OWN_UNIT[parameter]}]" for parameter in parameters)])
    for row in rows:
        writer.writerow([row.time, *(_number(parameter, row.values[parameter]) for parameter in parameters)])
    return buffer.getvalue()


def _number(parameter: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.{DIGITS.get(parameter, 2)}f}"
