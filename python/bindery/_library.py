"""What a service has under a library's name: its revision, its manifest and the URLs of its files."""

import json
import re
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from ._errors import NotFound, ServiceError, describe
from ._http import Http
from ._manifest import MAX_BYTES, SCHEMA, Manifest, WantedFile, read_manifest
from ._names import LIBRARY, RELEASE
from ._schema import Check, ValidationError, list_of, pick, sha256, size, text

REVISIONS = 5
PAUSE_SECONDS = 0.05
BATCH = 1_000
TTL_SECONDS = 3_600
# For more assets than this the whole manifest is read.
MAX_PART = 16

_LIBRARY = re.compile(LIBRARY)
_RELEASE = re.compile(RELEASE)
_SHA256 = re.compile("[0-9a-f]{64}")
_SIZE = re.compile("[0-9]{1,9}")
_row = pick({"revision": size})
_file = pick({"path": text(), "size": size, "sha256": sha256})
_asset = pick({"id": text(), "files": list_of(_file)})
_STATED_OF_ASSET = (
    *("id", "title", "description", "category", "tags", "kind", "format", "license", "attribution", "upstream"),
    *("entry", "entryPoints", "meta"),
)
_STATED_OF_LIBRARY = ("type", "title", "description", "provider", "homepage", "license", "tags")
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
def naming(library: str, release: str | None = None) -> Iterator[None]:
    """Names the library in the message of a `NotFound`."""
    try:
        yield
    except NotFound as error:
        name = library if release is None else f"{library}@{release}"
        raise NotFound(f"{name}: {error}", error.status, error.code, request_id=error.request_id) from None


def read_current(http: Http, library: str, release: str | None = None) -> tuple[int, bytes]:
    """Returns a revision and the bytes of its manifest; reads both again if a register happened in between."""
    path, query = library_path(library), release_query(release)
    with naming(library, release):
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
    return read_head(http, library, release).revision


class Head(NamedTuple):
    """The row of a library, and the SHA-256 and size of its manifest; None if the service does not tell."""

    row: Mapping[str, Any]
    manifest: tuple[str, int] | None

    @property
    def revision(self) -> int:
        return int(self.row["revision"])


def read_head(http: Http, library: str, release: str | None = None) -> Head:
    """Returns what the service has under a name."""
    row, headers = http.get_json_with_headers(library_path(library) + release_query(release))
    stated = headers.get("Bindery-Manifest", ""), headers.get("Bindery-Manifest-Size", "")
    is_told = _SHA256.fullmatch(stated[0]) and _SIZE.fullmatch(stated[1])
    return Head(checked(http, row, _row), (stated[0], int(stated[1])) if is_told else None)


def read_part(http: Http, library: str, release: str | None, head: Head, assets: Collection[str]) -> Manifest | None:
    """Returns a manifest that has, of these assets, those that exist. None if they are many, or if the service does not
    say that they are of the manifest of the head."""
    if head.manifest is None or len(assets) > MAX_PART:
        return None
    found = []
    for asset in assets:
        try:
            answer, headers = http.get_json_with_headers(f"{asset_path(library, asset)}{release_query(release)}")
        except NotFound as error:
            if error.code != "asset_not_found":
                raise
            continue
        if headers.get("Bindery-Manifest") != head.manifest[0]:
            return None
        detail = checked(http, answer, _asset)
        files = [{key: file[key] for key in ("path", "size", "sha256")} for file in detail["files"]]
        found.append(_stated(detail, _STATED_OF_ASSET) | {"files": files})
    upstream = {"repo": head.row.get("upstreamRepo"), "commit": head.row.get("upstreamCommit")}
    stated = _stated(head.row, _STATED_OF_LIBRARY) | {"upstream": _stated(upstream, ("repo", "commit"))}
    return read_manifest(json.dumps({"schema": SCHEMA, "library": stated, "assets": found}).encode(), library)


def asset_path(library: str, asset: str) -> str:
    return f"{library_path(library)}/assets/{quote(asset, safe='')}"


def _stated(facts: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: facts[key] for key in keys if facts.get(key) is not None}


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
