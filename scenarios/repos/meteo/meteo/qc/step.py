"""Step check: changes between neighbouring readings that are too large to be weather.

The reference is the last usable reading, so that one spike doesn't make the sane reading after it suspect as well.
A change of level that stays (a new sensor, a real front) would then be flagged for ever; after ``RESET_AFTER`` suspect
readings in a row that agree with each other the check believes them and starts anew from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from meteo.errors import ConfigError
from meteo.model import Reading, Series
from meteo.qc.flags import Flag
from meteo.timeutil import hours_between

MAX_GAP_HOURS = 6.0
"""Usable readings further apart than this say nothing about each other."""

RESET_AFTER = 6
"""So many suspect readings in a row that agree with each other are a new level, not a spike."""


@dataclass(frozen=True)
class StepLimit:
    """Largest believable change of a parameter in one hour, in its own unit."""

    per_hour: float


STEP_LIMITS = {
    "temperature": StepLimit(6.0),
    "dew_point": StepLimit(5.0),
    "pressure": StepLimit(4.0),
    "humidity": StepLimit(35.0),
    "wind_speed": StepLimit(18.0),
}


def check_step(series: Series, limits: dict[str, StepLimit] | None = None) -> Series:
    """Flags jumps as suspect; a parameter without a limit passes unchanged."""
    table = STEP_LIMITS if limits is None else limits
    limit = table.get(series.parameter)
    if limit is None:
        return series
    return series.with_readings(_walk(series, limit))


def _walk(series: Series, limit: StepLimit) -> list[Reading]:
    checked: list[Reading] = []
    reference: Reading | None = None
    pending: list[Reading] = []
    for reading in series:
        if not reading.usable():
            checked.append(reading)
            continue
        if reference is None or not _jumps(reference, reading, limit):
            checked.append(reading)
            reference = reading
            pending = []
            continue
        checked.append(reading.worsened(Flag.SUSPECT))
        pending = _agreeing(pending, reading, limit)
        if len(pending) >= RESET_AFTER:
            reference = reading
            pending = []
    return checked


def _jumps(reference: Reading, reading: Reading, limit: StepLimit) -> bool:
    """Whether the change from the reference to the reading is larger than the limit allows."""
    change = abs(reading.value - reference.value)
    return change > limit.per_hour


def _agreeing(pending: list[Reading], reading: Reading, limit: StepLimit) -> list[Reading]:
    """The run of suspect readings that ``reading`` continues, or a new run that begins with it."""
    if pending and _jumps(pending[-1], reading, limit):
        return [reading]
    return [*pending, reading]


def parse_limits(entries: dict[str, str]) -> dict[str, StepLimit]:
    """The built-in limits with the changes of a settings section: ``temperature = 8`` or ``humidity = off``.

    Raises ConfigError for parameters without a step limit of their own and for limits that aren't positive.
    """
    table = dict(STEP_LIMITS)
    for parameter, text in entries.items():
        if parameter not in STEP_LIMITS:
            raise ConfigError(f"step limit of {parameter!r}: one of {', '.join(sorted(STEP_LIMITS))} expected")
        if text.strip().lower() == "off":
            del table[parameter]
            continue
        try:
            limit = StepLimit(float(text))
        except ValueError:
            raise ConfigError(f"step limit of {parameter}: not a number: {text!r}") from None
        if not limit.per_hour > 0.0:
            raise ConfigError(f"step limit of {parameter}: must be above 0, found {text}")
        table[parameter] = limit
    return table


def largest_step(series: Series) -> tuple[float, Reading] | None:
    """The largest change per hour between neighbouring usable readings, with the later reading.

    None when there are fewer than two usable readings. For the station report, which lists what the limits were
    compared with; readings at the same moment don't occur in a series.
    """
    best: tuple[float, Reading] | None = None
    previous: Reading | None = None
    for reading in series:
        if not reading.usable(accept_suspect=True):
            continue
        if previous is not None:
            rate = abs(reading.value - previous.value) / hours_between(previous.time, reading.time)
            if best is None or rate > best[0]:
                best = (rate, reading)
        previous = reading
    return best
