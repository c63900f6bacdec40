"""Assets in the cache, with their files at the paths that they have in their library, because entries refer to them."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ._cache import ObjectCache, is_whole, make_folder, stamp_of
from ._errors import BinderyError
from ._pin import PlacedAsset
from ._records import read_record, write_record

if TYPE_CHECKING:
    from ._manifest import WantedFile


class AssetTree:
    """The assets of one revision, below `assets/<SHA-256 of the manifest>` of the cache. Files are hard links to the
    cache's objects if the file system supports them, else copies; all of them are read-only."""

    def __init__(self, cache_folder: str, manifest_sha256: str) -> None:
        self.root = os.path.join(cache_folder, "assets", manifest_sha256)

    def find(self, asset: str) -> PlacedAsset | None:
        """Returns an asset whose files are all present and intact, else None."""
        record = read_record(self._record(asset))
        if record is None:
            return None
        for path, size, sha256 in record["files"]:
            if not is_whole(f"{self.root}/{path}", sha256, size):
                return None
        return PlacedAsset(self.root, record["digest"], record["entry"], tuple(file[0] for file in record["files"]))

    def lacking(self, files: Iterable["WantedFile"]) -> list["WantedFile"]:
        return [file for file in files if not is_whole(f"{self.root}/{file.path}", file.sha256, file.size)]

    def place(
        self, asset: str, digest: str, entry: str | None, files: Sequence["WantedFile"], cache: ObjectCache
    ) -> None:
        """Places missing files from the cache."""
        for file in self.lacking(files):
            self._place(file, f"{self.root}/{file.path}", cache)
        listed = [[file.path, file.size, file.sha256] for file in files]
        write_record(self._record(asset), {"digest": digest, "entry": entry, "files": listed})

    def _place(self, file: "WantedFile", place: str, cache: ObjectCache) -> None:
        held = cache.find(file.sha256, file.size)
        if held is None:
            raise BinderyError(f"{file.path!r} was removed from the cache while it was needed. Try again.")
        make_folder(os.path.dirname(place))
        temporary = f"{self.root}/.bindery/{os.urandom(8).hex()}"
        make_folder(os.path.dirname(temporary))
        try:
            _link_or_copy(held, temporary, file.sha256)
            os.replace(temporary, place)
        finally:
            # Renaming one link of a file to another link of the same file does nothing.
            if os.path.lexists(temporary):
                os.unlink(temporary)

    def _record(self, asset: str) -> str:
        return f"{self.root}/.bindery/assets/{asset}.json"


def _link_or_copy(source: str, target: str, sha256: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        from shutil import copyfile

        copyfile(source, target)
        os.chmod(target, 0o444)
        stamp = stamp_of(sha256)
        os.utime(target, ns=(stamp, stamp))
