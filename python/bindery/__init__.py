"""Search, inspect, pull and publish assets of a Bindery service, every byte verified."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ._add import Added
    from ._errors import (
        BinderyError,
        ContentLost,
        IntegrityError,
        LockError,
        MirrorError,
        NotAllowed,
        NotFound,
        ServiceError,
        SignatureError,
    )
    from ._load import load
    from ._pull import Freshness, Pulled
    from ._release import Release
    from ._search import Asset, AssetFile, Hit, MissingFiles, SearchResult
    from ._service import Service
    from ._sync import Synced

__all__ = [
    "Added",
    "Asset",
    "AssetFile",
    "BinderyError",
    "ContentLost",
    "Freshness",
    "Hit",
    "IntegrityError",
    "LockError",
    "MirrorError",
    "MissingFiles",
    "NotAllowed",
    "NotFound",
    "Pulled",
    "Release",
    "SearchResult",
    "Service",
    "ServiceError",
    "SignatureError",
    "Synced",
    "add",
    "connect",
    "inspect",
    "load",
    "path",
    "pull",
    "release",
    "search",
    "stat",
    "sync",
]

# Imported on first use: a script that finds all of its assets in the cache needs few of these modules.
_MODULES = {
    **dict.fromkeys(
        [
            "BinderyError",
            "ContentLost",
            "IntegrityError",
            "LockError",
            "MirrorError",
            "NotAllowed",
            "NotFound",
            "ServiceError",
            "SignatureError",
        ],
        "_errors",
    ),
    "Service": "_service",
    **dict.fromkeys(["Asset", "AssetFile", "Hit", "MissingFiles", "SearchResult"], "_search"),
    "load": "_load",
    "Added": "_add",
    "Release": "_release",
    "Freshness": "_pull",
    "Pulled": "_pull",
    "Synced": "_sync",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("bindery")
    except metadata.PackageNotFoundError:
        # The sources on their own, which nobody has installed.
        return "0.0.0"


def __dir__() -> list[str]:
    return __all__


def connect(
    endpoint: str | bool | None = None,
    *,
    token: str | None = None,
    timeout: float | None = None,
    server: str | bool | None = None,
) -> "Service":
    """Connect to a service. `with` closes its connections.

    Args:
        endpoint: The address of the service. By default `BINDERY_API_URL`, else the server that the command line is
            signed in to, else `http://127.0.0.1:7420`; `True` skips the command line's.
        token: Takes precedence over `BINDERY_TOKEN` and the login that is stored for this service. A login that exists
            and cannot be read is a warning.
        timeout: Seconds that a request may go without progress, by default 10 to connect, 60 for the beginning of a
            response and 20 for its rest. A transfer that stays below the minimum rate makes no progress.
        server: Another name of `endpoint`.

    Returns:
        The service, to which nothing has been sent.

    Raises:
        ValueError: The address is not an HTTP URL, the timeout is not positive, or both names of the address are given.
        NotAllowed: The token has invalid characters.
    """
    from ._credentials import choose_server
    from ._names import one_address
    from ._service import Service, open_http

    return Service(open_http(choose_server(one_address(endpoint, server)), token, timeout))


def path(
    asset: str,
    *,
    file: str | None = None,
    entry_point: str | None = None,
    as_: str | None = None,
    sim_ready: Mapping[str, str | float] | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    mirror: str | None = None,
    refresh: bool = False,
    progress: bool | None = None,
    server: str | bool | None = None,
) -> "Path":
    """Return the path of an asset's entry file in this machine's cache, fetching the asset on first use.

    All files of the asset are stored where its entry refers to them, and are read-only. A lock or a release determines
    the revision. Without either it is the revision that was current when this machine first requested it. Cached files
    need no request.

    Args:
        asset: A name in the nearest `assets.lock`, in the working folder or above it, or `"namespace/name/asset"`, or
            `"namespace/name@release/asset"`.
        file: Selects another file of the asset by its path in the library.
        entry_point: Selects the file by the name of one of the asset's entry points, such as `"scene"`.
        as_: `"mjcf"`, `"urdf"`, `"sdf"`, `"glb"` or `"usd"`: the asset in that format, which the service converts and
            proves, unless it has it already. Conversions are cached like assets.
        sim_ready: With `as_`, makes a rigid body of a mesh: `{"material": "wood", "unit": "mm"}`. Its keys are
            `"material"`, `"mass"` or `"density"`, `"unit"` or `"height"`, and `"thickness"`, in metres and kilograms.
        endpoint: As for `connect`. With `namespace/name/asset`, an address given here takes precedence over a lock.
        token: As for `connect`. A server that only a lock names does not get it.
        mirror: A folder or an address that provides the bytes instead of the service.
        refresh: Whether to ask which revision is current.
        progress: As for `Service.pull`.
        server: Another name of `endpoint`.

    Returns:
        The entry, else the asset's only file.

    Raises:
        NotFound: The library or asset does not exist, or is not visible.
        LockError: There is no such name in a lock, or the lock cannot be used.
        IntegrityError: The bytes that arrived are wrong.
        MirrorError: The mirror lacks something.
        ServiceError: The service cannot be reached, or responded with an error.
        BinderyError: The asset has no such file or entry point, or no entry, or the cache cannot be written.
        ValueError: The address or a name is invalid.
    """
    from ._asset_cache import SupplyOptions
    from ._names import one_address
    from ._path import Wanted, locate

    return locate(asset, Wanted(file, entry_point, as_, sim_ready), SupplyOptions(one_address(endpoint, server), token, mirror, progress), refresh)


def sync(
    project: "str | os.PathLike[str] | None" = None,
    *,
    frozen: bool = True,
    endpoint: str | bool | None = None,
    token: str | None = None,
    mirror: str | None = None,
    force: bool = False,
    require_signed: bool = False,
    signers: "str | os.PathLike[str] | None" = None,
    progress: bool | None = None,
    server: str | bool | None = None,
) -> "Synced":
    """Place the assets of a project in its folder as its `assets.lock` specifies, every byte verified.

    Files in the cache need no request, and other files in the folder are not touched. If there is an `assets.yml`, the
    lock must match it; reading it requires the package PyYAML. Locks are only created and updated by `bindery sync` on
    the command line.

    Args:
        project: The folder of the lock; by default the lock is searched for in the working folder and above.
        frozen: Makes explicit that no lock is created. It cannot be false.
        endpoint: The service that you work with, as for `connect`: the lock's server gets the token only if it is this.
        token: As for `connect`.
        mirror: A folder or an address that provides the bytes instead of the service.
        force: Whether files that were edited locally are replaced.
        require_signed: Whether libraries are refused whose release nobody signed. Requires the package cryptography.
        signers: With `require_signed`, a file of `ssh-keygen` with allowed signers, who are the only ones to be trusted.
        progress: As for `Service.pull`.
        server: Another name of `endpoint`.

    Returns:
        How many files were placed, and where.

    Raises:
        LockError: The lock is missing, cannot be used, or does not match `assets.yml`.
        IntegrityError: The bytes that arrived are wrong.
        SignatureError: A release is not signed as it must be. Nothing of it was placed.
        MirrorError: The mirror lacks something.
        ServiceError: The service cannot be reached, or responded with an error.
        BinderyError: A file was edited locally, a licence is refused, or the folder cannot be written. No file of the
            project was changed.
        ValueError: `frozen` is false, there are signers without `require_signed`, or an address is invalid.
    """
    if signers is not None and not require_signed:
        raise ValueError("signers need require_signed=True")
    if not frozen:
        raise ValueError("Python does not create locks; run 'bindery sync' on the command line")
    from . import _sync
    from ._asset_cache import SupplyOptions
    from ._names import one_address

    return _sync.sync(project, SupplyOptions(one_address(endpoint, server), token, mirror, progress), force, require_signed, signers)


def search(
    query: str,
    libraries: str | Iterable[str] | None = None,
    *,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
    **parameters: Any,
) -> "SearchResult":
    """Search libraries (`"namespace/name"` or a list of them), or everything that you can read.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.search`.
    """
    with connect(endpoint, token=token, server=server) as service:
        return service.search(query, libraries, **parameters)


def inspect(
    library: str,
    asset: str | None = None,
    *,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
) -> "Asset":
    """Return the details of one asset.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.inspect`.
    """
    with connect(endpoint, token=token, server=server) as service:
        return service.inspect(library, asset)


def stat(
    library: str,
    into: "str | os.PathLike[str]",
    *,
    asset: str | Iterable[str] | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
) -> "Freshness":
    """Report whether a folder is up to date.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.stat`.
    """
    with connect(endpoint, token=token, server=server) as service:
        return service.stat(library, into, asset=asset)


def pull(
    library: str,
    into: "str | os.PathLike[str]",
    *,
    asset: str | Iterable[str] | None = None,
    keep: bool = False,
    force: bool = False,
    progress: bool | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
) -> "Pulled":
    """Pull a library, a release or assets of it into a folder.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.pull`.
    """
    with connect(endpoint, token=token, server=server) as service:
        return service.pull(library, into, asset=asset, keep=keep, force=force, progress=progress)


def add(
    library: str,
    folder: "str | os.PathLike[str]",
    *,
    asset: str | None = None,
    replace: bool = False,
    create: bool = False,
    title: str | None = None,
    description: str | None = None,
    license: str | None = None,
    tags: str | Iterable[str] | None = None,
    category: str | None = None,
    kind: str | None = None,
    entry: str | None = None,
    progress: bool | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
) -> "Added":
    """Publish a folder as one asset of a library.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.add`.
    """
    stated = {"title": title, "description": description, "license": license, "category": category, "kind": kind, "entry": entry}
    with connect(endpoint, token=token, server=server) as service:
        return service.add(library, folder, asset=asset, replace=replace, create=create, tags=tags, progress=progress, **stated)


def release(
    library: str,
    name: str,
    *,
    notes: str | None = None,
    revision: int | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    server: str | bool | None = None,
) -> "Release":
    """Give a revision of a library a permanent name.

    `endpoint`, `token` and `server` are those of `connect`; everything else is as for `Service.release`.
    """
    with connect(endpoint, token=token, server=server) as service:
        return service.release(library, name, notes=notes, revision=revision)
