"""Writes objects to the cache, and reads them."""

import hashlib
import os

from ._cache import ObjectCache, make_folder, stamp
from ._errors import BinderyError

_ENTRY_MODE = 0o444


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
            raise BinderyError(f"The cache was given bytes that do not match the name {self._name}.")
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
