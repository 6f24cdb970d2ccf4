"""A schedule keeps the day of the month on which it started."""

import calendar
import unittest
from datetime import date

from ledger.money import Money
from ledger.recurring import Schedule, add_months, due_invoices, next_occurrence, occurrences


def plan(start, every=1, end=None, name="s"):
    return Schedule(name, "c", start, every, "{month}", Money.parse("10.00", "EUR"), end)


def expected(start, every, count):
    days = []
    for step in range(count):
        index = start.year * 12 + start.month - 1 + step * every
        year, month = index // 12, index % 12 + 1
        days.append(date(year, month, min(start.day, calendar.monthrange(year, month)[1])))
    return days


class Days(unittest.TestCase):
    def test_every_start_day_and_step(self):
        for first in range(1, 32):
            for every in (1, 2, 3, 5, 6, 12):
                start = date(2023, 1, first)
                want = expected(start, every, 20)
                self.assertEqual(list(occurrences(plan(start, every), want[-1])), want, (first, every))

    def test_leap_day(self):
        got = list(occurrences(plan(date(2024, 2, 29), 12), date(2028, 12, 31)))
        self.assertEqual(got, [date(2024, 2, 29), date(2025, 2, 28), date(2026, 2, 28), date(2027, 2, 28), date(2028, 2, 29)])

    def test_quarterly_from_november(self):
        got = list(occurrences(plan(date(2022, 11, 30), 3), date(2023, 8, 31)))
        self.assertEqual(got, [date(2022, 11, 30), date(2023, 2, 28), date(2023, 5, 30), date(2023, 8, 30)])

    def test_bounds_are_included(self):
        got = list(occurrences(plan(date(2023, 12, 31), 1, date(2024, 3, 31)), date(2030, 1, 1)))
        self.assertEqual(got[-1], date(2024, 3, 31))
        self.assertEqual(len(got), 4)


class Next(unittest.TestCase):
    def test_agrees_with_the_list(self):
        for first in (1, 28, 29, 30, 31):
            start = date(2023, 1, first)
            days = expected(start, 1, 30)
            schedule = plan(start)
            for before, after in zip(days, days[1:]):
                self.assertEqual(next_occurrence(schedule, before), after)

    def test_before_the_start(self):
        self.assertEqual(next_occurrence(plan(date(2024, 5, 31)), date(2024, 1, 1)), date(2024, 5, 31))

    def test_last_day_of_a_schedule(self):
        schedule = plan(date(2024, 1, 31), 1, date(2024, 3, 31))
        self.assertEqual(next_occurrence(schedule, date(2024, 3, 30)), date(2024, 3, 31))
        self.assertIsNone(next_occurrence(schedule, date(2024, 3, 31)))


class Drafts(unittest.TestCase):
    def test_billed_days_are_left_out(self):
        schedule = plan(date(2023, 10, 31), 1, None, "rent")
        drafts = due_invoices([schedule], {"rent": [date(2023, 10, 31), date(2024, 2, 29)]}, date(2024, 4, 30))
        self.assertEqual(
            [d.day for d in drafts],
            [date(2023, 11, 30), date(2023, 12, 31), date(2024, 1, 31), date(2024, 3, 31), date(2024, 4, 30)],
        )

    def test_adding_months_still_clamps(self):
        self.assertEqual(add_months(date(2024, 1, 31), 1), date(2024, 2, 29))
        self.assertEqual(add_months(date(2024, 12, 15), 1), date(2025, 1, 15))


if __name__ == "__main__":
    unittest.main()
