"""Reading and writing the data folder. Writes go to a temporary file first."""

import csv
import json
import os
from datetime import date
from pathlib import Path

from ledger.accounts import Chart
from ledger.customers import Directory
from ledger.errors import LedgerError, ParseError
from ledger.invoice import invoice_from_row
from ledger.journal import Entry, Journal, Posting
from ledger.money import Money
from ledger.recurring import schedule_from_row
from ledger.settings import Settings

JOURNAL_HEADER = ["entry", "date", "account", "amount", "text"]


class DataFolder:
    """A folder with everything in it; see ``docs/formats.md``."""

    def __init__(self, root):
        self.root = Path(root)
        if not self.root.is_dir():
            raise LedgerError(f"{root}: no such folder")
        self.settings = Settings.from_dict(self._json("settings.json", default={}))

    def _json(self, name, default=None):
        path = self.root / name
        if not path.exists():
            if default is None:
                raise LedgerError(f"{name} is missing")
            return default
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as fault:
            raise ParseError("JSON", fault.msg, f"{name}:{fault.lineno}") from None

    def chart(self):
        """The chart of accounts."""
        return Chart.from_rows(self._json("accounts.json"))

    def customers(self):
        """All customers."""
        return Directory.from_rows(self._json("customers.json", default=[]))

    def invoices(self):
        """All invoices, by number."""
        rows = self._json("invoices.json", default=[])
        return sorted((invoice_from_row(row) for row in rows), key=lambda invoice: invoice.number)

    def schedules(self):
        """Recurring invoices."""
        currency = self.settings.currency
        return [schedule_from_row(row, currency) for row in self._json("recurring.json", default=[])]

    @property
    def closed_folder(self):
        """Where the closed years lie."""
        return self.root / "closed"

    def journal(self):
        """The journal of all open years."""
        journal = Journal(self.chart(), self.settings.periods())
        for path in sorted((self.root / "journal").glob("*.csv")):
            for entry in read_journal(path, self.settings.currency):
                journal.post(entry)
        return journal


def read_journal(path, currency):
    """Entries of a journal file, in the order in which they first appear."""
    grouped = {}
    with open(path, encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        if reader.fieldnames != JOURNAL_HEADER:
            raise ParseError("the header of a journal", str(reader.fieldnames), Path(path).name)
        for row in reader:
            where = f"{Path(path).name}:{reader.line_num}"
            try:
                day = date.fromisoformat(row["date"])
            except ValueError:
                raise ParseError("a date", row["date"], where) from None
            amount = Money.parse(row["amount"], currency, where)
            _, postings = grouped.setdefault(row["entry"], (day, []))
            postings.append(Posting(row["account"], amount, row["text"]))
    return [Entry(entry_id, day, tuple(postings)) for entry_id, (day, postings) in grouped.items()]


def write_journal(path, entries):
    """Writes entries atomically."""
    temporary = Path(path).with_suffix(".tmp")
    with open(temporary, "w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(JOURNAL_HEADER)
        for entry in entries:
            for posting in entry.postings:
                amount = f"{posting.amount.amount:f}"
                writer.writerow([entry.id, entry.day.isoformat(), posting.account, amount, posting.text])
    os.replace(temporary, path)
