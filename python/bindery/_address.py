"""Names and addresses of libraries, releases and assets."""

import re
from typing import NamedTuple

LIBRARY = "[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9._-]*"
RELEASE = "(?!latest$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
ASSET = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}"

_ADDRESS = re.compile(f"({LIBRARY})(?:@([^/]*))?(?:/({ASSET}))?")
_RELEASE = re.compile(RELEASE)


class LibraryAddress(NamedTuple):
    """`release` is None for the current revision, `asset` for the whole library."""

    library: str
    release: str | None
    asset: str | None


class AssetAddress(NamedTuple):
    """`release` is None for the current revision."""

    library: str
    release: str | None
    asset: str


def parse_address(text: str, asset: str | None = None) -> LibraryAddress:
    """Reads `ns/name`, `ns/name@release`, `ns/name/asset` and `ns/name@release/asset`. Raises `ValueError` for anything
    else, or if `asset` names another asset than the address."""
    found = _ADDRESS.fullmatch(text)
    if found is None or (found[2] is not None and _RELEASE.fullmatch(found[2]) is None):
        raise ValueError(f"invalid library {text[:200]!r}: expected 'namespace/name[@release][/asset]'")
    if None not in (asset, found[3]) and asset != found[3]:
        raise ValueError(f"{text[:200]!r} names another asset than asset={asset!r}")
    return LibraryAddress(found[1], found[2], found[3] or asset)


def parse_asset_address(text: str) -> AssetAddress:
    """Reads `ns/name/asset` and `ns/name@release/asset`. Raises `ValueError` for anything else."""
    found = _ADDRESS.fullmatch(text)
    if found is None or found[3] is None or (found[2] is not None and _RELEASE.fullmatch(found[2]) is None):
        raise ValueError(f"invalid asset {text[:200]!r}: expected 'namespace/name[@release]/asset'")
    return AssetAddress(found[1], found[2], found[3])
