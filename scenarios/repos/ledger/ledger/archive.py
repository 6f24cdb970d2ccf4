"""Closed years, as the old bookkeeping program left them in ``data/closed/``.

The files are read only: their digests stand in ``SHA256SUMS`` beside them and are checked before anything else. The
notation is described in ``docs/formats.md``.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from ledger.errors import LedgerError, ParseError
from ledger.journal import Entry, Posting
from ledger.money import Money

HEADER = ["voucher", "date", "account", "amount", "text"]

_DATE = re.compile(r"^(\d{2})\.(\d{2})\.(\d{4})$")
_CURRENCY = re.compile(r"^([A-Z]{3})\s*(?=[(\d])")


@dataclass(frozen=True)
class ArchiveRow:
    """One line of a closed year."""

    voucher: str
    day: date
    account: str
    amount: Money
    text: str


class ArchiveChanged(LedgerError):
    """A closed year isn't what was handed to the auditor."""

    def __init__(self, path):
        super().__init__(f"{path.name} was changed after the year was closed: restore it")


def parse_archive_date(text, where):
    """Reads ``31.12.2023``."""
    match = _DATE.match(text.strip())
    if not match:
        raise ParseError("a date", text, where)
    day, month, year = (int(part) for part in match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        raise ParseError("a date", text, where) from None


def parse_archive_amount(text, currency, where):
    """Reads ``1,250.00``; a credit stands in parentheses, a currency may stand before the number."""
    cleaned = text.strip()
    credit = cleaned.startswith("(") and cleaned.endswith(")")
    named = _CURRENCY.match(cleaned.lstrip("("))
    if named:
        currency = named.group(1)
        cleaned = cleaned.replace(currency, "", 1)
    digits = cleaned.strip("() ").replace(",", "")
    try:
        amount = Decimal(digits)
    except InvalidOperation:
        raise ParseError("an amount", text, where) from None
    return Money(-amount if credit else amount, currency)


def parse_row(line, currency, where):
    """Reads one row; the text may contain semicolons."""
    fields = line.split(";", len(HEADER) - 1)
    if len(fields) != len(HEADER):
        raise ParseError(f"a row of {len(HEADER)} fields", line, where)
    voucher, day, account, amount, text = fields
    return ArchiveRow(
        voucher.strip(),
        parse_archive_date(day, where),
        account.strip(),
        parse_archive_amount(amount, currency, where),
        text.strip(),
    )


def read_year(path, currency):
    """All rows of a closed year, in file order."""
    rows = []
    header_seen = False
    for number, raw in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        where = f"{Path(path).name}:{number}"
        if not header_seen:
            if [name.strip() for name in line.split(";")] != HEADER:
                raise ParseError("the header of a closed year", line, where)
            header_seen = True
            continue
        rows.append(parse_row(line, currency, where))
    return rows


def entries_of(rows):
    """Rows grouped into entries by voucher, in the order in which vouchers first appear."""
    grouped = {}
    for row in rows:
        grouped.setdefault(row.voucher, []).append(row)
    entries = []
    for voucher, members in grouped.items():
        postings = tuple(Posting(row.account, row.amount, row.text) for row in members)
        entries.append(Entry(voucher, members[0].day, postings))
    return entries


def read_digests(folder):
    """File names and digests of ``SHA256SUMS``."""
    digests = {}
    for line in (Path(folder) / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        if name:
            digests[name.strip()] = digest.strip()
    return digests


def verify_digests(folder):
    """Raises :class:`ArchiveChanged` for the first closed year that differs from its digest."""
    for name, expected in sorted(read_digests(folder).items()):
        path = Path(folder) / name
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
        if actual != expected:
            raise ArchiveChanged(path)


def closed_years(folder):
    """Years found in the folder, ascending."""
    return sorted(int(path.stem) for path in Path(folder).glob("[0-9][0-9][0-9][0-9].csv"))


def out_of_balance(folder, year, currency):
    """Vouchers of a closed year that don't add up to zero, with what is missing."""
    entries = entries_of(read_year(Path(folder) / f"{year}.csv", currency))
    differences = ((entry.id, entry.difference()) for entry in entries)
    return [(voucher, difference) for voucher, difference in differences if not difference.is_zero()]
