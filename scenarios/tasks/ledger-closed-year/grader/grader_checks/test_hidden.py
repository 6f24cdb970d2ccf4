"""Closed years are read as they were written, and never written."""

import hashlib
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

from ledger.archive import out_of_balance, parse_archive_amount, read_year, verify_digests
from ledger.errors import LedgerError, ParseError
from ledger.money import Money
from ledger.storage import DataFolder
from ledger.validation import check_all, check_closed_years

DATA = Path(__file__).resolve().parent.parent / "data"
SIGNED = {
    "2022.csv": "5942ec95e6e1c1704165d16655160ed8199e10c0663c7e2e1e929a87bbfd40a2",
    "2023.csv": "656e6a6aa7f7b269e13fdf30e23b5262c6fa0a083ea001f2dc62ff46eba13545",
}


def amount(text, home="EUR"):
    return parse_archive_amount(text, home, "here")


class Amounts(unittest.TestCase):
    def test_credits_with_a_currency(self):
        for text in ("EUR (1,250.00)", "EUR  (1,250.00)", "EUR(1,250.00)", " EUR (1,250.00) "):
            self.assertEqual(amount(text), Money(Decimal("-1250.00"), "EUR"), text)
        self.assertEqual(amount("CHF (12,345,678.90)"), Money(Decimal("-12345678.90"), "CHF"))
        self.assertEqual(amount("JPY (500)"), Money(Decimal("-500"), "JPY"))

    def test_debits_with_a_currency(self):
        for text in ("EUR 1,250.00", "EUR1,250.00"):
            self.assertEqual(amount(text), Money(Decimal("1250.00"), "EUR"), text)
        self.assertEqual(amount("USD 0.05").currency, "USD")

    def test_without_a_currency(self):
        self.assertEqual(amount("(0.01)"), Money(Decimal("-0.01"), "EUR"))
        self.assertEqual(amount("7,200.00", "CHF"), Money(Decimal("7200.00"), "CHF"))

    def test_nonsense_is_refused(self):
        for text in ("", "()", "EUR", "EUR ()", "a lot"):
            with self.assertRaises(ParseError):
                amount(text)


class Years(unittest.TestCase):
    def write(self, folder, *rows):
        text = "voucher;date;account;amount;text\n" + "".join(row + "\n" for row in rows)
        path = Path(folder) / "2021.csv"
        path.write_text(text, encoding="utf-8")
        return path

    def test_files_are_untouched(self):
        for name, digest in SIGNED.items():
            data = (DATA / "closed" / name).read_bytes()
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest, name)
        verify_digests(DATA / "closed")

    def test_check_passes(self):
        self.assertEqual(check_all(DataFolder(DATA)), [])

    def test_a_real_difference_is_still_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write(
                folder,
                "V1;01.02.2021;1800;EUR 10.00;a",
                "V1;01.02.2021;2000;EUR (9.99);a",
                "V2;01.03.2021;1800;EUR 2,500.00;b",
                "V2;01.03.2021;2000;EUR (2,500.00);b",
                "V3;01.03.2021;1800;1,250.00;c",
                "V3;01.03.2021;2000;1,250.00;c",
            )
            self.assertEqual(
                out_of_balance(folder, 2021, "EUR"),
                [("V1", Money(Decimal("0.01"), "EUR")), ("V3", Money(Decimal("2500.00"), "EUR"))],
            )

    def test_check_reports_it_too(self):
        with tempfile.TemporaryDirectory() as folder:
            closed = Path(folder) / "closed"
            closed.mkdir()
            path = self.write(closed, "V1;01.02.2021;1800;EUR 10.00;a", "V1;01.02.2021;2000;EUR 10.00;a")
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            (closed / "SHA256SUMS").write_text(f"{digest}  2021.csv\n", encoding="utf-8")
            problems = check_closed_years(DataFolder(folder))
            self.assertEqual(problems, ["closed year 2021: V1 is out of balance by 20.00"])
            path.write_text(path.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
            self.assertEqual(len(check_closed_years(DataFolder(folder))), 1)
            with self.assertRaises(LedgerError):
                verify_digests(closed)

    def test_rows_keep_their_order(self):
        rows = read_year(DATA / "closed" / "2023.csv", "EUR")
        self.assertEqual(len(rows), 11)
        self.assertEqual(sum(row.amount.amount for row in rows), Decimal(0))


if __name__ == "__main__":
    unittest.main()
