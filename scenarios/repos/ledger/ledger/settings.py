"""Settings of a data folder, with defaults for everything."""

from dataclasses import dataclass, fields

from ledger.errors import LedgerError
from ledger.periods import fiscal_year


@dataclass(frozen=True)
class Settings:
    """Contents of ``settings.json``."""

    currency: str = "EUR"
    year: int = 2024
    first_month: int = 1
    closed_periods: tuple = ()
    bank_account: str = "1800"
    receivable_account: str = "1200"

    @classmethod
    def from_dict(cls, values):
        """Takes known keys; an unknown one is an error, because a typo would be ignored silently."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise LedgerError(f"settings.json: unknown keys {', '.join(unknown)}")
        cleaned = dict(values)
        if "closed_periods" in cleaned:
            cleaned["closed_periods"] = tuple(cleaned["closed_periods"])
        settings = cls(**cleaned)
        if not 1 <= settings.first_month <= 12:
            raise LedgerError("settings.json: first_month must be 1 to 12")
        return settings

    def periods(self):
        """The periods of the open fiscal year."""
        return fiscal_year(self.year, self.first_month, self.closed_periods)
