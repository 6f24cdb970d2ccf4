import io
import unittest

from ledger.errors import LedgerError, ParseError
from ledger.importers.bank_csv import PROFILES, parse_amount, read_statement
from ledger.importers.dates import parse_date, styles
from ledger.importers.shop_json import read_orders
from ledger.invoice import invoice_from_row
from ledger.journal import Journal
from ledger.reconcile import reconcile
from tests.helpers import chart, day, entry, eur


class Bank(unittest.TestCase):
    def test_amounts(self):
        self.assertEqual(parse_amount("1.234,50-", ",", "EUR", "x"), eur("-1234.50"))
        self.assertEqual(parse_amount("+1,234.50", ".", "EUR", "x"), eur("1234.50"))
        with self.assertRaises(ParseError):
            parse_amount("(5.00)", ".", "EUR", "x")

    def test_a_statement_with_debit_and_credit_marks(self):
        text = "Date,Amount,Dr/Cr,Description\n01/31/2024,650.00,DR,Rent\n02/12/2024,408.00,CR,Adler\n"
        lines = read_statement(io.StringIO(text), PROFILES["firstbank"], "EUR")
        self.assertEqual([line.amount for line in lines], [eur("-650.00"), eur("408.00")])

    def test_a_missing_column_is_named(self):
        with self.assertRaisesRegex(LedgerError, "Betrag"):
            read_statement(io.StringIO("Buchungstag;Zweck;Empfänger\n"), PROFILES["sparbank"], "EUR")

    def test_reconciliation(self):
        journal = Journal(chart())
        journal.post(entry("E1", "2024-01-30", ("6310", "650.00"), ("1800", "-650.00")))
        journal.post(entry("E2", "2024-01-31", ("6310", "650.00"), ("1800", "-650.00")))
        text = "completed,amount,counterparty,reference\n2024-01-31,-650.00,Landlord,rent\n2024-02-20,-1.00,Bank,fee\n"
        lines = read_statement(io.StringIO(text), PROFILES["neo"], "EUR")
        result = reconcile(lines, journal, "1800")
        self.assertEqual([m.entry for m in result.matches], ["E2"])
        self.assertEqual((result.unmatched_lines, result.unmatched_entries), ((1,), ("E1",)))


class Dates(unittest.TestCase):
    def test_styles(self):
        self.assertEqual(styles(), ["dotted", "iso", "us"])
        self.assertEqual(parse_date("1.2.24", "dotted"), day("2024-02-01"))
        self.assertEqual(parse_date("02/01/2024", "us"), day("2024-02-01"))
        with self.assertRaises(ParseError):
            parse_date("2024-02-30", "iso")


class Shop(unittest.TestCase):
    def test_orders_become_invoices(self):
        text = '[{"id": 7, "customer": "adler", "day": "2024-03-01", "items": [{"title": "Mug", "count": 2, "cents": 1200}]}]'
        (row,) = read_orders(text)
        self.assertEqual(invoice_from_row(dict(row, number="2024-001")).gross_total(), eur("24.00"))

    def test_cents_must_be_whole(self):
        text = '[{"id": 7, "customer": "a", "day": "2024-03-01", "items": [{"title": "Mug", "count": 1, "cents": 12.5}]}]'
        with self.assertRaisesRegex(ParseError, "order 7"):
            read_orders(text)


if __name__ == "__main__":
    unittest.main()
