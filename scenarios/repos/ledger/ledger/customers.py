"""Customers and how to find one by the text of a bank transfer."""

import unicodedata
from dataclasses import dataclass

from ledger.errors import LedgerError


@dataclass(frozen=True)
class Customer:
    """Somebody who gets invoices."""

    id: str
    name: str
    email: str = ""
    country: str = "DE"
    terms: str = "net30"


def fold(text):
    """Text for comparison: without accents, case and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = (c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c))
    return " ".join("".join(kept).casefold().split())


class Directory:
    """All customers."""

    def __init__(self, customers=()):
        self._customers = {}
        for customer in customers:
            if customer.id in self._customers:
                raise LedgerError(f"customer {customer.id} is there twice")
            self._customers[customer.id] = customer

    def __iter__(self):
        return iter(sorted(self._customers.values(), key=lambda customer: customer.id))

    def __contains__(self, customer_id):
        return customer_id in self._customers

    def get(self, customer_id):
        """The customer with an id."""
        try:
            return self._customers[customer_id]
        except KeyError:
            raise LedgerError(f"no customer {customer_id!r}") from None

    def matching(self, text):
        """Customers whose name stands in a text, the longest name first."""
        haystack = f" {fold(text)} "
        found = [c for c in self if f" {fold(c.name)} " in haystack]
        return sorted(found, key=lambda c: (-len(c.name), c.id))

    @classmethod
    def from_rows(cls, rows):
        """Builds a directory from the objects of ``customers.json``."""
        return cls(
            Customer(
                row["id"], row["name"], row.get("email", ""), row.get("country", "DE"), row.get("terms", "net30")
            )
            for row in rows
        )
