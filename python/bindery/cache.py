"""The cache of files fetched on this machine, addressed by content and shared with the command line."""

import os
import stat
import sys
import time

_USE_RECORDED_EVERY = 3_600


def cache_folder() -> str:
    """Returns the cache folder, shared with the command line: `$XDG_CACHE_HOME/bindery`, else `~/.cache/bindery`."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return os.path.join(folder, "bindery")
    if sys.platform == "win32" and (folder := os.environ.get("LOCALAPPDATA")):
        return os.path.join(folder, "bindery", "cache")
    return os.path.join(os.path.expanduser("~"), ".cache", "bindery")


def stamp_of(sha256: str) -> int:
    """Returns the modification time of an intact entry, in nanoseconds: any write to the entry changes it."""
    return (1_000_000_000 + int(sha256[:7], 16)) * 1_000_000_000


def is_whole(file: str, sha256: str, size: int) -> bool:
    """Whether a file of the cache has the right content. If its size is right but its stamp is not, it is read, and
    stamped again if it is intact."""
    try:
        found = os.lstat(file)
    except OSError:
        return False
    if not stat.S_ISREG(found.st_mode) or found.st_size != size:
        return False
    if found.st_mtime_ns == stamp_of(sha256):
        if time.time() - found.st_atime >= _USE_RECORDED_EVERY:
            stamp(file, sha256)
        return True
    if _digest(file) != sha256:
        return False
    stamp(file, sha256)
    return True


class ObjectCache:
    """Entries are written to a temporary file and renamed, so processes need no lock: two that fetch the same entry
    waste a transfer, but do no harm."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "objects")

    def find(self, sha256: str, size: int) -> str | None:
        """Returns the path of an object, or None if it is not cached. A damaged entry is removed."""
        file = self.file(sha256)
        if is_whole(file, sha256, size):
            return file
        try:
            os.unlink(file)
        except FileNotFoundError:
            pass
        return None

    def file(self, sha256: str) -> str:
        """Returns the path that an object has if it is cached."""
        return os.path.join(self.folder, sha256[:2], sha256)


def make_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _digest(file: str) -> str | None:
    import hashlib

    try:
        with open(file, "rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return None


def stamp(file: str, sha256: str) -> None:
    try:
        os.utime(file, ns=(time.time_ns(), stamp_of(sha256)))
    except OSError:
        # Not needed for reading: another process may have removed the file, or the cache may be read-only.
        pass
