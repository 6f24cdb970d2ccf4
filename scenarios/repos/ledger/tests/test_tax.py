import unittest
from decimal import Decimal

from ledger.tax import DEFAULT_TAXES, UnknownTaxCode, advance_return, breakdown, tax_in_gross, tax_on_net
from tests.helpers import day, eur


class Rates(unittest.TestCase):
    def test_a_rate_holds_from_its_day_on(self):
        self.assertEqual(DEFAULT_TAXES.rate_for("standard", day("2020-12-31")).rate, Decimal("0.19"))
        self.assertEqual(DEFAULT_TAXES.rate_for("standard", day("2021-01-01")).rate, Decimal("0.20"))

    def test_unknown_code(self):
        with self.assertRaises(UnknownTaxCode):
            DEFAULT_TAXES.rate_for("luxury", day("2024-01-01"))


class Amounts(unittest.TestCase):
    def test_on_net(self):
        self.assertEqual(tax_on_net(eur("10.00"), Decimal("0.20")), eur("2.00"))
        self.assertEqual(tax_on_net(eur("0.33"), Decimal("0.20")), eur("0.07"))

    def test_in_gross(self):
        self.assertEqual(tax_in_gross(eur("12.00"), Decimal("0.20")), eur("2.00"))

    def test_breakdown_has_a_row_for_each_code(self):
        groups = breakdown(
            [("standard", eur("100.00")), ("reduced", eur("50.00"))], day("2024-05-01"), DEFAULT_TAXES
        )
        self.assertEqual([g.code for g in groups], ["reduced", "standard"])
        self.assertEqual([g.gross for g in groups], [eur("53.50"), eur("120.00")])

    def test_advance_return_sums_codes(self):
        one = breakdown([("standard", eur("100.00"))], day("2024-05-01"), DEFAULT_TAXES)
        two = breakdown([("standard", eur("50.00"))], day("2024-05-02"), DEFAULT_TAXES)
        self.assertEqual(advance_return([one, two], "EUR"), [("standard", eur("150.00"), eur("30.00"))])


if __name__ == "__main__":
    unittest.main()
