import contextlib
import io
import unittest
from decimal import Decimal

from ledger.cli import main
from ledger.currency import exchange_difference, load_rates
from ledger.errors import LedgerError, MissingRate
from ledger.formatting import format_amount, format_in_thousands, table
from ledger.journal import Journal
from ledger.money import Money
from ledger.reports import balance_sheet, income_statement, is_balanced, trial_balance
from ledger.settings import Settings
from tests.helpers import DATA, chart, day, entry, eur


def journal():
    books = Journal(chart())
    books.post(entry("E1", "2024-01-02", ("1800", "5000.00"), ("2000", "-5000.00")))
    books.post(entry("E2", "2024-01-15", ("1200", "408.00"), ("4400", "-340.00"), ("3806", "-68.00")))
    books.post(entry("E3", "2024-01-31", ("6310", "650.00"), ("1800", "-650.00")))
    return books


class Reports(unittest.TestCase):
    def test_trial_balance(self):
        rows = trial_balance(journal(), "EUR", until=day("2024-01-31"))
        self.assertEqual([row.code for row in rows], ["1200", "1800", "2000", "3806", "4400", "6310"])
        self.assertTrue(is_balanced(rows, "EUR"))

    def test_income_statement(self):
        self.assertEqual(income_statement(journal(), "EUR", None, day("2024-01-31")).result, eur("-310.00"))

    def test_balance_sheet(self):
        self.assertTrue(balance_sheet(journal(), "EUR", day("2024-01-31")).balances())


class Rates(unittest.TestCase):
    def test_lookup_and_conversion(self):
        rates = load_rates(
            [
                {"date": "2024-01-01", "from": "EUR", "to": "USD", "rate": "1.10"},
                {"date": "2024-02-01", "from": "EUR", "to": "USD", "rate": "1.25"},
            ]
        )
        self.assertEqual(rates.lookup("EUR", "USD", day("2024-01-31")), Decimal("1.10"))
        self.assertEqual(rates.convert(Money(Decimal("100"), "USD"), "EUR", day("2024-02-02")), eur("80.00"))
        with self.assertRaises(MissingRate):
            rates.lookup("EUR", "USD", day("2023-12-31"))
        dollars = Money(Decimal("110"), "USD")
        loss = exchange_difference(dollars, dollars, rates, day("2024-01-10"), day("2024-02-10"), "EUR")
        self.assertEqual(loss, eur("-12.00"))


class Formatting(unittest.TestCase):
    def test_amounts(self):
        self.assertEqual(format_amount(eur("-1250")), "-1,250.00")
        self.assertEqual(format_amount(eur("-1250"), parentheses=True), "(1,250.00)")
        self.assertEqual(format_amount(eur("-0.001")), "0.00")
        self.assertEqual(format_in_thousands(eur("2500")), "3k")

    def test_table(self):
        self.assertEqual(table([("a", "1"), ("bb", "10")], ("n", "v"), "<>"), "n    v\n--  --\na    1\nbb  10")


class CommandLine(unittest.TestCase):
    def run_ledger(self, *args):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            code = main(["--data", str(DATA), *args])
        return code, out.getvalue(), err.getvalue()

    def test_trial(self):
        code, out, _ = self.run_ledger("trial", "2024-01-31")
        self.assertEqual(code, 0)
        self.assertIn("Rent", out)

    def test_a_bad_date_is_one_line(self):
        code, out, err = self.run_ledger("trial", "January")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "ledger: not a date (YYYY-MM-DD): 'January'\n")

    def test_unknown_settings_are_refused(self):
        with self.assertRaisesRegex(LedgerError, "curency"):
            Settings.from_dict({"curency": "EUR"})


if __name__ == "__main__":
    unittest.main()
