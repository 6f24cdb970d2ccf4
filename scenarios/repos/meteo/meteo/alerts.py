"""Alerts: threshold rules with a hold time, so that one reading alone doesn't wake anybody."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from meteo.errors import ConfigError
from meteo.model import Reading, Series
from meteo.timeutil import format_time, parse_duration
from meteo.units import OWN_UNIT, format_value

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True)
class Rule:
    """``parameter comparison threshold`` that must hold for ``hold`` before the alert is raised."""

    name: str
    parameter: str
    comparison: str
    threshold: float
    hold: timedelta = timedelta(0)

    @classmethod
    def parse(cls, name: str, text: str) -> "Rule":
        """Reads ``gust >= 20 for 30min``; the part from ``for`` on may be left out."""
        words = text.split()
        if len(words) not in (3, 5) or (len(words) == 5 and words[3] != "for"):
            raise ConfigError(f"alert {name}: expected 'parameter comparison value [for duration]', found {text!r}")
        parameter, comparison, threshold = words[:3]
        if parameter not in OWN_UNIT:
            raise ConfigError(f"alert {name}: unknown parameter {parameter!r}")
        if comparison not in _COMPARISONS:
            raise ConfigError(f"alert {name}: unknown comparison {comparison!r}")
        try:
            hold = parse_duration(words[4]) if len(words) == 5 else timedelta(0)
            return cls(name, parameter, comparison, float(threshold), hold)
        except ValueError as error:
            raise ConfigError(f"alert {name}: {error}") from error

    def holds(self, value: float) -> bool:
        """Whether a value meets the rule."""
        return _COMPARISONS[self.comparison](value, self.threshold)


@dataclass(frozen=True)
class Alert:
    """A stretch during which a rule held long enough."""

    rule: Rule
    start: datetime
    end: datetime
    worst: float

    def __str__(self) -> str:
        value = format_value(self.rule.parameter, self.worst)
        return f"{self.rule.name}: {format_time(self.start)} to {format_time(self.end)}, worst {value}"


def evaluate(rule: Rule, series: Series) -> list[Alert]:
    """All alerts of a rule. Readings that aren't usable neither end nor prolong a stretch."""
    alerts = []
    stretch: list[Reading] = []
    for reading in series:
        if not reading.usable():
            continue
        if rule.holds(reading.value):
            stretch.append(reading)
            continue
        alerts.extend(_alert(rule, stretch))
        stretch = []
    alerts.extend(_alert(rule, stretch))
    return alerts


def _alert(rule: Rule, stretch: list[Reading]) -> list[Alert]:
    if not stretch or stretch[-1].time - stretch[0].time < rule.hold:
        return []
    pick = max if rule.comparison in (">", ">=") else min
    worst = pick(reading.value for reading in stretch)
    return [Alert(rule, stretch[0].time, stretch[-1].time, worst)]
