"""Fetching the files of a revision, several at a time."""

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from .download import Source, download
from .folder import Folder
from .http import Http
from .manifest import WantedFile
from .presign import PresignedUrls

WORKERS = 8


@dataclass(frozen=True)
class Pulled:
    """What a pull did; `bytes` are those of the files it fetched. `entry` is the file that a viewer opens, of an asset
    that declares one."""

    folder: Path
    revision: int
    fetched: int
    bytes: int
    entry: Path | None


def fetch(http: Http, library_path: str, folder: Folder, wanted: Sequence[WantedFile]) -> None:
    """Fetches files into a folder. The first failure ends all; what is in place by then is verified and stays."""
    source = Source(http, PresignedUrls(http, library_path, wanted))
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(download, file, folder, source) for file in wanted]
        try:
            done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
            failed = [job.exception() for job in jobs if job in done and job.exception() is not None]
            if failed:
                raise failed[0]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            http.stop()
            raise
