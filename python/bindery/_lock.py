"""The lock of a project: the exact content of its assets, in one file that is committed with the code."""

import os
import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ._asset_cache import Pin
from ._errors import LockError, describe
from ._manifest import MAX_BYTES
from ._names import ASSET, LIBRARY, RELEASE, user_path_problem
from ._schema import Check, JsonError, Steps, ValidationError, list_of, matching, parse, record, sha256, size, text

VERSION = 1
MAX_LOCK_BYTES = 64 * 1024 * 1024
MAX_USES = 50_000
MAX_ASSETS = 50_000


class LockedAsset(NamedTuple):
    """`name` is the asset's name in the project; `digest` is the one in search hits."""

    name: str
    library: str
    asset: str
    digest: str
    entry: str | None


class Lock(NamedTuple):
    """`folder` contains `file`."""

    file: str
    folder: str
    uses: tuple[str, ...]
    libraries: dict[str, Pin]
    assets: dict[str, LockedAsset]

    def stated(self, library: str) -> set[tuple[str, str]]:
        """Returns the ids of a library's assets with their digests."""
        return {(asset.asset, asset.digest) for asset in self.assets.values() if asset.library == library}


_known: dict[str, tuple[tuple[int, int, int], Lock]] = {}


def read_lock(file: str) -> Lock:
    """Reads a lock and checks every rule of its format; raises `LockError`. An unchanged file is not read again."""
    try:
        found = os.stat(file)
        identity = (found.st_ino, found.st_size, found.st_mtime_ns)
        known = _known.get(file)
        if known is not None and known[0] == identity:
            return known[1]
        with open(file, "rb") as content:
            data = content.read(MAX_LOCK_BYTES + 1)
    except OSError as error:
        raise LockError(f"{file} cannot be read: {error.strerror}.") from None
    try:
        lock = _lock(data, file)
    except (JsonError, ValidationError) as error:
        raise LockError(f"{file} {'is not a valid lock: ' if isinstance(error, ValidationError) else ''}{error}.") from None
    _known[file] = identity, lock
    return lock


def _lock(data: bytes, file: str) -> Lock:
    if len(data) > MAX_LOCK_BYTES:
        raise ValidationError((), f"a lock has at most {MAX_LOCK_BYTES} bytes")
    document = parse(data)
    version = document.get("lockVersion") if isinstance(document, dict) else None
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise ValidationError(("lockVersion",), f"version {version} needs a newer version of bindery")
    _check(document, ())
    libraries = {name: _pin(name, value) for name, value in document["libraries"].items()}
    return Lock(file, os.path.dirname(file), tuple(document["uses"]), libraries, _assets(document["assets"], libraries))


def _pin(library: str, value: Any) -> Pin:
    manifest = value["manifest"]
    release, revision = value.get("release"), int(value["revision"])
    return Pin(library, value["server"].rstrip("/"), release, revision, manifest["sha256"], int(manifest["size"]))


def _assets(listed: Any, libraries: dict[str, Pin]) -> dict[str, LockedAsset]:
    assets: dict[str, LockedAsset] = {}
    for at, value in enumerate(listed):
        name, library = value["name"], value["library"]
        if library not in libraries:
            raise ValidationError(("assets", at, "library"), f"{describe(library)} is not among the libraries")
        if name in assets:
            raise ValidationError(("assets", at, "name"), f"{describe(name)} is used by an earlier asset")
        assets[name] = LockedAsset(name, library, value["asset"], value["digest"], value.get("entry"))
    return assets


def _version(value: Any, at: Steps) -> None:
    if isinstance(value, bool) or value != VERSION:
        raise ValidationError(at, f"must be {VERSION} (received {describe(value)})")


def _positive(value: Any, at: Steps) -> None:
    size(value, at)
    if value < 1:
        raise ValidationError(at, "must be at least 1")


def _manifest_size(value: Any, at: Steps) -> None:
    size(value, at)
    if value > MAX_BYTES:
        raise ValidationError(at, f"a manifest has at most {MAX_BYTES} bytes")


def _server(value: Any, at: Steps) -> None:
    text(500)(value, at)
    try:
        parts = urlsplit(value)
        valid = parts.scheme in ("http", "https") and parts.hostname and re.fullmatch("[!-~]+", value)
        parts.port  # noqa: B018 - raises for a port that is none
    except ValueError:
        valid = False
    if not valid or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValidationError(at, f"must be the address of a server (received {describe(value)})")


def _path(value: Any, at: Steps) -> None:
    text()(value, at)
    problem = user_path_problem(value)
    if problem is not None:
        raise ValidationError(at, f"{describe(value)} {problem}")


def _map_of(key: str, rule: str, item: Check) -> Check:
    name = matching(key, rule)

    def check(value: Any, at: Steps) -> None:
        if not isinstance(value, dict):
            raise ValidationError(at, f"must be an object (received {describe(value)})")
        for part in value:
            name(part, (*at, part))
            item(value[part], (*at, part))

    return check


_asset_id = matching(ASSET, "an asset id is 1 to 128 of a-z, A-Z, 0-9, dot, underscore and dash")
_library_name = matching(LIBRARY, 'a library is "namespace/name"')
_manifest = record({"sha256": sha256, "size": _manifest_size}, required=("sha256", "size"))
_library = record(
    {
        "server": _server,
        "release": matching(RELEASE, "a release is 1 to 64 of a-z, A-Z, 0-9, dot, underscore and dash"),
        "revision": _positive,
        "manifest": _manifest,
    },
    required=("server", "revision", "manifest"),
)
_asset = record(
    {
        "name": _asset_id,
        "library": _library_name,
        "asset": _asset_id,
        "digest": matching("sha256:[0-9a-f]{64}", "a digest is \"sha256:\" and 64 lowercase hexadecimal characters"),
        "entry": _path,
    },
    required=("name", "library", "asset", "digest"),
)
_check = record(
    {
        "lockVersion": _version,
        "uses": list_of(text(1_000), most=MAX_USES),
        "libraries": _map_of(LIBRARY, 'a library is "namespace/name"', _library),
        "assets": list_of(_asset, most=MAX_ASSETS),
    },
    required=("lockVersion", "uses", "libraries", "assets"),
)
