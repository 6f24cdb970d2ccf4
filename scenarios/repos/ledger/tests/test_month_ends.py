"""Schedules that start late in a month."""

import unittest
from itertools import islice

from ledger.recurring import Schedule, next_occurrence, occurrences
from tests.helpers import day, eur


def schedule(start, every=1, end=None):
    return Schedule("rent", "adler", day(start), every, "Rent", eur("100.00"), day(end) if end else None)


def days(start, until, every=1):
    return [d.isoformat() for d in occurrences(schedule(start, every), day(until))]


class MonthEnds(unittest.TestCase):
    def test_middle_of_the_month(self):
        self.assertEqual(days("2024-01-15", "2024-03-31"), ["2024-01-15", "2024-02-15", "2024-03-15"])

    def test_the_31st_comes_back_after_february(self):
        self.assertEqual(
            days("2024-01-31", "2024-05-31"),
            ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31"],
        )

    def test_the_30th_stays_the_30th(self):
        self.assertEqual(days("2023-01-30", "2023-04-30"), ["2023-01-30", "2023-02-28", "2023-03-30", "2023-04-30"])

    def test_next_occurrence_agrees(self):
        plan = schedule("2023-01-31")
        listed = list(islice(occurrences(plan, day("2023-12-31")), 12))
        for earlier, later in zip(listed, listed[1:]):
            self.assertEqual(next_occurrence(plan, earlier), later)

    def test_nothing_after_the_end(self):
        self.assertIsNone(next_occurrence(schedule("2024-01-31", end="2024-03-30"), day("2024-02-29")))


if __name__ == "__main__":
    unittest.main()
