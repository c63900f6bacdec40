"""Search, inspect and pull assets of a Bindery service, every byte verified."""

from collections.abc import Iterable
from typing import Any

from .errors import BinderyError, IntegrityError, NotAllowed, NotFound, ServiceError
from .pull import Pulled
from .service import PathLike, SearchResult, Service, connect
from .stat import Freshness

__all__ = [
    "BinderyError",
    "Freshness",
    "IntegrityError",
    "NotAllowed",
    "NotFound",
    "Pulled",
    "SearchResult",
    "Service",
    "ServiceError",
    "connect",
    "inspect",
    "pull",
    "search",
    "stat",
]


def search(
    query: str, libraries: str | Iterable[str], *, server: str | bool = True, **filters: Any
) -> SearchResult:
    """Search libraries (`"ns/name"` or a list of them). See `Service.search`."""
    with connect(server) as service:
        return service.search(query, libraries, **filters)


def inspect(library: str, asset: str, *, server: str | bool = True) -> dict[str, Any]:
    """The detail of one asset. See `Service.inspect`."""
    with connect(server) as service:
        return service.inspect(library, asset)


def stat(library: str, into: PathLike, *, asset: str | None = None, server: str | bool = True) -> Freshness:
    """Whether a folder is up to date. See `Service.stat`."""
    with connect(server) as service:
        return service.stat(library, into, asset=asset)


def pull(library: str, into: PathLike, *, asset: str | None = None, server: str | bool = True) -> Pulled:
    """Bring a library, or one asset of it, into a folder. See `Service.pull`."""
    with connect(server) as service:
        return service.pull(library, into, asset=asset)
