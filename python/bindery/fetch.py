"""Fetching the files of a revision, several at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .download import Source, download
from .folder import Folder
from .http import Http
from .manifest import WantedFile
from .parallel import for_each_file
from .presign import PresignedUrls


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
    for_each_file(wanted, lambda file: download(file, folder, source), http)
