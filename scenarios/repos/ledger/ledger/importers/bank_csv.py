"""Bank statements as CSV. Every bank has its own idea of CSV; a :class:`Profile` describes one."""

import csv
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from ledger.errors import LedgerError, ParseError
from ledger.importers.dates import parse_date
from ledger.money import Money


@dataclass(frozen=True)
class Profile:
    """How a bank writes its statements."""

    name: str
    delimiter: str
    date_column: str
    date_style: str
    amount_column: str
    decimal_sign: str
    text_columns: tuple
    sign_column: str = ""


PROFILES = {
    "sparbank": Profile("sparbank", ";", "Buchungstag", "dotted", "Betrag", ",", ("Empfänger", "Zweck")),
    "firstbank": Profile("firstbank", ",", "Date", "us", "Amount", ".", ("Description",), "Dr/Cr"),
    "neo": Profile("neo", ",", "completed", "iso", "amount", ".", ("counterparty", "reference")),
}


@dataclass(frozen=True)
class BankLine:
    """A movement on the bank account; money that came in is positive."""

    day: date
    amount: Money
    text: str


def parse_amount(text, decimal_sign, currency, where):
    """Reads ``1.234,50`` or ``1,234.50``, with a sign before or after the digits."""
    thousands = "." if decimal_sign == "," else ","
    cleaned = text.strip().replace(" ", "").replace(thousands, "").replace(decimal_sign, ".")
    if cleaned.endswith(("-", "+")):
        cleaned = cleaned[-1] + cleaned[:-1]
    try:
        return Money(Decimal(cleaned), currency)
    except InvalidOperation:
        raise ParseError("an amount", text, where) from None


def _signed(amount, mark, where):
    kind = mark.strip().upper()
    if kind in ("CR", "C", "H"):
        return amount
    if kind in ("DR", "D", "S"):
        return -amount
    raise ParseError("debit or credit", mark, where)


def read_statement(handle, profile, currency, name="statement"):
    """All movements of a statement, in file order."""
    reader = csv.DictReader(handle, delimiter=profile.delimiter)
    needed = {profile.date_column, profile.amount_column, *profile.text_columns}
    missing = sorted(needed - set(reader.fieldnames or ()))
    if missing:
        raise LedgerError(f"{name}: no column {', '.join(missing)} (profile {profile.name})")
    lines = []
    for row in reader:
        where = f"{name}:{reader.line_num}"
        amount = parse_amount(row[profile.amount_column], profile.decimal_sign, currency, where)
        if profile.sign_column:
            amount = _signed(amount, row[profile.sign_column], where)
        text = " ".join(row[column].strip() for column in profile.text_columns if row[column])
        lines.append(BankLine(parse_date(row[profile.date_column], profile.date_style, where), amount, text))
    return lines
