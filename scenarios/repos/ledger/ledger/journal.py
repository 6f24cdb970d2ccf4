"""Entries and postings: the books themselves."""

from dataclasses import dataclass, field
from datetime import date

from ledger.errors import ClosedPeriod, LedgerError, UnbalancedEntry
from ledger.money import Money, total


@dataclass(frozen=True)
class Posting:
    """One side of an entry. Debits are positive, credits negative."""

    account: str
    amount: Money
    text: str = ""


@dataclass(frozen=True)
class Entry:
    """Postings that belong together and add up to zero."""

    id: str
    day: date
    postings: tuple = field(default_factory=tuple)

    def difference(self):
        """What is missing to balance; zero for a good entry."""
        if not self.postings:
            raise LedgerError(f"entry {self.id} has no postings")
        return total((p.amount for p in self.postings), self.postings[0].amount.currency)

    def check(self):
        """Raises :class:`UnbalancedEntry` unless the entry balances to the last digit."""
        difference = self.difference()
        if not difference.is_zero():
            raise UnbalancedEntry(self.id, difference)

    def touches(self, account):
        """True if a posting goes to the account."""
        return any(posting.account == account for posting in self.postings)


class Journal:
    """Entries in the order of their day, then of their arrival."""

    def __init__(self, chart, periods=None):
        self.chart = chart
        self.periods = periods
        self._entries = []
        self._ids = set()

    def post(self, entry):
        """Adds an entry after checking balance, accounts and period."""
        if entry.id in self._ids:
            raise LedgerError(f"entry {entry.id} is there twice")
        entry.check()
        for posting in entry.postings:
            account = self.chart[posting.account]
            if account.closed:
                raise LedgerError(f"entry {entry.id}: account {account.code} is closed")
        if self.periods is not None:
            period = self.periods.containing(entry.day)
            if period is not None and period.closed:
                raise ClosedPeriod(period.name)
        self._ids.add(entry.id)
        self._entries.append(entry)

    def reverse(self, entry_id, new_id, day):
        """Posts the mirror image of an entry: how a mistake is corrected without erasing it."""
        original = self.find(entry_id)
        postings = tuple(Posting(p.account, -p.amount, f"reversal of {entry_id}") for p in original.postings)
        entry = Entry(new_id, day, postings)
        self.post(entry)
        return entry

    def find(self, entry_id):
        """The entry with an id."""
        for entry in self._entries:
            if entry.id == entry_id:
                return entry
        raise LedgerError(f"no entry {entry_id}")

    def entries(self, since=None, until=None):
        """Entries of a span of days, both ends included."""
        chosen = [
            entry
            for entry in self._entries
            if (since is None or entry.day >= since) and (until is None or entry.day <= until)
        ]
        return sorted(chosen, key=lambda entry: entry.day)

    def balance(self, account, currency, since=None, until=None):
        """Sum of an account's postings over a span of days."""
        amounts = (
            posting.amount
            for entry in self.entries(since, until)
            for posting in entry.postings
            if posting.account == account and posting.amount.currency == currency
        )
        return total(amounts, currency)

    def __len__(self):
        return len(self._entries)
