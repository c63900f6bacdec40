"""Pulls a revision into a folder, and compares a folder with one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ._folder import Folder
from ._http import Http
from ._library import PresignedUrls
from ._manifest import WantedFile
from ._transfer import Source, download, for_each_file


@dataclass(frozen=True)
class Freshness:
    """The files that a pull would fetch, because they are missing or different, and their total size in bytes."""

    missing: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    bytes: int = 0

    @property
    def up_to_date(self) -> bool:
        return not self.missing and not self.different


def compare(folder: Folder, wanted: Iterable[WantedFile]) -> Freshness:
    """Compares a folder with the expected files, reading each that exists."""
    missing: list[str] = []
    different: list[str] = []
    size = 0
    for file in wanted:
        found = folder.digest(file.path)
        if found == (file.size, file.sha256):
            continue
        (missing if found is None else different).append(file.path)
        size += file.size
    return Freshness(missing, different, size)


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
