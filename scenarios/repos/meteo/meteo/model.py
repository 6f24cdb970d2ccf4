"""The few types that every module shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

from meteo.qc.flags import Flag


@dataclass(frozen=True)
class Reading:
    """One value of one parameter at one moment (UTC).

    ``value`` is in the parameter's own unit (see ``meteo.units``); None when the reading is missing.
    """

    time: datetime
    value: float | None
    flag: Flag = Flag.GOOD

    def __post_init__(self) -> None:
        if self.time.tzinfo is None:
            object.__setattr__(self, "time", self.time.replace(tzinfo=timezone.utc))
        if self.value is None and self.flag is not Flag.MISSING:
            object.__setattr__(self, "flag", Flag.MISSING)

    def worsened(self, flag: Flag) -> "Reading":
        """The same reading with the worse of its flag and ``flag``."""
        return replace(self, flag=max(self.flag, flag))

    def usable(self, accept_suspect: bool = False) -> bool:
        """Whether calculations may rely on the value."""
        if self.value is None:
            return False
        return self.flag <= (Flag.SUSPECT if accept_suspect else Flag.GOOD)


@dataclass(frozen=True)
class Series:
    """The readings of one parameter at one station, in order of time."""

    station: str
    parameter: str
    readings: tuple[Reading, ...] = field(default_factory=tuple)

    @classmethod
    def build(cls, station: str, parameter: str, readings: Iterable[Reading]) -> "Series":
        """Sorts the readings; of several at one moment the last one given wins."""
        by_time = {reading.time: reading for reading in readings}
        return cls(station, parameter, tuple(by_time[time] for time in sorted(by_time)))

    def __iter__(self) -> Iterator[Reading]:
        return iter(self.readings)

    def __len__(self) -> int:
        return len(self.readings)

    def with_readings(self, readings: Iterable[Reading]) -> "Series":
        """The same series with other readings."""
        return replace(self, readings=tuple(readings))

    def between(self, start: datetime, end: datetime) -> "Series":
        """Readings with ``start <= time < end``."""
        return self.with_readings(r for r in self.readings if start <= r.time < end)
