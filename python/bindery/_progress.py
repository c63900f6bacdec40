"""Shows how much of a download has arrived."""

import sys
import threading
from typing import Any

from ._errors import BinderyError


class Progress:
    """A bar of tqdm that counts bytes. Thread-safe."""

    def __init__(self, name: str, total: int, shown: bool | None) -> None:
        """`shown` is true for always, false for never, and None if tqdm is installed and stderr is a terminal."""
        self._bar: Any = None
        self._lock = threading.Lock()
        if shown is False or (shown is None and not sys.stderr.isatty()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if shown:
                raise BinderyError("progress=True needs the package tqdm: pip install tqdm") from None
            return
        self._bar = tqdm(desc=name, total=total, unit="B", unit_scale=True, leave=bool(shown))

    def add(self, size: int) -> None:
        """Counts bytes that arrived; a negative number takes back what is fetched again."""
        if self._bar is not None:
            with self._lock:
                self._bar.update(size)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
