import unittest

from ledger.errors import LedgerError, ParseError
from ledger.periods import Period, Periods, fiscal_year, month_end, next_month, quarter_of, year_of
from ledger.terms import overdue_days, parse_terms, reminder_dates, settlement_day
from tests.helpers import day, eur


class PeriodsTest(unittest.TestCase):
    def test_month_ends(self):
        self.assertEqual(month_end(day("2024-02-10")), day("2024-02-29"))
        self.assertEqual(month_end(day("2023-02-10")), day("2023-02-28"))
        self.assertEqual(next_month(day("2024-12-31")), day("2025-01-01"))

    def test_fiscal_year_from_april(self):
        periods = fiscal_year(2024, first_month=4)
        self.assertEqual(periods.containing(day("2025-03-31")).name, "2024-12")
        self.assertIsNone(periods.containing(day("2025-04-01")))
        self.assertEqual(year_of(day("2025-03-31"), 4), 2024)
        self.assertEqual(quarter_of(day("2025-01-01"), 4), 4)

    def test_overlap(self):
        with self.assertRaises(LedgerError):
            Periods([Period("a", day("2024-01-01"), day("2024-01-31")), Period("b", day("2024-01-31"), day("2024-02-29"))])


class TermsTest(unittest.TestCase):
    def test_due_dates(self):
        issued = day("2024-01-31")
        self.assertEqual(parse_terms("net30").due_date(issued), day("2024-03-01"))
        self.assertEqual(parse_terms("eom+10").due_date(day("2024-02-03")), day("2024-03-10"))
        self.assertEqual(parse_terms("EOM").due_date(day("2024-02-03")), day("2024-02-29"))

    def test_discount(self):
        terms = parse_terms("2/10 net30")
        self.assertEqual(terms.discount_on(eur("99.75"), day("2024-01-01"), day("2024-01-11")), eur("2.00"))
        self.assertEqual(terms.discount_on(eur("99.75"), day("2024-01-01"), day("2024-01-12")), eur("0"))

    def test_bad_terms(self):
        for text in ("soon", "2/10", "2/10 1/5 net30"):
            with self.assertRaises(ParseError):
                parse_terms(text)

    def test_overdue_and_reminders(self):
        terms = parse_terms("net10")
        self.assertEqual(overdue_days(terms, day("2024-01-01"), day("2024-01-11")), 0)
        self.assertEqual(reminder_dates(terms, day("2024-01-01"))[0], day("2024-01-18"))
        self.assertEqual(settlement_day(day("2024-03-30")), day("2024-04-01"))


if __name__ == "__main__":
    unittest.main()
