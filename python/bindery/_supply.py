"""Sources of library revisions: their service, or a mirror."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

from ._credentials import may_have_token, min_transfer_rate
from ._download import Memory, Sink, Source, receive
from ._errors import LockError
from ._http import Http
from ._library import library_path, read_current, release_query
from ._manifest import WantedFile
from ._mirror import Mirror, open_mirror
from ._pace import Limits
from ._pin import Pin
from ._presign import PresignedUrls, RevisionSupersededError
from ._servers import same_address
from ._service import open_http


class RevisionGoneError(LockError):
    """The service no longer has the pinned revision."""


class ObjectSource(Protocol):
    """Delivers the bytes of files to sinks, unverified. `http` is stopped on a failure; None if no network is used."""

    @property
    def http(self) -> Http | None: ...
    def receive(self, file: WantedFile, sink: Sink) -> None: ...


class Supply:
    """A service, connected to on first use, and optionally a mirror that replaces it. Nothing that either delivers has
    been verified."""

    def __init__(self, server: str, connect: Callable[[], Http], mirror: Mirror | None) -> None:
        self._server = server
        self._connect = connect
        self._mirror = mirror
        self._opened: list[Http] = []

    def current(self, library: str, release: str | None) -> Pin:
        """Returns the revision that the service currently has under a name; the mirror is not used."""
        revision, data = read_current(self._http(), library, release)
        return Pin(library, self._server, release, revision, hashlib.sha256(data).hexdigest(), len(data))

    def manifest(self, pin: Pin) -> bytes:
        if self._mirror is not None:
            memory = Memory()
            self._mirror.receive(WantedFile("the manifest", pin.manifest_size, pin.manifest_sha256, ""), memory)
            return memory.content()
        _, data = read_current(self._http(), pin.library, pin.release)
        if hashlib.sha256(data).hexdigest() != pin.manifest_sha256:
            raise _gone(pin)
        return data

    def objects(self, pin: Pin, files: Sequence[WantedFile]) -> ObjectSource:
        if self._mirror is not None:
            return self._mirror
        http = self._http().clone()
        self._opened.append(http)
        return _Presigned(http, PresignedUrls(http, library_path(pin.library), files, release_query(pin.release)), pin)

    def close(self) -> None:
        for http in self._opened:
            http.close()
        if self._mirror is not None and self._mirror.http is not None:
            self._mirror.http.close()

    def _http(self) -> Http:
        if not self._opened:
            self._opened.append(self._connect())
        return self._opened[0]


class _Presigned:
    def __init__(self, http: Http, urls: PresignedUrls, pin: Pin) -> None:
        self.http = http
        self._source = Source(http, urls)
        self._pin = pin

    def receive(self, file: WantedFile, sink: Sink) -> None:
        try:
            receive(file, sink, self._source)
        except RevisionSupersededError:
            raise _gone(self._pin) from None


def open_supply(server: str, token: str | None, mirror: str | None) -> Supply:
    """Opens the source that the user chose."""
    return Supply(server, lambda: open_http(server, token), _opened(mirror))


def supply_of_lock(server: str, chosen: str | bool | None, token: str | None, mirror: str | None) -> Supply:
    """The same for a server named in a lock, which may be part of somebody else's code: it receives the token only if
    it is the one that the user chose, or otherwise works with that server anyway."""
    trusted = same_address(chosen, server) if isinstance(chosen, str) else may_have_token(server)
    return Supply(server, lambda: open_http(server, token) if trusted else Http(server, limits=_limits()), _opened(mirror))


def _opened(mirror: str | None) -> Mirror | None:
    return None if mirror is None else open_mirror(mirror, _limits())


def _limits() -> Limits:
    return Limits(rate=min_transfer_rate())


def _gone(pin: Pin) -> RevisionGoneError:
    if pin.release is not None:
        return RevisionGoneError(f"{pin.library}@{pin.release} is another revision now. Look at it, then run 'bindery sync --upgrade'.")
    return RevisionGoneError(
        f"{pin.library} revision {pin.revision} is gone. A release keeps its bytes: name one in assets.yml "
        f"({pin.library}@<release>/…), then run 'bindery sync'."
    )
