"""Totals of an invoice, as the tax office adds them up."""

import unittest
from decimal import Decimal

from ledger.invoice import booking
from tests.helpers import eur, invoice


class Totals(unittest.TestCase):
    def test_one_line(self):
        bill = invoice("2024-001", ("4", "85.00", "standard"))
        self.assertEqual(bill.net_total(), eur("340.00"))
        self.assertEqual(bill.tax_total(), eur("68.00"))
        self.assertEqual(bill.gross_total(), eur("408.00"))

    def test_many_small_lines(self):
        bill = invoice("2024-002", *[("1", "0.33", "standard")] * 3)
        self.assertEqual(bill.net_total(), eur("0.99"))
        self.assertEqual(bill.tax_total(), eur("0.20"))
        self.assertEqual(bill.gross_total(), eur("1.19"))

    def test_tax_is_rate_times_net_for_each_code(self):
        lines = [("1", "9.97", "reduced"), ("1", "3.33", "standard"), ("1", "9.97", "reduced")]
        for group in invoice("2024-003", *lines).tax_groups():
            exact = group.net.amount * group.rate
            self.assertLessEqual(abs(group.tax.amount - exact), Decimal("0.005"), group.code)

    def test_prices_that_include_tax(self):
        bill = invoice("2024-004", *[("1", "0.99", "standard")] * 4, gross=True)
        self.assertEqual(bill.gross_total(), eur("3.96"))
        self.assertEqual(bill.tax_total(), eur("0.66"))
        self.assertEqual(bill.net_total(), eur("3.30"))

    def test_booking_balances(self):
        booking(invoice("2024-005", *[("1", "0.33", "standard")] * 7)).check()


if __name__ == "__main__":
    unittest.main()
