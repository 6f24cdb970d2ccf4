import unittest
from decimal import Decimal

from ledger.errors import LedgerError, ParseError
from ledger.formatting import invoice_text
from ledger.invoice import Invoice, Line, booking, invoice_from_row
from ledger.money import Money
from ledger.terms import parse_terms
from tests.helpers import day, eur, invoice

ROW = {
    "number": "2024-009",
    "customer": "adler",
    "issued": "2024-04-01",
    "terms": "net14",
    "currency": "EUR",
    "lines": [{"text": "Work", "quantity": "2.5", "unit_price": "80.00"}],
}


class Lines(unittest.TestCase):
    def test_amount_is_rounded_half_up(self):
        self.assertEqual(Line("x", Decimal("0.5"), eur("0.25")).amount(), eur("0.13"))

    def test_one_currency(self):
        line = Line("x", Decimal(1), Money(Decimal(1), "USD"))
        with self.assertRaises(LedgerError):
            Invoice("2024-001", "adler", day("2024-01-01"), "EUR", parse_terms("net30"), (line,))


class Rows(unittest.TestCase):
    def test_from_row(self):
        bill = invoice_from_row(ROW)
        self.assertEqual(bill.gross_total(), eur("240.00"))
        self.assertEqual(bill.due_date(), day("2024-04-15"))

    def test_a_bad_quantity_names_the_invoice(self):
        row = dict(ROW, lines=[{"text": "Work", "quantity": "two", "unit_price": "80.00"}])
        with self.assertRaisesRegex(ParseError, "2024-009"):
            invoice_from_row(row)


class Booking(unittest.TestCase):
    def test_accounts(self):
        entry = booking(invoice("2024-001", ("1", "100.00", "standard")))
        self.assertEqual(
            [(p.account, p.amount) for p in entry.postings],
            [("1200", eur("120.00")), ("4400", eur("-100.00")), ("3806", eur("-20.00"))],
        )

    def test_zero_rate_books_no_tax(self):
        entry = booking(invoice("2024-001", ("1", "100.00", "zero")))
        self.assertEqual(len(entry.postings), 2)

    def test_shares_of_lines(self):
        bill = invoice("2024-001", ("1", "10.00", "standard"), ("1", "30.00", "standard"))
        self.assertEqual(bill.share_by_line(), [eur("12.00"), eur("36.00")])

    def test_text(self):
        text = invoice_text(invoice("2024-001", ("1", "100.00", "standard")), "Adler Optik")
        self.assertIn("standard 20 % on 100.00: 20.00", text)
        self.assertTrue(text.endswith("due 2024-03-31"))


if __name__ == "__main__":
    unittest.main()
