"""Rules for retrying requests."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ._errors import ServiceError

T = TypeVar("T")

MAX_SLOW = 2


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
        if stop.wait(pause):
            raise TransferError("The transfer was interrupted.", hopeless=True)
