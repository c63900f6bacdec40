"""Assets in other formats, which the service makes and the cache keeps."""

import base64
import hashlib
import io
import re
import zipfile
from pathlib import PurePosixPath

from ._asset_cache import AssetCache, Form, Pin, PlacedAsset
from ._errors import IntegrityError, describe, system_errors
from ._fetch import Supply, assets_of, fetch_asset
from ._manifest import SCHEMA, Manifest, WantedFile, digest_of, wanted_files
from ._names import STRICTEST, refuse_collisions, user_path_problem
from ._object_cache import add_object

FORMATS = {"mjcf": ".xml", "urdf": ".urdf", "sdf": ".sdf", "glb": ".glb", "usd": ".usdz"}
"""What assets are converted to, and the extension of the file that opens each."""

_MAX_FILES = 10_000
_DIGEST = re.compile(r"(?:^|[\s,])sha-256=:([A-Za-z0-9+/=]{44}):")


def fetch_converted(
    cache: AssetCache, pin: Pin, asset: str, as_: Form, supply: Supply, locked: set[tuple[str, str]] | None = None
) -> PlacedAsset:
    """Fetches an asset in another format into the cache, verified against the digest that the service states. One that
    has the format is fetched as it is."""
    manifest = assets_of(cache, pin, (asset,), supply, locked)
    source = wanted_files(manifest, pin.library, (asset,)).values()
    if as_.sim_ready is None and _has_format(manifest, asset, as_.format):
        return fetch_asset(cache, pin, asset, supply, locked)
    content, headers = supply.converted(pin, asset, as_)
    stated = _DIGEST.search(headers.get("Repr-Digest", ""))
    if stated is None or base64.b64decode(stated[1]) != hashlib.sha256(content).digest():
        raise IntegrityError(f"{pin.library}/{asset} as {as_.format} does not match its digest and was discarded.")
    contents = _unpacked(content, f"{asset}{FORMATS[as_.format]}")
    refuse_collisions(contents, f"{pin.library}/{asset} as {as_.format}", STRICTEST)
    with system_errors(cache.folder):
        for data in contents.values():
            add_object(cache.objects, data)
        files = [WantedFile(path, len(data), hashlib.sha256(data).hexdigest(), path) for path, data in contents.items()]
        tree = cache.tree(pin, asset, as_)
        listed = [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in files]
        described = {"id": asset, "entry": _entry(contents, as_.format), "files": listed}
        tree.record(asset, {"schema": SCHEMA, "assets": [described]}, digest_of(source))
        return tree.place(asset, files, cache.objects)


def _has_format(manifest: Manifest, asset: str, as_: str) -> bool:
    described = next(one for one in manifest["assets"] if one["id"] == asset)
    return described.get("kind") == as_ or (as_ == "glb" and described.get("format") == "glb")


def _unpacked(content: bytes, name: str) -> dict[str, bytes]:
    """Returns the files of a conversion by their paths: those of an archive, or the one that it is."""
    if name.endswith(".usdz") or not content.startswith(b"PK"):
        return {name: content}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            problem = next((f"{describe(m.filename)} {why}" for m in members if (why := user_path_problem(m.filename))), None)
            # Conversions are not compressed, so that nothing in them can be larger than what arrived.
            if problem is None and sum(member.file_size for member in members) > len(content):
                problem = "it is compressed"
            if problem is None and len(members) > _MAX_FILES:
                problem = f"it has more than {_MAX_FILES} files"
            if problem is not None:
                raise IntegrityError(f"The converted asset was discarded: {problem}.")
            return {member.filename: archive.read(member) for member in members}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise IntegrityError(f"The converted asset was discarded: {error}.") from None


def _entry(paths: dict[str, bytes], as_: str) -> str:
    opening = [path for path in paths if path.lower().endswith(FORMATS[as_])]
    if not opening:
        raise IntegrityError(f"The converted asset was discarded: it has no {FORMATS[as_]} file.")
    return min(opening, key=lambda path: (len(PurePosixPath(path).parts), path))
