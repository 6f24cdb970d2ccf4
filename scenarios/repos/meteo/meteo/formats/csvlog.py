"""Logger CSV; the format stands in ``docs/formats.md``."""

from __future__ import annotations

import csv
import re

from meteo.errors import ParseError, UnitError
from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.timeutil import format_time, parse_time
from meteo.units import OWN_UNIT, convert

MISSING = frozenset({"", "-", "nan", "-9999", "-9999.0"})

_COLUMN = re.compile(r"(?P<parameter>[a-z_]+)(\[(?P<unit>[^\]]+)\])?")


def parse(text: str, station: str, source: str = "input") -> dict[str, Series]:
    """One series a column. Raises ParseError with the line that is wrong."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise ParseError(source, 1, "no column line")
    columns = _columns(lines[0][1], source, lines[0][0])
    readings: dict[str, list[Reading]] = {parameter: [] for parameter, _ in columns}
    for number, line in lines[1:]:
        fields = next(csv.reader([line]))
        if len(fields) != len(columns) + 1:
            raise ParseError(source, number, f"{len(columns) + 1} fields expected, {len(fields)} found")
        try:
            time = parse_time(fields[0])
        except ValueError as error:
            raise ParseError(source, number, str(error)) from error
        for (parameter, unit), field in zip(columns, fields[1:], strict=True):
            readings[parameter].append(Reading(time, _value(field, parameter, unit, source, number)))
    return {parameter: Series.build(station, parameter, found) for parameter, found in readings.items()}


def _columns(line: str, source: str, number: int) -> list[tuple[str, str | None]]:
    names = [name.strip() for name in line.split(",")]
    if names[0] != "time":
        raise ParseError(source, number, "the first column must be 'time'")
    columns = []
    for name in names[1:]:
        match = _COLUMN.fullmatch(name)
        if match is None or match["parameter"] not in OWN_UNIT:
            raise ParseError(source, number, f"unknown column {name!r}")
        columns.append((match["parameter"], match["unit"]))
    return columns


def _value(field: str, parameter: str, unit: str | None, source: str, number: int) -> float | None:
    if field.strip().lower() in MISSING:
        return None
    try:
        return convert(parameter, float(field), unit)
    except UnitError as error:
        raise ParseError(source, number, str(error)) from error
    except ValueError:
        raise ParseError(source, number, f"{parameter}: not a number: {field!r}") from None


def render(all_series: dict[str, Series]) -> str:
    """Writes what ``parse`` reads, in the parameters' own units; missing and bad readings stay empty."""
    parameters = sorted(all_series)
    times = sorted({reading.time for series in all_series.values() for reading in series})
    values = {
        parameter: {reading.time: reading for reading in all_series[parameter]} for parameter in parameters
    }
    lines = [",".join(["time", *(f"{parameter}[{OWN_UNIT[parameter]}]" for parameter in parameters)])]
    for time in times:
        cells = [_cell(values[parameter].get(time)) for parameter in parameters]
        lines.append(",".join([format_time(time), *cells]))
    return "\n".join(lines) + "\n"


def _cell(reading: Reading | None) -> str:
    if reading is None or reading.value is None or reading.flag >= Flag.BAD:
        return ""
    return f"{reading.value:g}"
