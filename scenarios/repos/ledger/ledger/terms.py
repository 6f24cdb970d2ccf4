"""Payment terms: when an invoice is due and what an early payer may keep."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from ledger.errors import ParseError
from ledger.money import Money, round_half_up
from ledger.periods import month_end

_NET = re.compile(r"^net(\d{1,3})$")
_EOM = re.compile(r"^eom(?:\+(\d{1,3}))?$")
_DISCOUNT = re.compile(r"^(\d+(?:\.\d+)?)/(\d{1,3}) (.+)$")


@dataclass(frozen=True)
class Terms:
    """Parsed payment terms."""

    days: int
    from_month_end: bool = False
    discount: Decimal = Decimal(0)
    discount_days: int = 0

    def due_date(self, issued):
        """Day on which the invoice falls due."""
        start = month_end(issued) if self.from_month_end else issued
        return start + timedelta(days=self.days)

    def discount_until(self, issued):
        """Last day of the discount, or nothing where there is none."""
        if self.discount == 0:
            return None
        return issued + timedelta(days=self.discount_days)

    def discount_on(self, total, issued, paid):
        """What may be kept back from a payment on a day, rounded to the minor unit."""
        until = self.discount_until(issued)
        if until is None or paid > until:
            return Money.zero(total.currency)
        return Money(round_half_up(total.amount * self.discount, total.currency), total.currency)


def parse_terms(text):
    """Reads ``net30``, ``eom``, ``eom+10`` and ``2/10 net30``."""
    cleaned = " ".join(text.strip().lower().split())
    discounted = _DISCOUNT.match(cleaned)
    if discounted:
        percent, days, rest = discounted.groups()
        base = parse_terms(rest)
        if base.discount != 0:
            raise ParseError("payment terms", text)
        return Terms(base.days, base.from_month_end, Decimal(percent) / 100, int(days))
    net = _NET.match(cleaned)
    if net:
        return Terms(int(net.group(1)))
    eom = _EOM.match(cleaned)
    if eom:
        return Terms(int(eom.group(1) or 0), True)
    raise ParseError("payment terms", text)


def overdue_days(terms, issued, today):
    """Days past the due date; zero or less means not overdue."""
    return (today - terms.due_date(issued)).days


def reminder_dates(terms, issued, steps=(7, 14, 28)):
    """Days on which reminders go out if nothing was paid."""
    due = terms.due_date(issued)
    return [due + timedelta(days=step) for step in steps]


def is_weekend(day: date) -> bool:
    """Saturday or Sunday: banks settle on the next working day."""
    return day.weekday() >= 5


def settlement_day(day):
    """The given day, or the Monday after it."""
    while is_weekend(day):
        day += timedelta(days=1)
    return day
