"""Invoice numbers: ``YYYY-NNN``, without gaps within a year."""

import re

from ledger.errors import LedgerError, ParseError

_NUMBER = re.compile(r"^(\d{4})-(\d{3,})$")


def parse_number(text):
    """Year and running number."""
    match = _NUMBER.match(text.strip())
    if not match:
        raise ParseError("an invoice number", text)
    return int(match.group(1)), int(match.group(2))


def format_number(year, running):
    """The inverse of :func:`parse_number`."""
    if running < 1:
        raise LedgerError("running numbers start at 1")
    return f"{year:04d}-{running:03d}"


def next_number(existing, year):
    """The number after the highest one of a year."""
    running = [number for y, number in map(parse_number, existing) if y == year]
    return format_number(year, max(running, default=0) + 1)


def gaps(existing):
    """Numbers that are missing, in order: an auditor asks for these first."""
    by_year = {}
    for year, running in map(parse_number, existing):
        by_year.setdefault(year, set()).add(running)
    missing = []
    for year in sorted(by_year):
        used = by_year[year]
        missing.extend(format_number(year, n) for n in range(1, max(used)) if n not in used)
    return missing


def mentioned(text, existing):
    """Invoice numbers that a payment's text names, in the order in which they stand there."""
    known = set(existing)
    found = []
    for match in re.finditer(r"\d{4}-\d{3,}", text):
        number = match.group(0)
        if number in known and number not in found:
            found.append(number)
    return found
