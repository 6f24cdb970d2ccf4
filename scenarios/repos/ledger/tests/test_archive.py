import tempfile
import unittest
from pathlib import Path

from ledger.archive import (
    ArchiveChanged,
    closed_years,
    entries_of,
    parse_archive_amount,
    parse_archive_date,
    parse_row,
    read_year,
    verify_digests,
)
from ledger.errors import ParseError
from tests.helpers import DATA, day, eur


class Notation(unittest.TestCase):
    def test_amounts(self):
        self.assertEqual(parse_archive_amount("1,250.00", "EUR", "x"), eur("1250.00"))
        self.assertEqual(parse_archive_amount("(1,250.00)", "EUR", "x"), eur("-1250.00"))
        self.assertEqual(parse_archive_amount("EUR 5.00", "EUR", "x"), eur("5.00"))

    def test_a_currency_in_front_counts(self):
        self.assertEqual(parse_archive_amount("CHF 5.00", "EUR", "x").currency, "CHF")

    def test_bad_amounts(self):
        for text in ("", "five", "1.2.3"):
            with self.assertRaises(ParseError):
                parse_archive_amount(text, "EUR", "x")

    def test_dates(self):
        self.assertEqual(parse_archive_date("31.12.2023", "x"), day("2023-12-31"))
        with self.assertRaises(ParseError):
            parse_archive_date("31.02.2023", "x")

    def test_text_may_contain_semicolons(self):
        row = parse_row("V1;01.02.2023;1800;5.00;payment; thanks", "EUR", "x")
        self.assertEqual(row.text, "payment; thanks")


class Files(unittest.TestCase):
    def test_years(self):
        self.assertEqual(closed_years(DATA / "closed"), [2022, 2023])

    def test_vouchers_of_2022(self):
        entries = entries_of(read_year(DATA / "closed" / "2022.csv", "EUR"))
        self.assertEqual([len(e.postings) for e in entries], [2, 3, 2, 2])
        for entry in entries:
            entry.check()

    def test_a_changed_file_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (DATA / "closed").iterdir():
                (Path(folder) / path.name).write_bytes(path.read_bytes())
            verify_digests(folder)
            (Path(folder) / "2022.csv").write_text("voucher;date;account;amount;text\n", encoding="utf-8")
            with self.assertRaises(ArchiveChanged):
                verify_digests(folder)


if __name__ == "__main__":
    unittest.main()
