"""Partial files: they are next to their target until they are complete and verified."""

import hashlib
import io
import os
import re
import secrets
import socket
import threading
import time

from ._errors import BinderyError

# Earlier releases have only the id of the process in place of the owner and the random digits.
_NAME = re.compile(r"\.bindery-([0-9a-f]{8})-([0-9a-f]{64})\.(?:([0-9a-f]{8})-([0-9]+)\.[0-9a-f]{12}|[0-9]+)\.partial")
_CHUNK = 1024 * 1024

# Seconds after which nobody is taken to be writing a file that has not changed.
_STALE_AFTER = 600

_in_use: set[str] = set()
_lock = threading.Lock()


class Partial:
    """A file being written in the folder with the descriptor `parent`, which it closes. Its name is its own: no other
    process writes it. It resumes what an ended process left of the same content, the command line's included, copies
    what any other left of it ten minutes ago, and removes what they left of other content."""

    def __init__(self, parent: int, path: str, sha256: str) -> None:
        self._parent = parent
        tag = hashlib.sha256(path.encode()).hexdigest()[:8]
        self._name = f".bindery-{tag}-{sha256}.{_PLACE}-{os.getpid()}.{secrets.token_hex(6)}.partial"
        with _lock:
            _in_use.add(self._name)
        try:
            self._file = self._open(tag, sha256)
        except BaseException:
            self._release()
            raise
        self._digest = hashlib.sha256()
        self.size = 0
        while chunk := self._file.read(_CHUNK):
            self._digest.update(chunk)
            self.size += len(chunk)
        # The bytes left by an earlier pull.
        self.resumed = self.size

    def append(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:
            view = view[self._file.write(view) or 0 :]
        self._digest.update(chunk)
        self.size += len(chunk)

    def restart(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._digest, self.size, self.resumed = hashlib.sha256(), 0, 0

    def sha256(self) -> str:
        return self._digest.hexdigest()

    def stat(self) -> os.stat_result:
        return os.fstat(self._file.fileno())

    def put_in_place(self, name: str) -> None:
        """Moves the file into place. Raises `BinderyError` if another one has its name."""
        own = self.stat()
        found = os.stat(self._name, dir_fd=self._parent, follow_symlinks=False)
        if not os.path.samestat(own, found):
            raise BinderyError(f"The partial file of {name!r} was replaced while it was written. Try again.")
        os.replace(self._name, name, src_dir_fd=self._parent, dst_dir_fd=self._parent)

    def remove(self) -> None:
        _remove(self._name, self._parent)

    def close(self) -> None:
        self._file.close()
        self._release()

    def _open(self, tag: str, sha256: str) -> io.FileIO:
        """Opens what an earlier pull left of the content, else a new file; removes what it left of the same path."""
        with _lock:
            left = [name for name in os.listdir(self._parent) if name not in _in_use]
        opened = None
        for name in left:
            found = _NAME.fullmatch(name)
            if found is None or found[1] != tag:
                continue
            ended = _has_ended(found[3], found[4])
            if not ended and not self._is_stale(name):
                continue
            if opened is None and found[2] == sha256:
                opened = self._take_over(name) if ended else self._copy(name)
            _remove(name, self._parent)
        return self._create() if opened is None else opened

    def _create(self) -> io.FileIO:
        descriptor = os.open(self._name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=self._parent)
        return io.FileIO(descriptor, "r+b")

    def _take_over(self, name: str) -> io.FileIO | None:
        try:
            os.replace(name, self._name, src_dir_fd=self._parent, dst_dir_fd=self._parent)
            return io.FileIO(os.open(self._name, os.O_RDWR | os.O_NOFOLLOW, dir_fd=self._parent), "r+b")
        except OSError:
            _remove(self._name, self._parent)
            return None

    def _copy(self, name: str) -> io.FileIO | None:
        """A writer that was only slow goes on with its own file."""
        try:
            source = io.FileIO(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._parent))
        except OSError:
            return None
        with source:
            copy = self._create()
            while chunk := source.read(_CHUNK):
                copy.write(chunk)
            copy.seek(0)
            return copy

    def _is_stale(self, name: str) -> bool:
        try:
            found = os.stat(name, dir_fd=self._parent, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return time.time() - found.st_mtime > _STALE_AFTER

    def _release(self) -> None:
        with _lock:
            _in_use.discard(self._name)
        os.close(self._parent)


def _place() -> str:
    """Returns what is the same for two processes only if they cannot have the same id, as the command line computes it:
    machine, boot and PID namespace."""
    parts = [socket.gethostname(), "", ""]
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as boot:
            parts[1] = boot.read()
        parts[2] = os.readlink("/proc/self/ns/pid")
    except OSError:
        pass
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


_PLACE = _place()


def _has_ended(place: str | None, pid: str | None) -> bool:
    """Whether the process that owned a file has certainly ended. One with the id of this process has."""
    if place != _PLACE or pid is None:
        return False
    if int(pid) == os.getpid():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    return False


def _remove(name: str, parent: int) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        pass
