"""Remembers the SHA-256 of files in a folder, so that a later comparison reads only those that have changed."""

import hashlib
import os
import time
from typing import Self

from ._asset_cache import read_record, write_record
from ._object_cache import cache_folder, is_own

_SECOND = 1_000_000_000
# How far apart a change and a later look must be for the file to have different times, in nanoseconds.
_CLOCK_TICK = _SECOND // 50
# If times have no fraction, the file system might count in steps of two seconds.
_COARSE_TICK = 2 * _SECOND

_Identity = list[int]


class HashCache:
    """The hashes of the files of one folder, each valid while the file has the same device, inode, size and times. It is
    kept outside the folder; one that is damaged, or that others may write to, counts as empty."""

    def __init__(self, root: str) -> None:
        name = hashlib.sha256(os.path.realpath(root).encode()).hexdigest()[:32]
        self._file = os.path.join(cache_folder(), "hashes", f"{name}.python.json")
        self._root = root
        self._entries: dict[str, tuple[_Identity, str]] = {}
        self._written: dict[str, tuple[_Identity, str]] = {}
        self._changed = False
        try:
            known = read_record(self._file) if is_own(os.stat(self._file)) else None
            self._entries = {path: (identity, sha256) for path, (identity, sha256) in (known or {}).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._save()

    def get(self, path: str, found: os.stat_result) -> str | None:
        """Returns the hash of a file that has not changed since it was recorded."""
        known = self._entries.get(path)
        return known[1] if known is not None and known[0] == _identity(found) else None

    def record(self, path: str, found: os.stat_result, sha256: str, looked_at: int) -> None:
        """Records the hash of a file that was read at `looked_at` (nanoseconds since 1970) or later, unless a change
        shortly before that might leave its times as they are."""
        if max(found.st_mtime_ns, found.st_ctime_ns) + _tick(found) < looked_at:
            self._entries[path] = _identity(found), sha256
            self._changed = True

    def wrote(self, path: str, found: os.stat_result, sha256: str) -> None:
        """Notes a file that is about to be moved to its path."""
        self._written[path] = _identity(found), sha256

    def _save(self) -> None:
        if self._written:
            # So that what was written last can be told from what changes later.
            time.sleep(1.5 * _CLOCK_TICK / _SECOND)
        looked_at = time.time_ns()
        for path, (before, sha256) in self._written.items():
            try:
                found = os.stat(os.path.join(self._root, path), follow_symlinks=False)
            except OSError:
                continue
            # The rename renews the change time alone.
            if _identity(found)[:4] == before[:4]:
                self.record(path, found, sha256, looked_at)
        self._written = {}
        if self._changed:
            try:
                write_record(self._file, self._entries)
            except OSError:
                # Without a record the next comparison reads the files again.
                pass


def _identity(found: os.stat_result) -> _Identity:
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _tick(found: os.stat_result) -> int:
    return _COARSE_TICK if found.st_mtime_ns % _SECOND == found.st_ctime_ns % _SECOND == 0 else _CLOCK_TICK
