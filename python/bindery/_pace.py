"""Limits on how slow the other end of a transfer may be."""

import time
from dataclasses import dataclass

RECHECK_AFTER = 1.0


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
            raise ValueError(f"timeout={timeout!r} is not a positive number of seconds")
        return Limits(self.rate, timeout, timeout, timeout, timeout)


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
