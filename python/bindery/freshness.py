"""Whether a folder holds what a manifest promises."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .folder import Folder
from .manifest import WantedFile


@dataclass(frozen=True)
class Freshness:
    """What a pull would fetch: files that are missing, and files that differ. Sizes are bytes."""

    missing: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    bytes: int = 0

    @property
    def up_to_date(self) -> bool:
        return not self.missing and not self.different


def compare(folder: Folder, wanted: Iterable[WantedFile]) -> Freshness:
    """Compares a folder with the wanted files, reading every one of them that is there."""
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
