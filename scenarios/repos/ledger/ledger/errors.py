"""Everything that ledger raises on purpose."""


class LedgerError(Exception):
    """Base class: the command line prints the message and exits with ``exit_code``."""

    exit_code = 1


class ParseError(LedgerError):
    """Text that should be an amount, a date or a row isn't one."""

    def __init__(self, what, text, where=None):
        self.what = what
        self.text = text
        self.where = where
        place = f"{where}: " if where else ""
        super().__init__(f"{place}not {what}: {text!r}")


class UnbalancedEntry(LedgerError):
    """Debits and credits of an entry differ."""

    def __init__(self, entry_id, difference):
        self.entry_id = entry_id
        self.difference = difference
        super().__init__(f"entry {entry_id} is out of balance by {difference}")


class ClosedPeriod(LedgerError):
    """A write into a period that has been closed."""

    def __init__(self, period):
        self.period = period
        super().__init__(f"period {period} is closed")


class UnknownAccount(LedgerError):
    """An account code that isn't in the chart."""

    def __init__(self, code):
        self.code = code
        super().__init__(f"no account {code!r} in the chart")


class UnknownCurrency(LedgerError):
    """A currency without a known number of digits."""

    def __init__(self, code):
        self.code = code
        super().__init__(f"unknown currency {code!r}")


class MissingRate(LedgerError):
    """No exchange rate on or before a date."""

    def __init__(self, source, target, day):
        super().__init__(f"no rate {source}/{target} on or before {day}")


class ValidationFailed(LedgerError):
    """Several problems at once, one a line."""

    def __init__(self, problems):
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))
