import unittest

from ledger.errors import LedgerError
from ledger.recurring import Schedule, due_invoices, schedule_from_row, yearly_value
from tests.helpers import day, eur


def schedule(start, every=1, end=None, name="rent"):
    return Schedule(name, "adler", day(start), every, "Rent {month}", eur("100.00"), day(end) if end else None)


class Schedules(unittest.TestCase):
    def test_steps_must_be_positive(self):
        with self.assertRaises(LedgerError):
            schedule("2024-01-01", every=0)

    def test_end_before_start(self):
        with self.assertRaises(LedgerError):
            schedule("2024-02-01", end="2024-01-01")

    def test_drafts_skip_what_was_billed(self):
        drafts = due_invoices([schedule("2024-01-10")], {"rent": [day("2024-02-10")]}, day("2024-03-31"))
        self.assertEqual([d.day for d in drafts], [day("2024-01-10"), day("2024-03-10")])
        self.assertEqual(drafts[1].text, "Rent 2024-03")

    def test_drafts_come_by_day(self):
        drafts = due_invoices(
            [schedule("2024-01-20", name="b"), schedule("2024-01-10", name="a")], {}, day("2024-02-15")
        )
        self.assertEqual([d.schedule for d in drafts], ["a", "b", "a"])

    def test_yearly_value(self):
        self.assertEqual(yearly_value(schedule("2024-01-01", every=3)), eur("400.00"))

    def test_from_row(self):
        row = {"id": "x", "customer": "adler", "start": "2024-01-01", "every_months": 1, "text": "", "amount": "5.00"}
        self.assertIsNone(schedule_from_row(row, "EUR").end)


if __name__ == "__main__":
    unittest.main()
