"""Search, inspect and pull assets of a Bindery service, every byte verified."""

from .errors import BinderyError, IntegrityError, NotAllowed, NotFound, ServiceError
from .pull import Pulled
from .service import SearchResult, Service, connect
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


def search(query, libraries, *, server=True, **filters):
    """Search libraries (`"ns/name"` or a list of them). See `Service.search`."""
    return connect(server).search(query, libraries, **filters)


def inspect(library, asset, *, server=True):
    """The detail of one asset. See `Service.inspect`."""
    return connect(server).inspect(library, asset)


def stat(library, into, *, asset=None, server=True):
    """Whether a folder is up to date. See `Service.stat`."""
    return connect(server).stat(library, into, asset=asset)


def pull(library, into, *, asset=None, server=True):
    """Bring a library, or one asset of it, into a folder. See `Service.pull`."""
    return connect(server).pull(library, into, asset=asset)
