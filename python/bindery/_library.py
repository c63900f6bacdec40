"""Reads what a service has under a library's name."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._address import LIBRARY, RELEASE
from ._errors import NotFound, ServiceError
from ._http import Http
from ._manifest import MAX_BYTES
from ._shape import Check, ValidationError, pick, size

REVISIONS = 5
PAUSE_SECONDS = 0.05

_LIBRARY = re.compile(LIBRARY)
_RELEASE = re.compile(RELEASE)
_row = pick({"revision": size})


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
        raise ValueError(f"{release!r} is not a release name")
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
            revision = _revision(http, path + query)
            data = http.get_bytes(f"{path}/manifest{query}", MAX_BYTES)
            if _revision(http, path + query) == revision:
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


def _revision(http: Http, path: str) -> int:
    return int(checked(http, http.get_json(path), _row)["revision"])
