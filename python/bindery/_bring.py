"""Fetches revisions of libraries into the cache. Whatever the source, content is verified against a pin."""

import hashlib
from collections.abc import Callable, Iterable, Sequence

from ._asset_cache import AssetCache
from ._digest import digest_of
from ._entry import Entry, add_object, read_object
from ._errors import BinderyError, IntegrityError
from ._folder import Folder
from ._manifest import Manifest, WantedFile, entry_of, read_manifest, wanted_files
from ._parallel import for_each_file
from ._paths import STRICTEST, collision, refuse_meeting_names
from ._pin import Pin, PlacedAsset
from ._supply import ObjectSource, Supply
from ._system import system_errors


def manifest_of(cache: AssetCache, pin: Pin, supply: Supply) -> Manifest:
    data = read_object(cache.objects, pin.manifest_sha256, pin.manifest_size)
    return read_manifest(_supplied(cache, pin, supply) if data is None else data, pin.library)


def _supplied(cache: AssetCache, pin: Pin, supply: Supply) -> bytes:
    data = supply.manifest(pin)
    if hashlib.sha256(data).hexdigest() != pin.manifest_sha256:
        raise IntegrityError(f"The manifest of {pin.library} is not the one that was named. It was not kept.")
    _writing(cache, lambda: add_object(cache.objects, data))
    return data


def bring_files(cache: AssetCache, pin: Pin, files: Iterable[WantedFile], supply: Supply) -> None:
    """Fetches the files that the cache lacks. Each is verified before it is stored."""
    by_content = {file.sha256: file for file in files}
    missing = [file for file in by_content.values() if cache.objects.find(file.sha256, file.size) is None]
    if missing:
        source = supply.objects(pin, missing)
        _writing(cache, lambda: for_each_file(missing, lambda file: _fetch(cache, file, source), source.http))


def bring_asset(cache: AssetCache, pin: Pin, asset: str, supply: Supply) -> PlacedAsset:
    """Fetches an asset with all of its files into the cache."""
    manifest = manifest_of(cache, pin, supply)
    files = list(wanted_files(manifest, pin.library, asset).values())
    tree = cache.tree(pin)
    bring_files(cache, pin, tree.lacking(files), supply)
    _refuse_collisions(tree.root, manifest, pin.library)
    digest, entry = digest_of(files), entry_of(manifest, asset)
    _writing(cache, lambda: tree.place(asset, digest, entry, files, cache.objects))
    return PlacedAsset(tree.root, digest, entry, tuple(file.path for file in files))


def licenses_of(manifest: Manifest, assets: Sequence[str]) -> dict[str, str]:
    """Returns the licence of each asset that has one: its own, or else that of the library."""
    default = manifest.get("library", {}).get("license")
    found = {asset["id"]: asset.get("license") or default for asset in manifest["assets"] if asset["id"] in assets}
    return {asset: license_ for asset, license_ in found.items() if license_}


def _fetch(cache: AssetCache, file: WantedFile, source: ObjectSource) -> None:
    entry = Entry(cache.objects, file.sha256)
    try:
        source.receive(file, entry)
        if (entry.size, entry.sha256()) != (file.size, file.sha256):
            raise IntegrityError(f"{file.path!r} does not match its manifest (SHA-256 {file.sha256}) and was discarded.")
        entry.keep()
    finally:
        entry.close()


def _writing(cache: AssetCache, work: Callable[[], None]) -> None:
    try:
        work()
    except OSError as error:
        raise BinderyError(f"The cache {cache.folder} could not be written: {error.strerror or error}.") from None


def _refuse_collisions(root: str, manifest: Manifest, library: str) -> None:
    paths = wanted_files(manifest, library)
    if collision(paths, STRICTEST) is not None:
        with system_errors(root):
            folder = Folder(root)
            folder.create()
            refuse_meeting_names(paths, library, folder.name_rules())
