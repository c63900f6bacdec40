"""Presigned URLs of the files of one revision."""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._errors import ServiceError
from ._http import Http
from ._manifest import WantedFile
from ._shape import ValidationError, list_of, pick, sha256, size, text
from ._text import describe

BATCH = 1_000
TTL_SECONDS = 3_600

_check = pick({"files": list_of(pick({"path": text(), "url": text(), "size": size, "sha256": sha256}))})


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
    return _read(answer, set(paths), http)


def _read(answer: Any, asked: set[str], http: Http) -> dict[str, Presigned]:
    try:
        _check(answer, ())
    except ValidationError as error:
        raise http.unexpected(str(error)) from None
    given: dict[str, Presigned] = {}
    for file in answer["files"]:
        path = file["path"]
        if path not in asked or path in given:
            what = "twice" if path in given else "unasked"
            raise http.unexpected(f"it gave out an address for {describe(path)} {what}")
        given[path] = Presigned(file["url"], int(file["size"]), file["sha256"])
    missing = asked - given.keys()
    if missing:
        raise http.unexpected(f"it gave out no address for {describe(min(missing))} (and {len(missing) - 1} more)")
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
