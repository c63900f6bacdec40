"""Fetching the files of a manifest, each verified before it is put in place."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .errors import IntegrityError, ServiceError
from .manifest import WantedFile

PRESIGN_BATCH = 1_000
WORKERS = 8
CURATION_ARTIFACT = ".bindery/source/bindery.yml"
CURATION_FILE = "bindery.yml"
CHUNK = 1024 * 1024


@dataclass(frozen=True)
class Pulled:
    """What a pull did. `entry` is the file that a viewer opens, of an asset that declares one."""

    folder: Path
    revision: int
    fetched: int
    bytes: int
    entry: Path | None


def fetch(http, library_path, folder, wanted):
    """Fetches files into a folder. Raises `IntegrityError` and leaves a file as it was where its bytes are wrong."""
    paths = [file.path for file in wanted]
    by_path = {file.path: file for file in wanted}
    for start in range(0, len(paths), PRESIGN_BATCH):
        answer = http.post_json(f"{library_path}/files-presign", {"paths": paths[start : start + PRESIGN_BATCH]})
        with ThreadPoolExecutor(WORKERS) as pool:
            jobs = [
                pool.submit(_fetch_one, http, folder, by_path[signed["path"]], signed["url"])
                for signed in answer["files"]
            ]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def fetch_curation(http, library_path, folder):
    """Writes the library's `bindery.yml` back to the root, where it lay when it was pushed."""
    answer = http.post_json(f"{library_path}/files-presign", {"paths": [CURATION_ARTIFACT]})
    signed = answer["files"][0]
    file = WantedFile(CURATION_FILE, signed["size"], signed["sha256"])
    if folder.digest(file.path) != (file.size, file.sha256):
        _fetch_one(http, folder, file, signed["url"])


def _fetch_one(http, folder, file, url):
    response = http.open(url)

    def chunks():
        left = file.size
        # One byte more than promised is asked for, so that an endless answer is noticed and not stored.
        while chunk := response.read(min(CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise IntegrityError(f"{file.path!r}: more bytes came than the manifest says.")
            yield chunk

    def verify(size, sha256):
        if (size, sha256) != (file.size, file.sha256):
            raise IntegrityError(f"{file.path!r}: what came is not what the manifest says. It was not kept.")

    try:
        folder.write(file.path, chunks(), verify)
    except OSError as error:
        response.close()
        raise ServiceError(f"{file.path!r} could not be fetched: {error}.") from None
    except BaseException:
        response.close()
        raise
