"""Sends files to a library's storage, verified there by their SHA-256."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote

from ._errors import BinderyError, ServiceError, describe
from ._http import CHUNK, Http
from ._library import BATCH, checked
from ._manifest import WantedFile
from ._progress import Progress
from ._schema import Steps, ValidationError, list_of, pick, size, text
from ._transfer import for_each_file

PATIENCE_SECONDS = 300
"""How long the service may take to join parts or to register before it answers."""

_MAX_BATCH_BYTES = 10 * 1024**3
_ATTEMPTS = 3
# Another authorization may help: the upload is gone, its URL has expired, or its bytes were changed on the way.
_AGAIN = ("upload_not_found", "url_expired", "invalid_signature", "upload_mismatch")


class Upload(NamedTuple):
    """A file to be sent to a path in the library."""

    path: str
    size: int
    sha256: str
    open: Callable[[], BinaryIO]


def _headers(value: Any, at: Steps) -> None:
    if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
        raise ValidationError(at, f"must be an object of texts (received {describe(value)})")


_authorized = pick({"files": list_of(pick({"relativePath": text(), "transfer": pick({"kind": text()})}))})
_single = pick({"put": pick({"url": text(), "headers": _headers})})
_part = pick({"partNumber": size, "size": size, "url": text(), "headers": _headers})
_multipart = pick({"uploadId": text(), "partSize": size, "parts": list_of(_part)})


def authorize(http: Http, library_path: str, uploads: Sequence[Upload]) -> list[Any]:
    """Returns how each of up to a thousand files is to be sent. Raises `NotAllowed` for whoever may not write."""
    files = [{"relativePath": upload.path, "size": upload.size, "sha256": upload.sha256} for upload in uploads]
    answer = checked(http, http.post_json(f"{library_path}/upload-authorizations", {"files": files}), _authorized)
    if [file["relativePath"] for file in answer["files"]] != [upload.path for upload in uploads]:
        raise http.unexpected("it authorized other files than requested")
    return [file["transfer"] for file in answer["files"]]


def send_all(http: Http, library_path: str, uploads: Sequence[Upload], progress: Progress) -> int:
    """Sends what the library does not have yet, and returns how many files that were. The first failure stops all."""
    sent = 0
    for batch in _batches(uploads):
        transfers = authorize(http, library_path, batch)
        missing = {upload.path: (upload, transfer) for upload, transfer in zip(batch, transfers) if transfer["kind"] != "present"}
        sending = http.clone()

        def send(file: WantedFile) -> None:
            _send(sending, library_path, *missing[file.path])
            progress.add(file.size)

        try:
            for_each_file([WantedFile(*upload[:3], path) for path, (upload, _) in missing.items()], send, sending)
        finally:
            sending.close()
        sent += len(missing)
    return sent


def _batches(uploads: Sequence[Upload]) -> Iterator[list[Upload]]:
    batch: list[Upload] = []
    total = 0
    for upload in uploads:
        if batch and (len(batch) == BATCH or total + upload.size > _MAX_BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(upload)
        total += upload.size
    if batch:
        yield batch


def _send(http: Http, library_path: str, upload: Upload, transfer: Any) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _transfer(http, library_path, upload, transfer)
        except ServiceError as error:
            if error.code not in _AGAIN and error.status != 403:
                raise
            if attempt == _ATTEMPTS:
                raise _changed(upload) if error.code == "upload_mismatch" else error from None
        transfer = authorize(http, library_path, [upload])[0]


def _transfer(http: Http, library_path: str, upload: Upload, transfer: Any) -> None:
    match transfer["kind"]:
        case "present":
            return
        case "single-put":
            put = checked(http, transfer, _single)["put"]
            http.put(put["url"], _Body(upload, 0, upload.size), upload.size, put["headers"])
        case "s3-multipart":
            _send_parts(http, library_path, upload, checked(http, transfer, _multipart))
        case kind:
            raise http.unexpected(f"it wants files sent by {describe(kind)}")


def _send_parts(http: Http, library_path: str, upload: Upload, transfer: Any) -> None:
    """Sends the missing parts one after the other; other files are sent meanwhile."""
    parts = []
    for part in transfer["parts"]:
        body = _Body(upload, (part["partNumber"] - 1) * transfer["partSize"], part["size"])
        parts.append({"partNumber": part["partNumber"], "etag": http.put(part["url"], body, part["size"], part["headers"])})
    patient = http.clone(PATIENCE_SECONDS)
    try:
        patient.post_json(f"{library_path}/uploads/{quote(transfer['uploadId'], safe='')}/complete", {"parts": parts})
    finally:
        patient.close()


class _Body:
    """A range of a file, read in pieces each time that it is sent."""

    def __init__(self, upload: Upload, start: int, size: int) -> None:
        self._upload = upload
        self._start = start
        self._size = size

    def __iter__(self) -> Iterator[bytes]:
        left = self._size
        with self._upload.open() as file:
            file.seek(self._start)
            while left > 0:
                chunk = file.read(min(CHUNK, left))
                if not chunk:
                    raise _changed(self._upload)
                left -= len(chunk)
                yield chunk


def _changed(upload: Upload) -> BinderyError:
    return BinderyError(f"{upload.path} changed while it was being sent. Add it again when nothing writes to it. Nothing was published.")
