"""Payments and which invoices they settle."""

from dataclasses import dataclass
from datetime import date

from ledger.errors import LedgerError
from ledger.money import Money, total
from ledger.numbering import mentioned


@dataclass(frozen=True)
class Payment:
    """Money that came in."""

    id: str
    customer: str
    day: date
    amount: Money
    text: str = ""


@dataclass(frozen=True)
class Settlement:
    """The part of a payment that goes to one invoice, with the discount that was granted on it."""

    payment: str
    invoice: str
    amount: Money
    discount: Money


class OpenItems:
    """What is still to be paid on each invoice."""

    def __init__(self, invoices):
        self._invoices = {invoice.number: invoice for invoice in invoices}
        self._open = {number: invoice.gross_total() for number, invoice in self._invoices.items()}
        self.settlements = []

    def open_amount(self, number):
        """What is left to pay on an invoice."""
        if number not in self._open:
            raise LedgerError(f"no invoice {number}")
        return self._open[number]

    def of_customer(self, customer):
        """Open invoices of a customer, the oldest first."""
        chosen = [
            invoice
            for number, invoice in self._invoices.items()
            if invoice.customer == customer and self._open[number].amount > 0
        ]
        return sorted(chosen, key=lambda invoice: (invoice.issued, invoice.number))

    def apply(self, payment):
        """Settles invoices with a payment; returns what was left over.

        Invoices named in the text come first, then the oldest. A discount counts only if it closes the invoice.
        """
        left = payment.amount
        for invoice in self._order(payment):
            if left.amount <= 0:
                break
            owed = self._open[invoice.number]
            if owed.currency != left.currency:
                continue
            discount = invoice.terms.discount_on(invoice.gross_total(), invoice.issued, payment.day)
            if discount.amount > 0 and left.amount >= owed.amount - discount.amount:
                paid = min(left.amount, owed.amount)
                kept = Money(owed.amount - paid, owed.currency)
                if kept.amount > discount.amount:
                    kept = discount
            else:
                paid = min(left.amount, owed.amount)
                kept = Money.zero(owed.currency)
            part = Money(paid, owed.currency)
            self._open[invoice.number] = owed - part - kept
            self.settlements.append(Settlement(payment.id, invoice.number, part, kept))
            left = left - part
        return left

    def _order(self, payment):
        candidates = self.of_customer(payment.customer)
        named = mentioned(payment.text, [invoice.number for invoice in candidates])
        first = [self._invoices[number] for number in named]
        return first + [invoice for invoice in candidates if invoice.number not in named]

    def total_open(self, currency):
        """Everything that is still to be paid in a currency."""
        amounts = (amount for amount in self._open.values() if amount.currency == currency)
        return total(amounts, currency)
