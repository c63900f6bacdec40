"""Receives files: as often as it takes, verified, several at a time."""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from ._errors import BinderyError, ContentLost, IntegrityError, ServiceError
from ._folder import Folder
from ._http import Http
from ._limits import MAX_SLOW, Limits, TransferError, is_slow, log_retry, passes
from ._manifest import WantedFile
from ._progress import Progress

IN_MEMORY = 1024 * 1024
WORKERS = 16


class Sink(Protocol):
    """Receives the bytes of a file."""

    @property
    def size(self) -> int: ...
    def append(self, chunk: bytes) -> None: ...
    def restart(self) -> None: ...
    def sha256(self) -> str: ...


class Memory:
    """Stores the bytes of a small file in memory."""

    def __init__(self) -> None:
        self._content = bytearray()

    @property
    def size(self) -> int:
        return len(self._content)

    def append(self, chunk: bytes) -> None:
        self._content += chunk

    def restart(self) -> None:
        self._content.clear()

    def sha256(self) -> str:
        return hashlib.sha256(self._content).hexdigest()

    def content(self) -> bytes:
        return bytes(self._content)


class Counted:
    """A sink whose bytes are shown as they arrive."""

    def __init__(self, sink: Sink, progress: Progress) -> None:
        self._sink = sink
        self._progress = progress
        progress.add(sink.size)

    @property
    def size(self) -> int:
        return self._sink.size

    def append(self, chunk: bytes) -> None:
        self._sink.append(chunk)
        self._progress.add(len(chunk))

    def restart(self) -> None:
        self._progress.add(-self._sink.size)
        self._sink.restart()

    def sha256(self) -> str:
        return self._sink.sha256()


class Urls(Protocol):
    """The URLs of files. `renew` is called when one was refused, after which `url` may return another."""

    def url(self, file: WantedFile) -> str: ...
    def renew(self, file: WantedFile, refused: str) -> None: ...


@dataclass(frozen=True)
class Source:
    """The source of files."""

    http: Http
    urls: Urls


def download(file: WantedFile, folder: Folder, source: Source, progress: Progress) -> None:
    """Fetches a file and moves it into place atomically. Raises `IntegrityError` if its bytes are wrong, and then
    leaves an existing file unchanged. If a connection is lost, the next pull resumes a large file."""
    try:
        if file.size <= IN_MEMORY:
            _download_in_memory(file, folder, source, progress)
        else:
            _download_beside(file, folder, source, progress)
    except OSError as error:
        raise BinderyError(f"{os.path.join(folder.root, file.path)} could not be written: {error.strerror or error}.") from None


def _download_in_memory(file: WantedFile, folder: Folder, source: Source, progress: Progress) -> None:
    memory = Memory()
    receive(file, Counted(memory, progress), source)
    if memory.sha256() != file.sha256:
        raise _wrong_bytes(file)
    part = folder.begin(file.path, file.sha256)
    try:
        part.restart()
        part.append(memory.content())
        folder.finish(part, file.path)
    except BaseException:
        part.remove()
        raise
    finally:
        part.close()


def _download_beside(file: WantedFile, folder: Folder, source: Source, progress: Progress) -> None:
    part = folder.begin(file.path, file.sha256)
    try:
        if part.size > file.size:
            part.restart()
        counted = Counted(part, progress)
        receive(file, counted, source)
        if part.sha256() != file.sha256 and part.resumed:
            # The part left by an earlier pull was changed in the meantime.
            counted.restart()
            receive(file, counted, source)
        if part.sha256() != file.sha256:
            raise _wrong_bytes(file)
        folder.finish(part, file.path)
    except BaseException as error:
        if part.size == 0 or (isinstance(error, IntegrityError) and not isinstance(error, ContentLost)):
            part.remove()
        raise
    finally:
        part.close()


def receive(file: WantedFile, sink: Sink, source: Source) -> None:
    """Receives a whole file into a sink, whose hash the caller checks. Retries transient failures, with a new URL if
    the old one was refused. The count of attempts restarts after an exchange that kept the minimum transfer rate."""
    retry = source.http.retry
    failures = slow = 0
    while True:
        url = source.urls.url(file)
        had, began = sink.size, time.monotonic()
        try:
            return _exchange(file, url, sink, source)
        except ContentLost as error:
            raise _lost(file, error) from None
        except ServiceError as error:
            if _kept_least_rate(sink.size - had, time.monotonic() - began):
                failures = slow = 0
            failures += 1
            slow += is_slow(error)
            refused = error.status in (403, 404, 410)
            if not (refused or passes(error)) or failures >= retry.transfers or slow >= MAX_SLOW:
                raise
            pause = retry.backoff(failures) if error.retry_after is None else error.retry_after
            if pause > retry.longest_pause:
                raise
            retried = error
        if refused:
            source.urls.renew(file, url)
            pause = 0 if failures == 1 else pause
        log_retry(retried, pause)
        if source.http.stopped.wait(pause):
            raise TransferError("The pull was interrupted.", hopeless=True)


def _exchange(file: WantedFile, url: str, sink: Sink, source: Source) -> None:
    if sink.size == file.size and sink.size > 0:
        return
    headers = {}
    if sink.size > 0:
        headers = {"Range": f"bytes={sink.size}-", "If-Range": f'"{file.sha256}"'}
    with source.http.open(url, file.size, headers) as answer:
        start = answer.start()
        if start not in (0, sink.size):
            raise source.http.unexpected(f"the server sent another range of {file.path!r} than requested")
        if start != sink.size:
            sink.restart()
        for chunk in answer.chunks():
            if sink.size + len(chunk) > file.size:
                raise IntegrityError(f"{file.path!r} is longer than its manifest says and was discarded.")
            sink.append(chunk)
    if sink.size < file.size:
        raise IntegrityError(f"{file.path!r} is shorter than its manifest says and was discarded.")


def _lost(file: WantedFile, error: ContentLost) -> ContentLost:
    message = f"the service has lost {file.path!r}; 'bindery library push --verify' from a folder that has it restores it"
    return ContentLost(message, error.status, error.code, request_id=error.request_id)


def _kept_least_rate(received: int, seconds: float) -> bool:
    return received > 0 and received >= (Limits.rate or 0) * seconds


def _wrong_bytes(file: WantedFile) -> IntegrityError:
    return IntegrityError(f"{file.path!r} does not match its manifest (SHA-256 {file.sha256}) and was discarded.")


def for_each_file(files: Sequence[WantedFile], work: Callable[[WantedFile], None], http: Http | None) -> None:
    """Processes every file. The first failure stops all work, including the requests of `http`."""
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(work, file) for file in files]
        try:
            done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
            for job in jobs:
                if job in done:
                    job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            if http is not None:
                http.stop()
            raise
