"""Partial files: they are next to their target until they are complete and verified."""

import hashlib
import os
import re
import secrets
import threading

_NAME = re.compile(r"\.bindery-([0-9a-f]{8})-([0-9a-f]{64})\.([0-9]+)\.partial")
_CHUNK = 1024 * 1024

_in_use: set[tuple[int, int, str]] = set()
_lock = threading.Lock()


class Partial:
    """A file being written in the folder with the descriptor `parent`, which it closes. It resumes what an earlier pull
    left of the same content (the command line uses the same names), and removes what one left of other content."""

    def __init__(self, parent: int, path: str, sha256: str) -> None:
        self._parent = parent
        self._key: tuple[int, int, str] | None = None
        try:
            self._name = self._claim(path, sha256)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            self._file = os.fdopen(os.open(self._name, flags, 0o644, dir_fd=parent), "r+b", buffering=0)
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

    def put_in_place(self, name: str) -> None:
        os.replace(self._name, name, src_dir_fd=self._parent, dst_dir_fd=self._parent)

    def remove(self) -> None:
        _remove(self._name, self._parent)

    def close(self) -> None:
        self._file.close()
        self._release()

    def _claim(self, path: str, sha256: str) -> str:
        tag = hashlib.sha256(path.encode()).hexdigest()[:8]
        name = f".bindery-{tag}-{sha256}.{os.getpid()}.partial"
        folder = os.fstat(self._parent)
        key = (folder.st_dev, folder.st_ino, name)
        with _lock:
            if key in _in_use:
                return f".{secrets.token_hex(8)}.bindery-part"
            _in_use.add(key)
        self._key = key
        self._take_over(tag, sha256, name)
        return name

    def _take_over(self, tag: str, sha256: str, name: str) -> None:
        taken = False
        for left in os.listdir(self._parent):
            found = _NAME.fullmatch(left)
            if found is None or found[1] != tag or _is_used_elsewhere(int(found[3])):
                continue
            if found[2] == sha256 and not taken:
                os.replace(left, name, src_dir_fd=self._parent, dst_dir_fd=self._parent)
                taken = True
            elif int(found[3]) != os.getpid():
                _remove(left, self._parent)

    def _release(self) -> None:
        if self._key is not None:
            with _lock:
                _in_use.discard(self._key)
            self._key = None
        os.close(self._parent)


def _is_used_elsewhere(pid: int) -> bool:
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _remove(name: str, parent: int) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        pass
