"""What is passed around of revisions and assets."""

from typing import NamedTuple


class Pin(NamedTuple):
    """One revision of a library, as a lock or the service names it. `release` is None where none was named."""

    library: str
    server: str
    release: str | None
    revision: int
    manifest_sha256: str
    manifest_size: int


class PlacedAsset(NamedTuple):
    """An asset whose files are all in place below `root`. `entry` is a path in the library."""

    root: str
    digest: str
    entry: str | None
    files: tuple[str, ...]
