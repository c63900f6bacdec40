"""How slow the other end of a transfer may be, and how often a request is tried."""

import logging
import os
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ._errors import ServiceError

RECHECK_AFTER = 1.0
MAX_SLOW = 2

T = TypeVar("T")
_log = logging.getLogger("bindery")


class TransferTooSlowError(OSError):
    """The other end stalled, or was slower than the minimum rate."""


@dataclass(frozen=True)
class Limits:
    """`rate` is the minimum average in bytes per second, None for no minimum; all others are seconds. Averages are
    taken over `sending` and `receiving`; a response must start within `head`."""

    rate: float | None = 1_024
    sending: float = 60
    receiving: float = 20
    head: float = 60
    connect: float = 10

    def within(self, timeout: float | None) -> "Limits":
        """Returns the same with one limit in seconds for everything but the rate; None changes nothing."""
        if timeout is None:
            return self
        if not 0 < timeout < float("inf"):
            raise ValueError(f"invalid timeout={timeout!r}: expected a positive number of seconds")
        return Limits(self.rate, timeout, timeout, timeout, timeout)


def min_transfer_rate() -> float | None:
    """Returns the minimum average transfer rate in bytes per second: `BINDERY_MIN_TRANSFER_RATE`, None for `off`."""
    value = os.environ.get("BINDERY_MIN_TRANSFER_RATE", "")
    if value == "":
        return Limits.rate
    if value == "off":
        return None
    if not re.fullmatch("[0-9]{1,15}", value) or int(value) == 0:
        raise ValueError(f'invalid BINDERY_MIN_TRANSFER_RATE {value[:80]!r}: expected bytes per second, or "off"')
    return int(value)


class Deadline:
    """A time by which something must be complete, however much arrives before."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def patience(self) -> float:
        """Returns the seconds left to wait. Raises `TransferTooSlowError` if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TransferTooSlowError("the server did not answer in time")
        return left

    def moved(self, count: int, waited: float) -> None:
        pass


class Pace:
    """Checks that a transfer keeps a minimum average rate: waiting uses a window up, and each byte that moves restores
    the time it would take at `rate`. Time in which nobody waits does not count.

    A process that was suspended has waited long and may have missed data that arrived, so an exhausted window gets a
    grace period, which is restored once as much has moved as that time is worth.
    """

    def __init__(self, rate: float | None, window: float) -> None:
        self._rate = rate
        self._window = self._left = window
        self._grace = RECHECK_AFTER

    def patience(self) -> float | None:
        """Returns the seconds left to wait, None for no limit. Raises `TransferTooSlowError` if there are none."""
        if self._rate is None:
            return None
        if self._left > 0:
            return self._left
        if self._grace > 0:
            return self._grace
        raise TransferTooSlowError("the transfer was too slow or stalled")

    def moved(self, count: int, waited: float) -> None:
        if self._rate is None:
            return
        if self._left > 0:
            self._left = max(0.0, self._left - waited)
        else:
            self._grace -= waited
        self._left = min(self._window, self._left + count / self._rate)
        if self._left >= min(RECHECK_AFTER, self._window):
            self._grace = RECHECK_AFTER


class TransferError(ServiceError):
    """No usable response arrived. `slow`: the other end stalled; `hopeless`: retrying will not help."""

    def __init__(self, message: str, *, slow: bool = False, hopeless: bool = False) -> None:
        super().__init__(message)
        self.slow = slow
        self.hopeless = hopeless


@dataclass(frozen=True)
class Retry:
    """The maximum attempts of a request and of a file transfer, and the first pause in seconds, which doubles each
    time. If the service asks for a pause longer than `longest_pause`, there are no more attempts."""

    attempts: int = 4
    transfers: int = 6
    pause: float = 0.25
    longest_pause: float = 30

    def backoff(self, failures: int) -> float:
        return self.pause * float(2 ** (failures - 1)) * random.uniform(0.5, 1)


def is_slow(error: ServiceError) -> bool:
    return isinstance(error, TransferError) and error.slow


def passes(error: ServiceError) -> bool:
    """Whether another attempt might succeed. Every request of this package may be repeated."""
    if isinstance(error, TransferError):
        return not error.hopeless
    return error.status in (429, 502, 503, 504) or error.code == "unavailable"


def log_retry(error: ServiceError, pause: float) -> None:
    _log.info("%s Trying again in %.1f s.", error, pause)


def with_retry(attempt: Callable[[], T], retry: Retry, stop: threading.Event) -> T:
    """Runs `attempt` until it succeeds, fails permanently, or the attempts are used up."""
    failures = slow = 0
    while True:
        try:
            return attempt()
        except ServiceError as error:
            failures += 1
            slow += is_slow(error)
            pause = retry.backoff(failures) if error.retry_after is None else error.retry_after
            if not passes(error) or failures >= retry.attempts or slow >= MAX_SLOW or pause > retry.longest_pause:
                raise
            log_retry(error, pause)
        if stop.wait(pause):
            raise TransferError("The transfer was interrupted.", hopeless=True)
