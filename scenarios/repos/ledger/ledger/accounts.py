"""Chart of accounts."""

from dataclasses import dataclass

from ledger.errors import LedgerError, UnknownAccount

#: Kinds of accounts and the side on which their balance is normally found (+1 debit, -1 credit).
NORMAL_SIDE = {
    "asset": 1,
    "expense": 1,
    "liability": -1,
    "equity": -1,
    "income": -1,
}


@dataclass(frozen=True)
class Account:
    """An account; ``closed`` ones keep their history but take no new postings."""

    code: str
    name: str
    kind: str
    closed: bool = False

    def __post_init__(self):
        if self.kind not in NORMAL_SIDE:
            raise LedgerError(f"account {self.code}: unknown kind {self.kind!r}")

    @property
    def in_balance_sheet(self):
        """True for accounts carried into the next year."""
        return self.kind in ("asset", "liability", "equity")


class Chart:
    """All accounts, by code."""

    def __init__(self, accounts=()):
        self._accounts = {}
        for account in accounts:
            self.add(account)

    def add(self, account):
        """Adds an account; a code is used once."""
        if account.code in self._accounts:
            raise LedgerError(f"account {account.code} is there twice")
        self._accounts[account.code] = account

    def __getitem__(self, code):
        try:
            return self._accounts[code]
        except KeyError:
            raise UnknownAccount(code) from None

    def __contains__(self, code):
        return code in self._accounts

    def __iter__(self):
        return iter(sorted(self._accounts.values(), key=lambda account: account.code))

    def __len__(self):
        return len(self._accounts)

    def of_kind(self, *kinds):
        """Accounts of the given kinds, by code."""
        return [account for account in self if account.kind in kinds]

    def search(self, text):
        """Accounts whose code starts with the text or whose name contains it."""
        needle = text.casefold()
        return [a for a in self if a.code.startswith(text) or needle in a.name.casefold()]

    @classmethod
    def from_rows(cls, rows):
        """Builds a chart from the objects of ``accounts.json``."""
        return cls(
            Account(row["code"], row["name"], row["kind"], bool(row.get("closed", False))) for row in rows
        )
