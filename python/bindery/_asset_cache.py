"""What the machine's cache knows of libraries. Fetching is in other modules, which a cached asset does not need."""

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ._cache import ObjectCache, cache_folder, make_folder
from ._pin import Pin, PlacedAsset
from ._records import read_record, write_record
from ._tree import AssetTree


@contextmanager
def usable_cache() -> Iterator["AssetCache"]:
    """Yields the machine's cache, or a temporary one with a warning if that cannot be written: a cache saves transfers,
    and never stands in the way."""
    cache = AssetCache()
    try:
        make_folder(os.path.join(cache.objects.folder, "tmp"))
        problem = None if os.access(os.path.join(cache.objects.folder, "tmp"), os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        problem = error.strerror or str(error)
    if problem is None:
        yield cache
        return
    warnings.warn(f"The cache in {cache.folder} cannot be used ({problem}); everything is fetched.", stacklevel=5)
    with tempfile.TemporaryDirectory(prefix="bindery-cache-") as folder:
        yield AssetCache(folder)


class AssetCache:
    """Objects by content, and assets with their files at their library paths."""

    def __init__(self, folder: str | None = None) -> None:
        """`folder` takes the place of the machine's cache."""
        self.folder = folder or cache_folder()
        self.objects = ObjectCache(self.folder)

    def tree(self, pin: Pin) -> AssetTree:
        return AssetTree(self.folder, pin.manifest_sha256)

    def find(self, pin: Pin, asset: str) -> PlacedAsset | None:
        """Returns an asset whose files are all present and intact, else None."""
        return self.tree(pin).find(asset)

    def remembered(self, server: str, library: str, release: str | None) -> Pin | None:
        """Returns the revision that was last used under this name."""
        known = read_record(self._head(server, library, release))
        return None if known is None else Pin(library, server, release, known["revision"], known["sha256"], known["size"])

    def remember(self, pin: Pin) -> None:
        value = {"revision": pin.revision, "sha256": pin.manifest_sha256, "size": pin.manifest_size}
        write_record(self._head(pin.server, pin.library, pin.release), value)

    def _head(self, server: str, library: str, release: str | None) -> str:
        at = "".join(letter if letter.isalnum() or letter in ".-" else f"_{ord(letter):x}_" for letter in server)
        return os.path.join(self.folder, "assets", "heads", at[:200], at[200:], f"{library}@{release or ''}.json")
