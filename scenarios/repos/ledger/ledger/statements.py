"""Statements of account: what a customer was billed and paid over a span of days."""

from dataclasses import dataclass
from datetime import date

from ledger.money import Money


@dataclass(frozen=True)
class StatementLine:
    """One movement with the balance after it."""

    day: date
    text: str
    amount: Money
    balance: Money


@dataclass(frozen=True)
class Statement:
    """Opening balance, movements, closing balance."""

    customer: str
    first: date
    last: date
    opening: Money
    lines: tuple

    @property
    def closing(self):
        """Balance after the last movement."""
        return self.lines[-1].balance if self.lines else self.opening


def _movements(customer, invoices, payments, currency):
    for invoice in invoices:
        if invoice.customer == customer and invoice.currency == currency:
            yield invoice.issued, 0, f"invoice {invoice.number}", invoice.gross_total()
    for payment in payments:
        if payment.customer == customer and payment.amount.currency == currency:
            yield payment.day, 1, f"payment {payment.id}", -payment.amount


def statement(customer, invoices, payments, first, last, currency):
    """A customer's statement; movements of a day come with invoices before payments."""
    movements = sorted(_movements(customer, invoices, payments, currency), key=lambda m: (m[0], m[1], m[2]))
    balance = Money.zero(currency)
    for day, _, _, amount in movements:
        if day < first:
            balance = balance + amount
    opening = balance
    lines = []
    for day, _, text, amount in movements:
        if first <= day <= last:
            balance = balance + amount
            lines.append(StatementLine(day, text, amount, balance))
    return Statement(customer, first, last, opening, tuple(lines))
