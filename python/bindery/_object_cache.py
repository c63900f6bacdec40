"""The cache of files fetched on this machine, addressed by content and shared with the command line."""

import functools
import hashlib
import os
import stat
import sys
import time

from ._errors import BinderyError

_UMASK = os.umask(0o077)
os.umask(_UMASK)
_USE_RECORDED_EVERY = 3_600
_ENTRY_MODE = 0o444


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
    """Whether a file of the cache has the right content. One with the right size is read and hashed if its stamp is
    wrong, or if it was not written by this user on this machine; if it is intact it is stamped again."""
    try:
        found = os.lstat(file)
    except OSError:
        return False
    if not stat.S_ISREG(found.st_mode) or found.st_size != size:
        return False
    if found.st_mtime_ns == stamp_of(sha256) and is_own(found) and found.st_ctime_ns >= _own_since(cache_folder()):
        if time.time() - found.st_atime >= _USE_RECORDED_EVERY:
            stamp(file, sha256)
        return True
    if _digest(file) != sha256:
        # Removing another link of a damaged file renews its change time, so it must lose its stamp too.
        _set_times(file, time.time_ns())
        return False
    stamp(file, sha256)
    return True


def is_own(found: os.stat_result) -> bool:
    """Whether a file belongs to this user, and nobody else may write to it."""
    return sys.platform == "win32" or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)


@functools.cache
def _own_since(folder: str) -> float:
    """Returns since when entries of the cache have been written on this machine, in nanoseconds since 1970: older ones
    may have been restored from a backup. The command line's `mark` also has its time of creation, which Python cannot
    read on every system; its inode tells a copy from the original."""
    mark = os.path.join(folder, "mark")
    try:
        with open(mark, encoding="ascii") as content:
            found = os.fstat(content.fileno())
            if is_own(found) and content.read(64).split(" ")[0] == str(found.st_ino):
                return found.st_ctime_ns
    except (OSError, ValueError):
        pass
    try:
        return _write_mark(mark, folder)
    except OSError:
        return float("inf")


def _write_mark(mark: str, folder: str) -> int:
    make_folder(folder)
    temporary = f"{mark}.{os.urandom(6).hex()}.tmp"
    with open(temporary, "x", encoding="ascii") as content:
        os.fchmod(content.fileno(), 0o600)
        content.write(f"{os.fstat(content.fileno()).st_ino} -\n")
    os.replace(temporary, mark)
    return os.stat(mark).st_ctime_ns


class ObjectCache:
    """Entries are written to a temporary file and renamed, so processes need no lock: two that fetch the same entry
    waste a transfer, but do no harm."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "objects")

    def find(self, sha256: str, size: int) -> str | None:
        """Returns the path of an object, or None if it is not cached. A damaged entry is removed."""
        file = self.file(sha256)
        # What was not there may be placed by another process by the time that it is missed.
        is_there = os.path.lexists(file)
        if is_whole(file, sha256, size):
            return file
        if is_there:
            try:
                os.unlink(file)
            except OSError:
                # The cache cannot be written: others' entries stay as they are.
                pass
        return None

    def file(self, sha256: str) -> str:
        """Returns the path that an object has if it is cached."""
        return os.path.join(self.folder, sha256[:2], sha256)


def make_folder(folder: str) -> None:
    """Makes a folder for this user, and for the group if the umask lets it read and write."""
    os.makedirs(folder, mode=0o700 if _UMASK & 0o060 else 0o770, exist_ok=True)


def _digest(file: str) -> str | None:
    import hashlib

    try:
        with open(file, "rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return None


def stamp(file: str, sha256: str) -> None:
    _set_times(file, stamp_of(sha256))


def _set_times(file: str, modified: int) -> None:
    try:
        os.utime(file, ns=(time.time_ns(), modified))
    except OSError:
        # Not needed for reading: another process may have removed the file, or the cache may be read-only.
        pass


class Entry:
    """A cache entry being written. It hashes the bytes it receives; `close` removes it unless it was kept."""

    def __init__(self, cache: ObjectCache, sha256: str) -> None:
        self._final = cache.file(sha256)
        beside = os.path.join(cache.folder, "tmp")
        self._name = sha256
        self._temporary = os.path.join(beside, f"{sha256}.{os.getpid()}.{os.urandom(6).hex()}")
        make_folder(beside)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file = os.fdopen(os.open(self._temporary, flags, _ENTRY_MODE), "wb", buffering=0)
        self._digest = hashlib.sha256()
        self._size = 0

    @property
    def size(self) -> int:
        return self._size

    def append(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:
            view = view[self._file.write(view) or 0 :]
        self._digest.update(chunk)
        self._size += len(chunk)

    def restart(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._digest, self._size = hashlib.sha256(), 0

    def sha256(self) -> str:
        return self._digest.hexdigest()

    def keep(self) -> None:
        """Moves the entry into place, where every process finds it. Its bytes must match its name."""
        if self.sha256() != self._name:
            raise BinderyError(f"Content does not match the SHA-256 {self._name} and was not cached.")
        self._file.close()
        stamp(self._temporary, self._name)
        make_folder(os.path.dirname(self._final))
        os.replace(self._temporary, self._final)

    def close(self) -> None:
        self._file.close()
        try:
            os.unlink(self._temporary)
        except FileNotFoundError:
            pass


def add_object(cache: ObjectCache, data: bytes) -> None:
    """Stores verified bytes."""
    sha256 = hashlib.sha256(data).hexdigest()
    if cache.find(sha256, len(data)) is not None:
        return
    entry = Entry(cache, sha256)
    try:
        entry.append(data)
        entry.keep()
    finally:
        entry.close()


def read_object(cache: ObjectCache, sha256: str, size: int) -> bytes | None:
    """Returns the content of an object, read and hashed; None if it is not cached or not intact."""
    file = cache.find(sha256, size)
    if file is None:
        return None
    try:
        with open(file, "rb") as content:
            data = content.read()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None
