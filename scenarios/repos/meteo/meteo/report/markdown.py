"""A station's month as Markdown, for the notice board and the newsletter."""

from __future__ import annotations

from dataclasses import dataclass

from meteo.climate import Day, Summary
from meteo.rainfall import Event
from meteo.units import format_value
from meteo.wind import SECTORS


@dataclass(frozen=True)
class Month:
    """What the page shows."""

    station: str
    title: str
    days: list[Day]
    summary: Summary
    rain: list[Event]
    rose: dict[str, float]


def render(month: Month) -> str:
    """The page; sections without data say so instead of vanishing."""
    parts = [f"# {month.station}: {month.title}", _summary(month.summary), _days(month.days)]
    parts.append(_rain(month.rain))
    parts.append(_rose(month.rose))
    return "\n\n".join(parts) + "\n"


def _summary(summary: Summary) -> str:
    mean = format_value("temperature", summary.mean)
    lines = [
        f"Mean temperature {mean} over {summary.days - summary.incomplete} days.",
        f"Frost days: {summary.frost_days}, ice days: {summary.ice_days}, summer days: {summary.summer_days}.",
        f"Heating degree days: {summary.degree_days:.0f}.",
    ]
    if summary.incomplete:
        lines.append(f"{summary.incomplete} days had too few readings and are left out.")
    return "\n".join(lines)


def _days(days: list[Day]) -> str:
    if not days:
        return "No temperatures."
    lines = ["| day | mean | lowest | highest |", "|---|---:|---:|---:|"]
    for day in days:
        cells = (format_value("temperature", value) for value in (day.mean, day.lowest, day.highest))
        lines.append(f"| {day.day.isoformat()} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _rain(rain: list[Event]) -> str:
    if not rain:
        return "No rain."
    total = sum(event.total for event in rain)
    strongest = max(rain, key=lambda event: (event.peak, event.total))
    return f"Rain: {total:.1f} mm, events: {len(rain)}, strongest: {strongest}."


def _rose(rose: dict[str, float]) -> str:
    """Bars of the wind rose, one sector a line; a full bar of 20 signs is the most frequent sector."""
    most = max((rose.get(name, 0.0) for name in SECTORS), default=0.0)
    if most == 0.0:
        return "No wind direction."
    lines = []
    for name in SECTORS:
        share = rose.get(name, 0.0)
        lines.append(f"{name:>4} {'#' * round(20 * share / most):<20} {share:5.1%}")
    lines.append(f"calm {rose.get('calm', 0.0):>26.1%}")
    return "\n".join(["```", *lines, "```"])
