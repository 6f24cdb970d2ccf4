import unittest
from decimal import Decimal

from ledger.errors import LedgerError, ParseError, UnknownCurrency
from ledger.money import Money, minor_unit, round_half_even, round_half_up, total
from tests.helpers import eur


class Rounding(unittest.TestCase):
    def test_minor_units(self):
        self.assertEqual(minor_unit("EUR"), Decimal("0.01"))
        self.assertEqual(minor_unit("JPY"), Decimal("1"))
        with self.assertRaises(UnknownCurrency):
            minor_unit("XXX")

    def test_half_up_goes_away_from_zero(self):
        self.assertEqual(round_half_up(Decimal("0.125"), "EUR"), Decimal("0.13"))
        self.assertEqual(round_half_up(Decimal("-0.125"), "EUR"), Decimal("-0.13"))

    def test_half_even(self):
        self.assertEqual(round_half_even(Decimal("0.125"), "EUR"), Decimal("0.12"))
        self.assertEqual(round_half_even(Decimal("0.135"), "EUR"), Decimal("0.14"))


class Arithmetic(unittest.TestCase):
    def test_currencies_do_not_mix(self):
        with self.assertRaises(LedgerError):
            eur("1") + Money(Decimal(1), "USD")

    def test_total_of_nothing(self):
        self.assertEqual(total([], "EUR"), Money.zero("EUR"))

    def test_parse_takes_only_our_notation(self):
        self.assertEqual(Money.parse(" -12.50 ", "EUR"), eur("-12.50"))
        for text in ("1,250.00", "(3.00)", "NaN", ""):
            with self.assertRaises(ParseError):
                Money.parse(text, "EUR")


class Allocation(unittest.TestCase):
    def test_no_cent_is_lost(self):
        shares = eur("100.00").allocate([1, 1, 1])
        self.assertEqual([str(s.amount) for s in shares], ["33.34", "33.33", "33.33"])

    def test_negative_amounts(self):
        shares = eur("-0.05").allocate([1, 1])
        self.assertEqual(total(shares, "EUR"), eur("-0.05"))

    def test_weights_must_count(self):
        with self.assertRaises(LedgerError):
            eur("1").allocate([0, 0])


if __name__ == "__main__":
    unittest.main()
