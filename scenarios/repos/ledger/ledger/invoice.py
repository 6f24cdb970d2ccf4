"""Invoices: lines, totals and the entry that books them."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation

from ledger.errors import LedgerError, ParseError
from ledger.journal import Entry, Posting
from ledger.money import Money, round_half_up, total
from ledger.tax import DEFAULT_TAXES, breakdown
from ledger.terms import Terms, parse_terms


@dataclass(frozen=True)
class Line:
    """One position. The unit price is net, or gross where the invoice's prices include tax."""

    text: str
    quantity: Decimal
    unit_price: Money
    tax_code: str = "standard"

    def amount(self):
        """Quantity times price, rounded to the minor unit."""
        exact = self.unit_price * self.quantity
        return Money(round_half_up(exact.amount, exact.currency), exact.currency)


@dataclass(frozen=True)
class Invoice:
    """An issued invoice."""

    number: str
    customer: str
    issued: date
    currency: str
    terms: Terms
    lines: tuple = field(default_factory=tuple)
    prices_include_tax: bool = False

    def __post_init__(self):
        for line in self.lines:
            if line.unit_price.currency != self.currency:
                raise LedgerError(f"invoice {self.number}: line {line.text!r} has another currency")

    def tax_groups(self, table=DEFAULT_TAXES):
        """Breakdown by tax code."""
        pairs = [(line.tax_code, line.amount()) for line in self.lines]
        return breakdown(pairs, self.issued, table, self.prices_include_tax)

    def net_total(self, table=DEFAULT_TAXES):
        """Sum of the groups' net amounts."""
        return total((group.net for group in self.tax_groups(table)), self.currency)

    def tax_total(self, table=DEFAULT_TAXES):
        """Sum of the groups' tax."""
        return total((group.tax for group in self.tax_groups(table)), self.currency)

    def gross_total(self, table=DEFAULT_TAXES):
        """What the customer pays."""
        return total((group.gross for group in self.tax_groups(table)), self.currency)

    def due_date(self):
        """Day on which payment is due."""
        return self.terms.due_date(self.issued)

    def share_by_line(self, table=DEFAULT_TAXES):
        """Gross total spread over the lines by their amounts: for cost centres."""
        weights = [line.amount().amount for line in self.lines]
        return self.gross_total(table).allocate(weights)


def booking(invoice, receivable="1200", revenue="4400", table=DEFAULT_TAXES):
    """The entry that books an invoice: receivable against revenue and tax."""
    postings = [Posting(receivable, invoice.gross_total(table), f"invoice {invoice.number}")]
    for group in invoice.tax_groups(table):
        postings.append(Posting(revenue, -group.net, f"revenue {group.code}"))
        if not group.tax.is_zero():
            account = table.rate_for(group.code, invoice.issued).account
            postings.append(Posting(account, -group.tax, f"tax {group.code}"))
    return Entry(f"INV-{invoice.number}", invoice.issued, tuple(postings))


def _number(text, what, where):
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ParseError(what, text, where) from None


def invoice_from_row(row):
    """Builds an invoice from an object of ``invoices.json``."""
    where = f"invoice {row.get('number')}"
    currency = row["currency"]
    lines = tuple(
        Line(
            text=line["text"],
            quantity=_number(line["quantity"], "a quantity", where),
            unit_price=Money.parse(line["unit_price"], currency, where),
            tax_code=line.get("tax_code", "standard"),
        )
        for line in row["lines"]
    )
    try:
        issued = date.fromisoformat(row["issued"])
    except ValueError:
        raise ParseError("a date", row["issued"], where) from None
    return Invoice(
        number=row["number"],
        customer=row["customer"],
        issued=issued,
        currency=currency,
        terms=parse_terms(row["terms"]),
        lines=lines,
        prices_include_tax=bool(row.get("prices_include_tax", False)),
    )
