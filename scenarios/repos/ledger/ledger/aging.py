"""Aging of receivables: who owes what, and for how long."""

from dataclasses import dataclass

from ledger.money import Money, total
from ledger.terms import overdue_days

#: Upper bounds (days overdue, included) and names of the buckets; the last one is open.
BUCKETS = ((0, "not due"), (30, "1-30"), (60, "31-60"), (90, "61-90"), (None, "over 90"))


@dataclass(frozen=True)
class AgingRow:
    """A customer's open amounts by bucket, in the order of :data:`BUCKETS`."""

    customer: str
    amounts: tuple

    def total(self):
        """Everything this customer owes."""
        return total(self.amounts, self.amounts[0].currency)


def bucket_of(days):
    """Position of the bucket for a number of days overdue."""
    for position, (bound, _) in enumerate(BUCKETS):
        if bound is None or days <= bound:
            return position
    raise AssertionError("the last bucket is open")


def aging(open_items, directory, today, currency):
    """One row for each customer who owes something, by customer id."""
    rows = []
    for customer in directory:
        amounts = [Money.zero(currency) for _ in BUCKETS]
        for invoice in open_items.of_customer(customer.id):
            owed = open_items.open_amount(invoice.number)
            if owed.currency != currency:
                continue
            position = bucket_of(overdue_days(invoice.terms, invoice.issued, today))
            amounts[position] = amounts[position] + owed
        if any(not amount.is_zero() for amount in amounts):
            rows.append(AgingRow(customer.id, tuple(amounts)))
    return rows


def column_totals(rows, currency):
    """Sum of each bucket over all customers."""
    return [total((row.amounts[i] for row in rows), currency) for i in range(len(BUCKETS))]


def doubtful(rows, share_by_bucket=(0, 0, 10, 25, 50)):
    """Allowance for doubtful accounts: per cent of each bucket, rounded for each customer."""
    allowances = []
    for row in rows:
        parts = [amount * share for amount, share in zip(row.amounts, share_by_bucket)]
        exact = total(parts, row.amounts[0].currency)
        allowances.append((row.customer, Money(exact.amount / 100, exact.currency).rounded()))
    return allowances
