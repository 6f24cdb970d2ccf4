"""Exchange rates and conversion.

Rates are quoted as *units of the target for one unit of the source* and hold from their date until the next one.
"""

from bisect import bisect_right
from collections import defaultdict
from datetime import date
from decimal import Decimal

from ledger.errors import MissingRate, ParseError
from ledger.money import Money, round_half_even


class RateTable:
    """Dated exchange rates, looked up by the latest date that isn't after the day asked for."""

    def __init__(self, base="EUR"):
        self.base = base
        self._days = defaultdict(list)
        self._rates = {}

    def add(self, source, target, day, rate):
        """Stores a rate; a second one for the same day replaces the first."""
        rate = Decimal(rate)
        if rate <= 0:
            raise ParseError("a positive rate", str(rate))
        days = self._days[(source, target)]
        position = bisect_right(days, day)
        if position == 0 or days[position - 1] != day:
            days.insert(position, day)
        self._rates[(source, target, day)] = rate

    def lookup(self, source, target, day):
        """The rate in force on a day: direct, inverse, or through the base currency."""
        if source == target:
            return Decimal(1)
        direct = self._direct(source, target, day)
        if direct is not None:
            return direct
        inverse = self._direct(target, source, day)
        if inverse is not None:
            return Decimal(1) / inverse
        if self.base not in (source, target):
            return self.lookup(source, self.base, day) * self.lookup(self.base, target, day)
        raise MissingRate(source, target, day)

    def _direct(self, source, target, day):
        days = self._days.get((source, target), [])
        position = bisect_right(days, day)
        if position == 0:
            return None
        return self._rates[(source, target, days[position - 1])]

    def convert(self, money, target, day):
        """Converts and rounds to the target's minor unit, halves to even."""
        rate = self.lookup(money.currency, target, day)
        return Money(round_half_even(money.amount * rate, target), target)


def exchange_difference(invoiced, paid, rates, issued, settled, home):
    """Gain (positive) or loss in the home currency between issue and settlement.

    Only the settled part counts: what is still open keeps its old value until it is paid.
    """
    settled_part = min(invoiced.amount, paid.amount)
    part = Money(settled_part, invoiced.currency)
    before = rates.convert(part, home, issued)
    after = rates.convert(part, home, settled)
    return after - before


def load_rates(rows, base="EUR"):
    """Builds a table from rows ``{"date", "from", "to", "rate"}``."""
    table = RateTable(base)
    for number, row in enumerate(rows, start=1):
        try:
            day = date.fromisoformat(row["date"])
        except ValueError:
            raise ParseError("a date", row["date"], f"rates row {number}") from None
        table.add(row["from"], row["to"], day, row["rate"])
    return table
