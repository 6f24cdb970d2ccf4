"""Recurring invoices: rent, retainers, subscriptions.

A schedule is described by its first occurrence and a step in months. :func:`occurrences` yields the days on which it
falls, :func:`due_invoices` turns those that haven't been billed yet into invoice drafts.
"""

import calendar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledger.errors import LedgerError, ParseError
from ledger.money import Money


@dataclass(frozen=True)
class Schedule:
    """Something that is billed every few months, on the day of the month on which it started."""

    id: str
    customer: str
    start: date
    every_months: int
    text: str
    amount: Money
    end: date | None = None

    def __post_init__(self):
        if self.every_months < 1:
            raise LedgerError(f"schedule {self.id}: every_months must be at least 1")
        if self.end is not None and self.end < self.start:
            raise LedgerError(f"schedule {self.id}: ends before it starts")


@dataclass(frozen=True)
class Draft:
    """An invoice that is due but has no number yet."""

    schedule: str
    customer: str
    day: date
    text: str
    amount: Money


def add_months(day, months):
    """The same day some months later, or the last day of a month that is too short."""
    index = day.year * 12 + (day.month - 1) + months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def occurrences(schedule, until):
    """Days on which a schedule falls, from its start to ``until`` or its end, both included."""
    last = until if schedule.end is None else min(until, schedule.end)
    day = schedule.start
    while day <= last:
        yield day
        day = add_months(day, schedule.every_months)


def next_occurrence(schedule, after):
    """First occurrence later than a day, or nothing once the schedule has ended."""
    day = schedule.start
    while day <= after:
        day = add_months(day, schedule.every_months)
    if schedule.end is not None and day > schedule.end:
        return None
    return day


def due_invoices(schedules, billed, until):
    """Drafts for every occurrence up to a day that hasn't been billed.

    ``billed`` maps a schedule's id to the days already invoiced. Drafts come by day, then by schedule.
    """
    drafts = []
    for schedule in schedules:
        done = set(billed.get(schedule.id, ()))
        for day in occurrences(schedule, until):
            if day not in done:
                text = schedule.text.replace("{month}", day.strftime("%Y-%m"))
                drafts.append(Draft(schedule.id, schedule.customer, day, text, schedule.amount))
    return sorted(drafts, key=lambda draft: (draft.day, draft.schedule))


def yearly_value(schedule):
    """What a schedule brings in twelve months, for the forecast."""
    return schedule.amount * (Decimal(12) / Decimal(schedule.every_months))


def schedule_from_row(row, currency):
    """Builds a schedule from an object of ``recurring.json``."""
    try:
        start = date.fromisoformat(row["start"])
        end = date.fromisoformat(row["end"]) if row.get("end") else None
    except ValueError as fault:
        raise ParseError("a date", str(fault), f"recurring {row.get('id')}") from None
    return Schedule(
        id=row["id"],
        customer=row["customer"],
        start=start,
        every_months=int(row["every_months"]),
        text=row["text"],
        amount=Money.parse(row["amount"], currency, f"recurring {row['id']}"),
        end=end,
    )
