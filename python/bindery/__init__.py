"""Search, inspect and pull assets of a Bindery service, every byte verified."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from .errors import (
        BinderyError,
        ContentLost,
        IntegrityError,
        LockError,
        MirrorError,
        NotAllowed,
        NotFound,
        ServiceError,
    )
    from .fetch import Pulled
    from .find import SearchResult
    from .freshness import Freshness
    from .layout import Synced
    from .service import Service, connect

__all__ = [
    "BinderyError",
    "ContentLost",
    "Freshness",
    "IntegrityError",
    "LockError",
    "MirrorError",
    "NotAllowed",
    "NotFound",
    "Pulled",
    "SearchResult",
    "Service",
    "ServiceError",
    "Synced",
    "connect",
    "inspect",
    "path",
    "pull",
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
        ],
        "errors",
    ),
    **dict.fromkeys(["Service", "connect"], "service"),
    "SearchResult": "find",
    "Freshness": "freshness",
    "Pulled": "fetch",
    "Synced": "layout",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def path(
    asset: str,
    *,
    file: str | None = None,
    server: str | bool | None = None,
    mirror: str | None = None,
    refresh: bool = False,
) -> "Path":
    """Return the path of an asset's entry file in this machine's cache, fetching the asset on first use.

    `asset` is a name in the nearest `assets.lock`, in the working folder or above it, or `"namespace/name/asset"`, or
    `"namespace/name@release/asset"`. A lock or a release determines the revision. Without either it is the revision
    that was current when this machine first requested it, until `refresh` asks again. Cached files need no request.

    All files of the asset are stored where its entry refers to them, and are read-only. `file` selects another file of
    the asset by its path in the library. A `mirror`, a folder or an address, provides the bytes instead of the service.
    """
    from .locate import locate

    return locate(asset, file, server, mirror, refresh)


def sync(
    project: "str | os.PathLike[str] | None" = None,
    *,
    frozen: bool = True,
    mirror: str | None = None,
    force: bool = False,
) -> "Synced":
    """Place the assets of a project in its folder as its `assets.lock` specifies, every byte verified.

    `project` is the folder of the lock; by default the lock is searched for in the working folder and above. Files in
    the cache need no request, and other files in the folder are not touched. If a file was edited locally, nothing is
    written, unless `force` allows replacing it. If there is an `assets.yml`, the lock must match it; reading it
    requires the package PyYAML. Locks are never created or updated here, only by `bindery sync` on the command line:
    `frozen` makes that explicit and cannot be false.
    """
    if not frozen:
        raise ValueError("Python does not create locks; run 'bindery sync' on the command line")
    from .layout import lay_out

    return lay_out(project, mirror, force)


def search(
    query: str, libraries: str | Iterable[str] | None = None, *, server: str | bool | None = None, **parameters: Any
) -> "SearchResult":
    """Search libraries (`"ns/name"` or a list of them), or everything that you can read. See `Service.search`."""
    from .service import connect

    with connect(server) as service:
        return service.search(query, libraries, **parameters)


def inspect(library: str, asset: str | None = None, *, server: str | bool | None = None) -> dict[str, Any]:
    """Return the details of one asset. See `Service.inspect`."""
    from .service import connect

    with connect(server) as service:
        return service.inspect(library, asset)


def stat(
    library: str, into: "str | os.PathLike[str]", *, asset: str | None = None, server: str | bool | None = None
) -> "Freshness":
    """Report whether a folder is up to date. See `Service.stat`."""
    from .service import connect

    with connect(server) as service:
        return service.stat(library, into, asset=asset)


def pull(
    library: str,
    into: "str | os.PathLike[str]",
    *,
    asset: str | None = None,
    keep: bool = False,
    force: bool = False,
    server: str | bool | None = None,
) -> "Pulled":
    """Pull a library, a release or one asset into a folder. See `Service.pull`."""
    from .service import connect

    with connect(server) as service:
        return service.pull(library, into, asset=asset, keep=keep, force=force)
