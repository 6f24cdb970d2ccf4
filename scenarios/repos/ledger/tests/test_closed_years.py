"""The closed years of the data folder pass ``ledger check``."""

import contextlib
import io
import unittest

from ledger.archive import entries_of, out_of_balance, read_year, verify_digests
from ledger.cli import main
from ledger.validation import check_all
from ledger.storage import DataFolder
from tests.helpers import DATA, eur


class ClosedYears(unittest.TestCase):
    def test_every_voucher_balances(self):
        for year in (2022, 2023):
            self.assertEqual(out_of_balance(DATA / "closed", year, "EUR"), [], year)

    def test_the_display_was_bought_on_credit(self):
        entries = {e.id: e for e in entries_of(read_year(DATA / "closed" / "2023.csv", "EUR"))}
        amounts = [p.amount for p in entries["2023-0003"].postings]
        self.assertEqual(amounts, [eur("1250.00"), eur("-1250.00")])

    def test_files_are_those_that_were_signed(self):
        verify_digests(DATA / "closed")

    def test_check_has_nothing_to_report(self):
        self.assertEqual(check_all(DataFolder(DATA)), [])
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(main(["--data", str(DATA), "check"]), 0)
        self.assertEqual(out.getvalue(), "all checks passed\n")


if __name__ == "__main__":
    unittest.main()
