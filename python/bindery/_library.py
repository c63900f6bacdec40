"""What a service has under a library's name: its revision, its manifest and the URLs of its files."""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ._errors import NotFound, ServiceError, describe
from ._http import Http
from ._manifest import MAX_BYTES, WantedFile
from ._names import LIBRARY, RELEASE
from ._schema import Check, ValidationError, list_of, pick, sha256, size, text

REVISIONS = 5
PAUSE_SECONDS = 0.05
BATCH = 1_000
TTL_SECONDS = 3_600

_LIBRARY = re.compile(LIBRARY)
_RELEASE = re.compile(RELEASE)
_row = pick({"revision": size})
_presigned = pick({"files": list_of(pick({"path": text(), "url": text(), "size": size, "sha256": sha256}))})


def library_path(library: str) -> str:
    """Returns the path of a library's routes. Raises `ValueError` for an invalid name."""
    if not _LIBRARY.fullmatch(library):
        raise ValueError(f"invalid library {library[:200]!r}: expected 'namespace/name'")
    namespace, name = library.split("/")
    return f"/namespaces/{namespace}/libraries/{name}"


def release_query(release: str | None) -> str:
    """Returns the query string of a route that reads a release; empty for the current revision."""
    if release is None:
        return ""
    if not _RELEASE.fullmatch(release):
        raise ValueError(f"invalid release {release[:200]!r}")
    return f"?release={release}"


@contextmanager
def naming(library: str) -> Iterator[None]:
    """Names the library in the message of a `NotFound`."""
    try:
        yield
    except NotFound as error:
        raise NotFound(f"{library}: {error}", error.status, error.code, request_id=error.request_id) from None


def read_current(http: Http, library: str, release: str | None = None) -> tuple[int, bytes]:
    """Returns a revision and the bytes of its manifest; reads both again if a register happened in between."""
    path, query = library_path(library), release_query(release)
    with naming(library if release is None else f"{library}@{release}"):
        for _ in range(REVISIONS):
            revision = read_revision(http, library, release)
            data = http.get_bytes(f"{path}/manifest{query}", MAX_BYTES)
            if read_revision(http, library, release) == revision:
                return revision, data
            time.sleep(PAUSE_SECONDS)
    raise too_fast(library)


def checked(http: Http, answer: Any, check: Check) -> Any:
    """Returns an answer of the service if it has the expected shape. Raises `ServiceError` otherwise."""
    try:
        check(answer, ())
    except ValidationError as error:
        raise http.unexpected(str(error)) from None
    return answer


def too_fast(library: str) -> ServiceError:
    return ServiceError(f"{library} changes faster than it can be read. Try again later.")


def read_revision(http: Http, library: str, release: str | None = None) -> int:
    """Returns the number of the revision that the service has under a name."""
    return int(checked(http, http.get_json(library_path(library) + release_query(release)), _row)["revision"])


class RevisionSupersededError(Exception):
    """The content of the library has changed; planning must start again."""


class Presigned(NamedTuple):
    url: str
    size: int
    sha256: str


def presign(http: Http, library_path: str, paths: Sequence[str], query: str = "") -> dict[str, Presigned]:
    """Returns URLs for up to a thousand paths, of the release in `query` if any.

    Raises `RevisionSupersededError` if one is missing.
    """
    try:
        answer = http.post_json(f"{library_path}/files-presign{query}", {"paths": list(paths), "ttlSeconds": TTL_SECONDS})
    except ServiceError as error:
        if error.code == "unknown_path":
            raise RevisionSupersededError from None
        raise
    return _read_presigned(answer, set(paths), http)


def _read_presigned(answer: Any, asked: set[str], http: Http) -> dict[str, Presigned]:
    try:
        _presigned(answer, ())
    except ValidationError as error:
        raise http.unexpected(str(error)) from None
    given: dict[str, Presigned] = {}
    for file in answer["files"]:
        path = file["path"]
        if path not in asked or path in given:
            what = "a second" if path in given else "an unrequested"
            raise http.unexpected(f"the server returned {what} URL for {describe(path)}")
        given[path] = Presigned(file["url"], int(file["size"]), file["sha256"])
    missing = asked - given.keys()
    if missing:
        raise http.unexpected(f"the server returned no URL for {describe(min(missing))} (and {len(missing) - 1} more)")
    return given


class PresignedUrls:
    """URLs of files, requested in batches when the first file of each is needed, and again if one is refused.
    Thread-safe."""

    def __init__(self, http: Http, library_path: str, files: Sequence[WantedFile], query: str = "") -> None:
        self._http = http
        self._query = query
        self._library_path = library_path
        self._batches = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]
        self._batch_of = {file.remote_path: at for at, batch in enumerate(self._batches) for file in batch}
        self._urls: dict[int, dict[str, Presigned]] = {}
        self._lock = threading.Lock()

    def url(self, file: WantedFile) -> str:
        at = self._batch_of[file.remote_path]
        with self._lock:
            if at not in self._urls:
                self._urls[at] = self._ask(self._batches[at])
            return self._urls[at][file.remote_path].url

    def renew(self, file: WantedFile, refused: str) -> None:
        """Discards a URL that the store refused; the next one is new."""
        at = self._batch_of[file.remote_path]
        with self._lock:
            known = self._urls.get(at)
            if known is not None and known[file.remote_path].url == refused:
                del self._urls[at]

    def _ask(self, files: Sequence[WantedFile]) -> dict[str, Presigned]:
        given = presign(self._http, self._library_path, [file.remote_path for file in files], self._query)
        for file in files:
            signed = given[file.remote_path]
            if (signed.size, signed.sha256) != (file.size, file.sha256):
                raise RevisionSupersededError
        return given
