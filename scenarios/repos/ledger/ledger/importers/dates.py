"""Dates as banks write them."""

import re
from datetime import date

from ledger.errors import ParseError

_PATTERNS = {
    "iso": re.compile(r"^(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})$"),
    "dotted": re.compile(r"^(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4}|\d{2})$"),
    "us": re.compile(r"^(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})$"),
}


def parse_date(text, style, where=None):
    """Reads a date of a known style; two-digit years are in this century."""
    match = _PATTERNS[style].match(text.strip())
    if not match:
        raise ParseError(f"a date ({style})", text, where)
    year = int(match["y"])
    if year < 100:
        year += 2000
    try:
        return date(year, int(match["m"]), int(match["d"]))
    except ValueError:
        raise ParseError(f"a date ({style})", text, where) from None


def styles():
    """Names of all styles, sorted."""
    return sorted(_PATTERNS)
