"""Mirrors: objects by content, which need no trust, because a mirror can at worst refuse to deliver them."""

import os
import re
import stat
from typing import Protocol
from urllib.parse import unquote, urlsplit

from ._errors import IntegrityError, MirrorError, NotFound, ServiceError
from ._http import Http
from ._limits import Limits, TransferError
from ._manifest import WantedFile
from ._transfer import Sink, Source, receive

_SCHEME = re.compile("([A-Za-z][A-Za-z0-9+.-]+):")
_CHUNK = 256 * 1024


class Mirror(Protocol):
    """Delivers the bytes of objects to a sink, which hashes them. `http` is None if no network is used."""

    @property
    def http(self) -> Http | None: ...
    def receive(self, file: WantedFile, sink: Sink) -> None: ...
    def log(self, path: str) -> bytes | None:
        """Returns a file that nothing vouches for; None if there is none that can be read."""
        ...


def open_mirror(location: str, limits: Limits) -> Mirror:
    """Opens a folder, or a `file:`, `http:` or `https:` URL. Raises `ValueError` for anything else."""
    found = _SCHEME.match(location)
    scheme = found[1].lower() if found else None
    if location and scheme is None:
        return FolderMirror(location)
    parts = urlsplit(location)
    if scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return FolderMirror(unquote(parts.path))
    if scheme in ("http", "https") and not parts.query and not parts.fragment:
        return WebMirror(location.rstrip("/"), limits)
    raise ValueError(f"invalid mirror {location[:200]!r}: expected a folder, or a file:, http: or https: URL")


def object_path(sha256: str) -> str:
    return f"objects/{sha256[:2]}/{sha256}"


# As long as JSON can make the longest signature log.
MAX_LOG_BYTES = 12_000_000


class FolderMirror:
    http = None

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def receive(self, file: WantedFile, sink: Sink) -> None:
        path = object_path(file.sha256)
        try:
            # Opening a pipe without a writer would block forever.
            descriptor = os.open(os.path.join(self._folder, path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except (FileNotFoundError, NotADirectoryError):
            raise MirrorError(f"The mirror {self._folder} has no {path}.") from None
        except OSError as error:
            raise MirrorError(f"The mirror {self._folder} cannot be read: {error.strerror}.") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise MirrorError(f"The mirror {self._folder} has no file at {path}.")
        with open(descriptor, "rb", buffering=0) as content:
            while chunk := content.read(_CHUNK):
                if sink.size + len(chunk) > file.size:
                    raise IntegrityError(f"{path} of the mirror is longer than its {file.size} bytes and was discarded.")
                sink.append(chunk)


    def log(self, path: str) -> bytes | None:
        try:
            descriptor = os.open(os.path.join(self._folder, path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return None
        with open(descriptor, "rb") as content:
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = content.read(MAX_LOG_BYTES + 1) if is_file else b""
        return data if len(data) <= MAX_LOG_BYTES else None


class WebMirror:
    """Sends no token and follows no redirects."""

    def __init__(self, url: str, limits: Limits) -> None:
        self.http = Http(url, limits=limits)
        self._source = Source(self.http, _MirrorUrls(url))

    def receive(self, file: WantedFile, sink: Sink) -> None:
        try:
            receive(file, sink, self._source)
        except TransferError:
            raise
        except ServiceError as error:
            problem = f"has no {object_path(file.sha256)}" if isinstance(error, NotFound) else f"refuses: {error}"
            raise MirrorError(f"The mirror {self.http.server} {problem.rstrip('.')}.") from None


    def log(self, path: str) -> bytes | None:
        try:
            return self.http.get_bytes(f"/{path}", MAX_LOG_BYTES)
        except ServiceError as error:
            if error.status is None:
                raise
            return None


class _MirrorUrls:
    def __init__(self, url: str) -> None:
        self._url = url

    def url(self, file: WantedFile) -> str:
        return f"{self._url}/{object_path(file.sha256)}"

    def renew(self, file: WantedFile, refused: str) -> None:
        raise NotFound("The mirror has no such object.", 404)
