"""Reports computed from the journal: trial balance, income statement, balance sheet."""

from dataclasses import dataclass

from ledger.accounts import NORMAL_SIDE
from ledger.money import Money, total


@dataclass(frozen=True)
class TrialRow:
    """An account's debits, credits and balance."""

    code: str
    name: str
    debit: Money
    credit: Money

    @property
    def balance(self):
        """Debits minus credits."""
        return self.debit - self.credit


def trial_balance(journal, currency, until=None, since=None):
    """One row for each account that moved, by code."""
    debits = {}
    credits = {}
    for entry in journal.entries(since, until):
        for posting in entry.postings:
            if posting.amount.currency != currency:
                continue
            side = debits if posting.amount.amount >= 0 else credits
            zero = Money.zero(currency)
            side[posting.account] = side.get(posting.account, zero) + posting.amount
    rows = []
    for account in journal.chart:
        debit = debits.get(account.code, Money.zero(currency))
        credit = -credits.get(account.code, Money.zero(currency))
        if not (debit.is_zero() and credit.is_zero()):
            rows.append(TrialRow(account.code, account.name, debit, credit))
    return rows


def is_balanced(rows, currency):
    """True if all debits equal all credits."""
    return total((row.balance for row in rows), currency).is_zero()


@dataclass(frozen=True)
class IncomeStatement:
    """Income, expenses and what is left."""

    income: tuple
    expenses: tuple
    currency: str

    @property
    def result(self):
        """Profit (positive) or loss."""
        earned = total((amount for _, amount in self.income), self.currency)
        spent = total((amount for _, amount in self.expenses), self.currency)
        return earned - spent


def _section(journal, kind, currency, since, until):
    rows = []
    for account in journal.chart.of_kind(kind):
        amount = journal.balance(account.code, currency, since, until) * NORMAL_SIDE[kind]
        if not amount.is_zero():
            rows.append((account.name, amount))
    return tuple(rows)


def income_statement(journal, currency, since, until):
    """Profit and loss over a span of days, both ends included."""
    return IncomeStatement(
        _section(journal, "income", currency, since, until),
        _section(journal, "expense", currency, since, until),
        currency,
    )


@dataclass(frozen=True)
class BalanceSheet:
    """Assets on one side, liabilities, equity and the result that isn't appropriated on the other."""

    assets: tuple
    liabilities: tuple
    equity: tuple
    result: Money

    def balances(self):
        """True if both sides are equal."""
        currency = self.result.currency
        left = total((amount for _, amount in self.assets), currency)
        right = total((amount for _, amount in self.liabilities + self.equity), currency) + self.result
        return left == right


def balance_sheet(journal, currency, day):
    """Position at the end of a day."""
    everything = income_statement(journal, currency, None, day)
    return BalanceSheet(
        _section(journal, "asset", currency, None, day),
        _section(journal, "liability", currency, None, day),
        _section(journal, "equity", currency, None, day),
        everything.result,
    )
