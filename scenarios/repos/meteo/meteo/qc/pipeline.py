"""Runs the checks in their order and sums up what they found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from meteo.model import Series
from meteo.qc.flags import Flag, count_flags
from meteo.qc.limits import check_limits, dew_point_above_temperature
from meteo.qc.persistence import check_persistence
from meteo.qc.step import StepLimit, check_step

CHECKS: tuple[tuple[str, Callable[[Series], Series]], ...] = (
    ("limits", check_limits),
    ("step", check_step),
    ("persistence", check_persistence),
)


@dataclass(frozen=True)
class Finding:
    """How many readings of a parameter a check made worse."""

    parameter: str
    check: str
    worsened: int


def control(series: Series, step_limits: dict[str, StepLimit] | None = None) -> tuple[Series, list[Finding]]:
    """One series through every check; ``step_limits`` replaces the built-in ones."""
    findings = []
    for name, check in CHECKS:
        after = check_step(series, step_limits) if check is check_step else check(series)
        worsened = sum(new.flag > old.flag for old, new in zip(series, after, strict=True))
        if worsened:
            findings.append(Finding(series.parameter, name, worsened))
        series = after
    return series, findings


def control_station(
    all_series: dict[str, Series], step_limits: dict[str, StepLimit] | None = None
) -> tuple[dict[str, Series], list[Finding]]:
    """Every parameter of a station, and then the checks between parameters."""
    controlled: dict[str, Series] = {}
    findings: list[Finding] = []
    for parameter in sorted(all_series):
        controlled[parameter], found = control(all_series[parameter], step_limits)
        findings.extend(found)
    if "temperature" in controlled and "dew_point" in controlled:
        before = controlled["dew_point"]
        after = dew_point_above_temperature(controlled["temperature"], before)
        worsened = sum(new.flag > old.flag for old, new in zip(before, after, strict=True))
        if worsened:
            findings.append(Finding("dew_point", "consistency", worsened))
        controlled["dew_point"] = after
    return controlled, findings


def availability(series: Series) -> float:
    """Share of readings that may be used, 0 to 1; 0 for an empty series."""
    if not len(series):
        return 0.0
    counts = count_flags([reading.flag for reading in series])
    return counts[Flag.GOOD.name.lower()] / len(series)
