"""The files that were fetched on this machine, by what they hold. The command line shares them."""

import hashlib
import os
import secrets
import stat
import sys
import time

from .errors import BinderyError

_USE_RECORDED_EVERY = 3_600
_CHUNK = 1024 * 1024
_ENTRY_MODE = 0o444


def cache_folder() -> str:
    """Where Bindery keeps caches: `$XDG_CACHE_HOME/bindery`, else `~/.cache/bindery`; as the command line has it."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return os.path.join(folder, "bindery")
    if sys.platform == "win32" and (folder := os.environ.get("LOCALAPPDATA")):
        return os.path.join(folder, "bindery", "cache")
    return os.path.join(os.path.expanduser("~"), ".cache", "bindery")


def stamp_of(sha256: str) -> int:
    """The modification time of a whole entry, in nanoseconds: any write to the entry moves its time away from it."""
    return (1_000_000_000 + int(sha256[:7], 16)) * 1_000_000_000


def is_whole(file: str, sha256: str, size: int) -> bool:
    """Whether a file of the cache holds what it should. One whose size or stamp says otherwise is read; it is stamped
    anew where it is whole."""
    try:
        found = os.lstat(file)
    except OSError:
        return False
    if not stat.S_ISREG(found.st_mode) or found.st_size != size:
        return False
    if found.st_mtime_ns == stamp_of(sha256):
        if time.time() - found.st_atime >= _USE_RECORDED_EVERY:
            _stamp(file, sha256)
        return True
    try:
        with open(file, "rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != sha256:
                return False
    except OSError:
        return False
    _stamp(file, sha256)
    return True


class ObjectCache:
    """Entries are written beside and renamed, so that processes need no lock: two that bring the same entry waste a
    transfer and harm nothing."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "objects")

    def find(self, sha256: str, size: int) -> str | None:
        """Where an object lies, None where it is not here. A damaged entry is removed."""
        file = self._file(sha256)
        if is_whole(file, sha256, size):
            return file
        try:
            os.unlink(file)
        except FileNotFoundError:
            pass
        return None

    def read(self, sha256: str, size: int) -> bytes | None:
        """What an object holds, read and hashed; None where it is not here, or no longer whole."""
        file = self.find(sha256, size)
        if file is None:
            return None
        try:
            with open(file, "rb") as content:
                data = content.read()
        except FileNotFoundError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def add(self, data: bytes) -> str:
        """Keeps bytes, and answers their SHA-256."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self.find(sha256, len(data)) is None:
            entry = self.begin(sha256)
            try:
                entry.append(data)
                entry.keep()
            finally:
                entry.close()
        return sha256

    def begin(self, sha256: str) -> "Entry":
        """An entry to be written, seen by nobody before `keep`."""
        return Entry(self._file(sha256), os.path.join(self.folder, "tmp"), sha256)

    def _file(self, sha256: str) -> str:
        return os.path.join(self.folder, sha256[:2], sha256)


class Entry:
    """An entry of the cache under way. It takes bytes and hashes them; `close` removes what was not kept."""

    def __init__(self, file: str, beside: str, sha256: str) -> None:
        self._final = file
        self._name = sha256
        self._temporary = os.path.join(beside, f"{sha256}.{os.getpid()}.{secrets.token_hex(6)}")
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
        """Puts the entry where everybody finds it. Its bytes must be those of its name."""
        if self.sha256() != self._name:
            raise BinderyError(f"The cache was to keep other bytes under the name {self._name}.")
        self._file.close()
        _stamp(self._temporary, self._name)
        make_folder(os.path.dirname(self._final))
        os.replace(self._temporary, self._final)

    def close(self) -> None:
        self._file.close()
        try:
            os.unlink(self._temporary)
        except FileNotFoundError:
            pass


def make_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _stamp(file: str, sha256: str) -> None:
    try:
        os.utime(file, ns=(time.time_ns(), stamp_of(sha256)))
    except OSError:
        # It can be read all the same: another process may have removed it, or the cache may be one that is only read.
        pass
