"""Quality flags, ordered from best to worst."""

from __future__ import annotations

from enum import IntEnum


class Flag(IntEnum):
    """What quality control thinks of a reading. A larger number is a worse flag."""

    GOOD = 0
    SUSPECT = 1
    BAD = 2
    MISSING = 3

    @property
    def letter(self) -> str:
        """One letter for tables."""
        return {Flag.GOOD: "", Flag.SUSPECT: "S", Flag.BAD: "B", Flag.MISSING: "M"}[self]

    @classmethod
    def parse(cls, text: str) -> "Flag":
        """Reads a name in any case. Raises ValueError."""
        try:
            return cls[text.strip().upper()]
        except KeyError:
            names = ", ".join(flag.name.lower() for flag in cls)
            raise ValueError(f"unknown flag {text!r}: one of {names}") from None


def count_flags(flags: "list[Flag]") -> dict[str, int]:
    """How often each flag occurs; every name is present."""
    counts = {flag.name.lower(): 0 for flag in Flag}
    for flag in flags:
        counts[flag.name.lower()] += 1
    return counts
