"""What is tried again, and when."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .errors import ServiceError

T = TypeVar("T")

MAX_SLOW = 2


class Broken(ServiceError):
    """No usable answer arrived. `slow`: the other end stood still; `hopeless`: another attempt does not mend it."""

    def __init__(self, message: str, *, slow: bool = False, hopeless: bool = False) -> None:
        super().__init__(message)
        self.slow = slow
        self.hopeless = hopeless


@dataclass(frozen=True)
class Retry:
    """How often a request and the transfer of a file are tried at most, and the first pause in seconds, which doubles
    each time. A longer pause than the longest, which a service may ask for, ends the attempts."""

    attempts: int = 4
    transfers: int = 6
    pause: float = 0.25
    longest_pause: float = 30

    def backoff(self, failures: int) -> float:
        return self.pause * float(2 ** (failures - 1)) * random.uniform(0.5, 1)


def is_slow(error: ServiceError) -> bool:
    return isinstance(error, Broken) and error.slow


def passes(error: ServiceError) -> bool:
    """Whether another attempt may go better. Every request of this package may be repeated."""
    if isinstance(error, Broken):
        return not error.hopeless
    return error.status in (429, 502, 503, 504) or error.code == "unavailable"


def with_retry(attempt: Callable[[], T], retry: Retry, stop: threading.Event) -> T:
    """Runs `attempt` until it succeeds, fails for good, or the attempts are used up."""
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
        if stop.wait(pause):
            raise Broken("The transfer was interrupted.", hopeless=True)
