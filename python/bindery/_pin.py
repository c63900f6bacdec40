"""Values that identify revisions and assets."""

from typing import NamedTuple


class Pin(NamedTuple):
    """One revision of a library, from a lock or from the service. `release` is None if none was specified."""

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
