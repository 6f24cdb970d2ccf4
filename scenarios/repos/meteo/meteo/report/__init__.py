"""Reports: rows are made once, renderers only lay them out."""

from __future__ import annotations

from dataclasses import dataclass

from meteo.aggregate import Bin
from meteo.timeutil import format_time


@dataclass(frozen=True)
class Row:
    """One bin of every parameter."""

    time: str
    values: dict[str, float | None]


def rows(bins: dict[str, list[Bin]]) -> list[Row]:
    """Joins the bins of several parameters by their start."""
    starts = sorted({bin_.start for column in bins.values() for bin_ in column})
    by_parameter = {
        parameter: {bin_.start: bin_.value for bin_ in column} for parameter, column in sorted(bins.items())
    }
    return [
        Row(format_time(start), {parameter: values.get(start) for parameter, values in by_parameter.items()})
        for start in starts
    ]
