"""Parsers. Each returns ``{parameter: Series}`` for one station."""

from __future__ import annotations

from pathlib import Path

from meteo.formats import csvlog, synop
from meteo.model import Series


def read_file(path: Path, station: str) -> dict[str, Series]:
    """Picks the parser by the file's first telegram header or column line."""
    text = path.read_text(encoding="utf-8")
    if any(line.startswith("AAXX") for line in text.splitlines()):
        year, month = synop.month_from_name(path.name)
        return synop.parse(text, station, year, month, source=path.name)
    return csvlog.parse(text, station, source=path.name)
