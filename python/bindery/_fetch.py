"""Fetches the files of a revision, several at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ._download import Source, download
from ._folder import Folder
from ._http import Http
from ._manifest import WantedFile
from ._parallel import for_each_file
from ._presign import PresignedUrls


@dataclass(frozen=True)
class Pulled:
    """The result of a pull; `bytes` is the total size of the fetched files. `entry` is the file that a viewer opens, if
    the pulled asset declares one. `set_aside` is the folder to which files were moved that differed and are nowhere else,
    `kept` are the paths that `keep` left as they are, edited or deleted, `refused` those that other programs would trust."""

    folder: Path
    revision: int
    fetched: int
    bytes: int
    entry: Path | None
    set_aside: Path | None = None
    kept: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def fetch(http: Http, library_path: str, query: str, folder: Folder, wanted: Sequence[WantedFile]) -> None:
    """Fetches files into a folder. The first failure stops all; files already in place are verified and stay. `query`
    names the release, if any."""
    source = Source(http, PresignedUrls(http, library_path, wanted, query))
    for_each_file(wanted, lambda file: download(file, folder, source), http)
