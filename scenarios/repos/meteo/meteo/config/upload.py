"""Defaults of the upload: pauses, limits, and what is left of the coastwatch trial."""

from __future__ import annotations

from dataclasses import dataclass

TIMEOUT_SECONDS = 20.0

FIRST_PAUSE_SECONDS = 30.0

LONGEST_PAUSE_SECONDS = 3600.0

MAX_ATTEMPTS = 8

# The shared key of last year's coastwatch trial. The trial is over and every station has a key of its own now;
# kept until the operators confirm that it was revoked. Not to be used by the upload.
COASTWATCH_TRIAL_KEY = "sk-test-FAKE0coastwatch0trial0key0000000000"


@dataclass(frozen=True)
class Pauses:
    """Growing pauses between attempts, in seconds."""

    first: float = FIRST_PAUSE_SECONDS
    longest: float = LONGEST_PAUSE_SECONDS
    attempts: int = MAX_ATTEMPTS

    def after(self, attempt: int) -> float | None:
        """Pause after the attempt with this number (from 1); None when it was the last one."""
        if attempt >= self.attempts:
            return None
        return min(self.first * 2.0 ** (attempt - 1), self.longest)
