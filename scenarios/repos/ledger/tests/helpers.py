"""Small builders that the tests share."""

from datetime import date
from decimal import Decimal
from pathlib import Path

from ledger.accounts import Account, Chart
from ledger.invoice import Invoice, Line
from ledger.journal import Entry, Posting
from ledger.money import Money
from ledger.terms import parse_terms

DATA = Path(__file__).resolve().parent.parent / "data"


def eur(text):
    """An amount in euros."""
    return Money(Decimal(text), "EUR")


def day(text):
    """A date from ``2024-01-31``."""
    return date.fromisoformat(text)


def chart():
    """A chart with one account of each kind."""
    return Chart(
        [
            Account("1200", "Trade receivables", "asset"),
            Account("1800", "Bank", "asset"),
            Account("1600", "Cash", "asset", closed=True),
            Account("2000", "Capital", "equity"),
            Account("3806", "Tax", "liability"),
            Account("4400", "Revenue", "income"),
            Account("6310", "Rent", "expense"),
        ]
    )


def entry(entry_id, when, *pairs):
    """An entry from pairs of account and amount."""
    return Entry(entry_id, day(when), tuple(Posting(account, eur(amount)) for account, amount in pairs))


def invoice(number, *lines, issued="2024-03-01", customer="adler", terms="net30", gross=False):
    """An invoice from triples of quantity, unit price and tax code."""
    built = tuple(Line("item", Decimal(quantity), eur(price), code) for quantity, price, code in lines)
    return Invoice(number, customer, day(issued), "EUR", parse_terms(terms), built, gross)
