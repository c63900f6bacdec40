"""Revisions of libraries in the cache of the machine."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .cache import ObjectCache, cache_folder
from .digest import digest_of
from .errors import BinderyError, IntegrityError
from .folder import Folder
from .lock import Pin
from .manifest import Manifest, WantedFile, entry_of, read_manifest, wanted_files
from .paths import STRICTEST, collision, refuse_meeting_names
from .records import read_record, write_record
from .tree import AssetTree, PlacedAsset

if TYPE_CHECKING:
    # Whoever finds everything in the cache needs nothing that talks to a network.
    from .supply import ObjectSource, Supply


class AssetCache:
    """Fetches what it lacks from a supply, which it does not trust: a pin says what is right."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder or cache_folder()
        self.objects = ObjectCache(self.folder)

    def find(self, pin: Pin, asset: str) -> PlacedAsset | None:
        return AssetTree(self.folder, pin.manifest_sha256).find(asset)

    def manifest(self, pin: Pin, supply: "Supply") -> Manifest:
        data = self.objects.read(pin.manifest_sha256, pin.manifest_size)
        if data is None:
            data = supply.manifest(pin)
            if hashlib.sha256(data).hexdigest() != pin.manifest_sha256:
                raise IntegrityError(f"The manifest of {pin.library} is not the one that was named. It was not kept.")
            self.objects.add(data)
        return read_manifest(data, pin.library)

    def bring(self, pin: Pin, files: Iterable[WantedFile], supply: "Supply") -> None:
        """Fetches those files that the cache lacks. Each is verified before it is kept."""
        by_content = {file.sha256: file for file in files}
        missing = [file for file in by_content.values() if self.objects.find(file.sha256, file.size) is None]
        if not missing:
            return
        from .parallel import for_each_file

        source = supply.objects(pin, missing)
        try:
            for_each_file(missing, lambda file: self._fetch(file, source), source.http)
        except OSError as error:
            raise BinderyError(f"The cache {self.folder} could not be written: {error.strerror or error}.") from None

    def place(self, pin: Pin, asset: str, supply: "Supply") -> PlacedAsset:
        """Has an asset with all of its files in the cache."""
        manifest = self.manifest(pin, supply)
        files = list(wanted_files(manifest, pin.library, asset).values())
        tree = AssetTree(self.folder, pin.manifest_sha256)
        self.bring(pin, tree.lacking(files), supply)
        _refuse_collisions(tree, manifest, pin.library)
        try:
            return tree.place(asset, digest_of(files), entry_of(manifest, asset), files, self.objects)
        except OSError as error:
            raise BinderyError(f"The cache {self.folder} could not be written: {error.strerror or error}.") from None

    def remembered(self, server: str, library: str, release: str | None) -> Pin | None:
        """The revision that was last used under this name."""
        known = read_record(self._head(server, library, release))
        if known is None:
            return None
        return Pin(library, server, release, known["revision"], known["sha256"], known["size"])

    def remember(self, pin: Pin) -> None:
        value = {"revision": pin.revision, "sha256": pin.manifest_sha256, "size": pin.manifest_size}
        write_record(self._head(pin.server, pin.library, pin.release), value)

    def _head(self, server: str, library: str, release: str | None) -> str:
        name = hashlib.sha256(f"{server}\n{library}@{release or ''}".encode()).hexdigest()[:32]
        return os.path.join(self.folder, "assets", "heads", f"{name}.json")

    def _fetch(self, file: WantedFile, source: "ObjectSource") -> None:
        entry = self.objects.begin(file.sha256)
        try:
            source.receive(file, entry)
            if (entry.size, entry.sha256()) != (file.size, file.sha256):
                raise IntegrityError(f"{file.path!r} is not what its manifest says (SHA-256 {file.sha256}). It was not kept.")
            entry.keep()
        finally:
            entry.close()


def licenses_of(manifest: Manifest, assets: Sequence[str]) -> dict[str, str]:
    """The licence of each asset that has one, its own or else that of the library."""
    default = manifest.get("library", {}).get("license")
    found = {asset["id"]: asset.get("license") or default for asset in manifest["assets"] if asset["id"] in assets}
    return {asset: license_ for asset, license_ in found.items() if license_}


def _refuse_collisions(tree: AssetTree, manifest: Manifest, library: str) -> None:
    paths = wanted_files(manifest, library)
    if collision(paths, STRICTEST) is not None:
        refuse_meeting_names(paths, library, Folder(tree.root, create=True).name_rules())
