"""Bank reconciliation: matching imported bank lines with postings of the bank account."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Match:
    """A bank line and the entry that books it."""

    line: int
    entry: str
    days_apart: int


@dataclass(frozen=True)
class Reconciliation:
    """Matches, and what is left on either side."""

    matches: tuple
    unmatched_lines: tuple
    unmatched_entries: tuple

    @property
    def complete(self):
        """True if nothing is left."""
        return not self.unmatched_lines and not self.unmatched_entries


def _candidates(line, postings, used, window):
    for entry_id, day, amount in postings:
        if entry_id in used or amount != line.amount:
            continue
        apart = abs((day - line.day).days)
        if apart <= window.days:
            yield apart, day, entry_id


def reconcile(lines, journal, account, window=timedelta(days=4)):
    """Matches by equal amount within a window of days, the closest day first.

    Each line and each entry is used once. Lines are taken in order, so an earlier line has the first choice.
    """
    postings = [
        (entry.id, entry.day, posting.amount)
        for entry in journal.entries()
        for posting in entry.postings
        if posting.account == account
    ]
    used = set()
    matches = []
    unmatched = []
    for position, line in enumerate(lines):
        best = min(_candidates(line, postings, used, window), default=None)
        if best is None:
            unmatched.append(position)
            continue
        apart, _, entry_id = best
        used.add(entry_id)
        matches.append(Match(position, entry_id, apart))
    left = tuple(sorted({entry_id for entry_id, _, _ in postings} - used))
    return Reconciliation(tuple(matches), tuple(unmatched), left)
