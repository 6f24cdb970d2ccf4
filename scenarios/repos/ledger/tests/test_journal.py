import tempfile
import unittest
from pathlib import Path

from ledger.errors import ClosedPeriod, LedgerError, UnbalancedEntry, UnknownAccount
from ledger.exporters import adviser_csv, json_dump
from ledger.journal import Journal
from ledger.periods import fiscal_year
from ledger.storage import read_journal, write_journal
from tests.helpers import chart, day, entry, eur


class Posting(unittest.TestCase):
    def test_an_entry_balances_or_is_refused(self):
        journal = Journal(chart())
        with self.assertRaises(UnbalancedEntry):
            journal.post(entry("E1", "2024-01-02", ("1800", "10.00"), ("2000", "-9.99")))
        self.assertEqual(len(journal), 0)

    def test_unknown_and_closed_accounts(self):
        journal = Journal(chart())
        with self.assertRaises(UnknownAccount):
            journal.post(entry("E1", "2024-01-02", ("9999", "1.00"), ("2000", "-1.00")))
        with self.assertRaises(LedgerError):
            journal.post(entry("E1", "2024-01-02", ("1600", "1.00"), ("2000", "-1.00")))

    def test_closed_period(self):
        journal = Journal(chart(), fiscal_year(2024, closed=("2024-01",)))
        with self.assertRaises(ClosedPeriod):
            journal.post(entry("E1", "2024-01-31", ("1800", "1.00"), ("2000", "-1.00")))
        journal.post(entry("E1", "2024-02-01", ("1800", "1.00"), ("2000", "-1.00")))

    def test_reversal(self):
        journal = Journal(chart())
        journal.post(entry("E1", "2024-01-02", ("6310", "650.00"), ("1800", "-650.00")))
        journal.reverse("E1", "E2", day("2024-01-05"))
        self.assertTrue(journal.balance("6310", "EUR").is_zero())

    def test_spans_include_both_ends(self):
        journal = Journal(chart())
        for number, when in enumerate(("2024-01-01", "2024-01-31", "2024-02-01")):
            journal.post(entry(f"E{number}", when, ("1800", "1.00"), ("2000", "-1.00")))
        self.assertEqual(journal.balance("1800", "EUR", day("2024-01-01"), day("2024-01-31")), eur("2.00"))


class Files(unittest.TestCase):
    def test_round_trip(self):
        entries = [entry("E1", "2024-01-02", ("1800", "1250.50"), ("2000", "-1250.50"))]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "2024.csv"
            write_journal(path, entries)
            self.assertEqual(read_journal(path, "EUR"), entries)

    def test_adviser_file(self):
        journal = Journal(chart())
        journal.post(entry("E1", "2024-01-02", ("1800", "1250.50"), ("2000", "-1250.50")))
        self.assertEqual(
            adviser_csv(journal).splitlines()[1:],
            ["02.01.2024;E1;1800;1250,50;;", "02.01.2024;E1;2000;;1250,50;"],
        )
        self.assertIn('"amount": "-1250.50"', json_dump(journal))


if __name__ == "__main__":
    unittest.main()
