"""Compares a folder with a manifest."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ._folder import Folder
from ._manifest import WantedFile


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
