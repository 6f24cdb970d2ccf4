"""Queue: sends requests and decides which failures are worth another attempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from meteo.config.upload import Pauses
from meteo.upload.request import Request

Sender = Callable[[Request], int]
"""Sends a request and returns the HTTP status; raises OSError when there was no answer."""

REFUSED = frozenset({401, 403})
"""The key is wrong or not allowed: trying again with it locks some accounts."""


@dataclass
class Job:
    """A request on its way."""

    request: Request
    attempts: int = 0
    last_problem: str = ""


@dataclass
class Queue:
    """Jobs in the order they came; time is the caller's, so that tests need none."""

    send: Sender
    pauses: Pauses = field(default_factory=Pauses)
    log: list[str] = field(default_factory=list)
    _waiting: list[tuple[float, int, Job]] = field(default_factory=list)
    _serial: int = 0

    def put(self, request: Request, now: float) -> None:
        """Adds a request that is due at once."""
        self._push(now, Job(request))

    def run(self, now: float) -> None:
        """Sends every job that is due; failed ones wait for their next turn or are given up."""
        due = [entry for entry in self._waiting if entry[0] <= now]
        self._waiting = [entry for entry in self._waiting if entry[0] > now]
        for _, _, job in sorted(due, key=lambda entry: entry[:2]):
            self._attempt(job, now)

    def waiting(self) -> int:
        """Jobs that still have a turn."""
        return len(self._waiting)

    def _attempt(self, job: Job, now: float) -> None:
        job.attempts += 1
        try:
            status = self.send(job.request)
        except OSError as error:
            self._again(job, now, f"no answer ({error})")
            return
        if 200 <= status < 300:
            self.log.append(f"sent: {job.request.describe()}")
        elif status in REFUSED:
            self.log.append(f"refused with {status}: {job.request.describe()}")
        elif status == 429 or status >= 500:
            self._again(job, now, f"status {status}")
        else:
            self.log.append(f"given up, status {status}: {job.request.describe()}")

    def _again(self, job: Job, now: float, problem: str) -> None:
        job.last_problem = problem
        pause = self.pauses.after(job.attempts)
        if pause is None:
            self.log.append(f"given up after {job.attempts} attempts, {problem}: {job.request.describe()}")
            return
        self._push(now + pause, job)

    def _push(self, due: float, job: Job) -> None:
        self._serial += 1
        self._waiting.append((due, self._serial, job))
