"""Search, inspect and pull assets of a Bindery service, every byte verified."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from .errors import BinderyError, IntegrityError, LockError, MirrorError, NotAllowed, NotFound, ServiceError
    from .fetch import Pulled
    from .freshness import Freshness
    from .layout import Synced
    from .service import SearchResult, Service, connect

__all__ = [
    "BinderyError",
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

# Loaded when they are first asked for: a script that finds all of its assets in the cache needs few of them.
_MODULES = {
    **dict.fromkeys(
        ["BinderyError", "IntegrityError", "LockError", "MirrorError", "NotAllowed", "NotFound", "ServiceError"], "errors"
    ),
    **dict.fromkeys(["SearchResult", "Service", "connect"], "service"),
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
    server: str | bool = True,
    mirror: str | None = None,
    refresh: bool = False,
) -> "Path":
    """The entry file of an asset in the cache of this machine, fetched when it is first asked for.

    `asset` is a name in the nearest `assets.lock`, in the working folder or above it, or `"namespace/name/asset"`, or
    `"namespace/name@release/asset"`. A lock says which revision of its libraries is meant, and so does a release. Without
    either it is the revision that was current when this machine first asked for it, until `refresh` asks again. What the
    cache has needs no request.

    All files of the asset lie where its entry refers to them, and none may be written to. `file` is the path of another
    one of them in the library. A `mirror`, a folder or an address, gives the bytes in place of the service.
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
    """Lay the assets of a project out in its folder, as its `assets.lock` says, every byte verified.

    `project` is the folder of the lock; without it the lock is looked for in the working folder and above. What the cache
    has needs no request, and nothing else in the folder is touched. A file that was edited here stops it before anything is
    written, unless `force` is there to replace it. Where there is an `assets.yml`, the lock must answer
    it; reading it takes the package PyYAML. What `bindery sync` on the command line resolves, this never does: `frozen`
    is there to be seen, and cannot be false.
    """
    if not frozen:
        raise ValueError("Python does not create locks; run 'bindery sync' on the command line")
    from .layout import lay_out

    return lay_out(project, mirror, force)


def search(
    query: str, libraries: str | Iterable[str], *, server: str | bool = True, **filters: Any
) -> "SearchResult":
    """Search libraries (`"ns/name"` or a list of them). See `Service.search`."""
    from .service import connect

    with connect(server) as service:
        return service.search(query, libraries, **filters)


def inspect(library: str, asset: str, *, server: str | bool = True) -> dict[str, Any]:
    """The detail of one asset. See `Service.inspect`."""
    from .service import connect

    with connect(server) as service:
        return service.inspect(library, asset)


def stat(
    library: str, into: "str | os.PathLike[str]", *, asset: str | None = None, server: str | bool = True
) -> "Freshness":
    """Whether a folder is up to date. See `Service.stat`."""
    from .service import connect

    with connect(server) as service:
        return service.stat(library, into, asset=asset)


def pull(
    library: str, into: "str | os.PathLike[str]", *, asset: str | None = None, server: str | bool = True
) -> "Pulled":
    """Bring a library, or one asset of it, into a folder. See `Service.pull`."""
    from .service import connect

    with connect(server) as service:
        return service.pull(library, into, asset=asset)
