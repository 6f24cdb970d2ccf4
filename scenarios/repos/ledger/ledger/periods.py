"""Fiscal years and the months in them."""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

from ledger.errors import LedgerError


@dataclass(frozen=True)
class Period:
    """A named span of days, both ends included."""

    name: str
    first: date
    last: date
    closed: bool = False

    def __contains__(self, day):
        return self.first <= day <= self.last

    @property
    def days(self):
        """Length in days."""
        return (self.last - self.first).days + 1


class Periods:
    """Periods in order, without overlap."""

    def __init__(self, periods=()):
        self._periods = sorted(periods, key=lambda period: period.first)
        for earlier, later in zip(self._periods, self._periods[1:]):
            if later.first <= earlier.last:
                raise LedgerError(f"periods {earlier.name} and {later.name} overlap")

    def __iter__(self):
        return iter(self._periods)

    def containing(self, day):
        """The period of a day, or nothing."""
        for period in self._periods:
            if day in period:
                return period
        return None

    def named(self, name):
        """The period with a name."""
        for period in self._periods:
            if period.name == name:
                return period
        raise LedgerError(f"no period {name!r}")

    def open_periods(self):
        """Those that still take entries."""
        return [period for period in self._periods if not period.closed]


def month_end(day):
    """Last day of the month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def next_month(day):
    """First day of the following month."""
    return month_end(day) + timedelta(days=1)


def fiscal_year(year, first_month=1, closed=()):
    """Twelve monthly periods of the fiscal year that *starts* in ``year``.

    Names are ``2024-01`` to ``2024-12`` and count from the first month of the fiscal year, whatever the calendar says.
    ``closed`` holds names.
    """
    periods = []
    first = date(year, first_month, 1)
    for number in range(1, 13):
        last = month_end(first)
        name = f"{year}-{number:02d}"
        periods.append(Period(name, first, last, name in closed))
        first = next_month(first)
    return Periods(periods)


def quarter_of(day, first_month=1):
    """Fiscal quarter (1 to 4) of a day."""
    offset = (day.month - first_month) % 12
    return offset // 3 + 1


def year_of(day, first_month=1):
    """Fiscal year of a day: the calendar year in which that fiscal year started."""
    return day.year if day.month >= first_month else day.year - 1
