"""Tax of an invoice is computed once for each tax code."""

import unittest
from datetime import date
from decimal import Decimal

from ledger.errors import LedgerError
from ledger.invoice import Invoice, Line, booking
from ledger.money import Money
from ledger.tax import DEFAULT_TAXES, TaxRate, TaxTable, breakdown, tax_in_gross, tax_on_net
from ledger.terms import parse_terms


def money(text, currency="EUR"):
    return Money(Decimal(text), currency)


def bill(lines, gross=False, currency="EUR", issued=date(2024, 6, 1)):
    built = tuple(Line("x", Decimal(q), money(p, currency), code) for q, p, code in lines)
    return Invoice("2024-100", "c", issued, currency, parse_terms("net30"), built, gross)


class Net(unittest.TestCase):
    def test_twelve_lines_of_four_cents(self):
        invoice = bill([("1", "0.04", "standard")] * 12)
        self.assertEqual(invoice.tax_total(), money("0.10"))
        self.assertEqual(invoice.gross_total(), money("0.58"))

    def test_codes_are_kept_apart(self):
        invoice = bill([("1", "0.07", "reduced")] * 5 + [("1", "0.02", "standard")] * 4)
        found = {g.code: (g.net, g.tax) for g in invoice.tax_groups()}
        self.assertEqual(found, {"reduced": (money("0.35"), money("0.02")), "standard": (money("0.08"), money("0.02"))})

    def test_order_of_lines_does_not_matter(self):
        lines = [("1", "0.33", "standard"), ("3", "1.11", "reduced"), ("1", "0.33", "standard"), ("7", "0.01", "reduced")]
        self.assertEqual(bill(lines).tax_groups(), bill(lines[::-1]).tax_groups())

    def test_lines_themselves_are_still_rounded(self):
        invoice = bill([("0.5", "0.25", "standard")] * 2)
        self.assertEqual(invoice.net_total(), money("0.26"))
        self.assertEqual(invoice.tax_total(), money("0.05"))

    def test_tax_has_whole_minor_units(self):
        for currency, digits in (("EUR", -2), ("JPY", 0), ("KWD", -3)):
            price = "3" if currency == "JPY" else "0.333"
            invoice = bill([("1", price, "reduced")] * 3, currency=currency)
            exponent = invoice.tax_total().amount.as_tuple().exponent
            self.assertEqual(exponent, digits, currency)

    def test_a_credit_note_mirrors_the_invoice(self):
        plus = bill([("1", "0.33", "standard")] * 3)
        minus = bill([("-1", "0.33", "standard")] * 3)
        self.assertEqual(minus.tax_total(), -plus.tax_total())

    def test_the_rate_of_the_day_of_issue(self):
        invoice = bill([("1", "0.50", "standard")] * 3, issued=date(2020, 6, 1))
        self.assertEqual(invoice.tax_total(), money("0.29"))


class Gross(unittest.TestCase):
    def test_gross_is_what_the_lines_say(self):
        invoice = bill([("1", "0.99", "standard")] * 7 + [("1", "0.49", "reduced")] * 5, gross=True)
        self.assertEqual(invoice.gross_total(), money("9.38"))
        taxes = {g.code: g.tax for g in invoice.tax_groups()}
        self.assertEqual(taxes, {"standard": money("1.16"), "reduced": money("0.16")})

    def test_net_plus_tax_is_gross_in_every_group(self):
        for count in range(1, 40):
            invoice = bill([("1", "0.97", "standard")] * count, gross=True)
            (group,) = invoice.tax_groups()
            self.assertEqual(group.net + group.tax, money("0.97") * count)
            exact = group.gross.amount / 6
            self.assertLessEqual(abs(group.tax.amount - exact), Decimal("0.005"))


class Rest(unittest.TestCase):
    def test_bookings_balance(self):
        for gross in (False, True):
            booking(bill([("1", "0.33", "standard")] * 11 + [("1", "0.77", "reduced")] * 3, gross)).check()

    def test_single_amounts_are_rounded_half_up(self):
        self.assertEqual(tax_on_net(money("0.125"), Decimal("0.20")), money("0.03"))
        self.assertEqual(tax_in_gross(money("0.99"), Decimal("0.20")), money("0.17"))

    def test_own_rates(self):
        table = TaxTable([TaxRate("a", date(2024, 1, 1), Decimal("0.055"), "1")])
        (group,) = breakdown([("a", money("0.10"))] * 9, date(2024, 1, 1), table)
        self.assertEqual((group.net, group.tax), (money("0.90"), money("0.05")))
        self.assertEqual(breakdown([], date(2024, 1, 1), DEFAULT_TAXES), [])
        with self.assertRaises(LedgerError):
            breakdown([("a", money("1"))], date(2023, 12, 31), table)


if __name__ == "__main__":
    unittest.main()
