"""Whether a folder holds what a manifest promises."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Freshness:
    """What a pull would fetch: files that are missing, and files that differ. Sizes are bytes."""

    missing: list = field(default_factory=list)
    different: list = field(default_factory=list)
    bytes: int = 0

    @property
    def up_to_date(self):
        return not self.missing and not self.different


def compare(folder, wanted):
    """Compares a folder with the wanted files, reading every file that has the right size."""
    missing, different, size = [], [], 0
    for file in wanted.values():
        found = folder.digest(file.path)
        if found == (file.size, file.sha256):
            continue
        (missing if found is None else different).append(file.path)
        size += file.size
    return Freshness(missing, different, size)
