"""How slow the other end of a transfer may be."""

import time
from dataclasses import dataclass

SECOND_LOOK = 1.0


class TooSlow(OSError):
    """The other end stood still, or moved less than the least rate."""


@dataclass(frozen=True)
class Limits:
    """`rate` is the least average of bytes a second, None for however slow; all others are seconds. An average is taken
    over `sending` and `receiving`; an answer begins within `head`."""

    rate: float | None = 1_024
    sending: float = 60
    receiving: float = 20
    head: float = 60
    connect: float = 10


class Deadline:
    """A moment until which something must be there, however much moves before."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def patience(self) -> float:
        """How many seconds may be waited now. Raises `TooSlow` when there are none left."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TooSlow("the server did not answer in time")
        return left

    def moved(self, count: int, waited: float) -> None:
        pass


class Pace:
    """Tells whether a transfer keeps a least average rate: what is waited for it uses a window up, what moves gives as
    much time back as `rate` bytes a second would take for it. Time in which nobody waits does not count.

    A process that stood still has waited long and may have missed what came, so a spent window has a second look, which
    is whole again once as much moved as that time is worth.
    """

    def __init__(self, rate: float | None, window: float) -> None:
        self._rate = rate
        self._window = self._left = window
        self._grace = SECOND_LOOK

    def patience(self) -> float | None:
        """How many seconds may be waited now, None without end. Raises `TooSlow` when there are none left."""
        if self._rate is None:
            return None
        if self._left > 0:
            return self._left
        if self._grace > 0:
            return self._grace
        raise TooSlow("the transfer was too slow or stalled")

    def moved(self, count: int, waited: float) -> None:
        if self._rate is None:
            return
        if self._left > 0:
            self._left = max(0.0, self._left - waited)
        else:
            self._grace -= waited
        self._left = min(self._window, self._left + count / self._rate)
        if self._left >= min(SECOND_LOOK, self._window):
            self._grace = SECOND_LOOK
