"""Determines the server to use."""

import os
import re
from urllib.parse import urlsplit

DEFAULT_SERVER = "http://127.0.0.1:7420"


def choose_server(server: str | bool = True) -> str:
    """Returns the address of the service: as given; for `True`, `BINDERY_API_URL`, else the default."""
    if server is True:
        return (os.environ.get("BINDERY_API_URL") or DEFAULT_SERVER).rstrip("/")
    return str(server).rstrip("/")


def same_server(one: str, other: str) -> bool:
    """Whether a login for one may be sent to the other: the same address, or both this machine's loopback."""
    return same_address(one, other) or (_is_loopback(one) and _is_loopback(other))


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are the same, however they are written."""
    parts = _parts(one)
    return parts is not None and parts == _parts(other)


def _parts(address: str) -> tuple[str, str, int | None, str] | None:
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port, parts.path.rstrip("/")) if parts.hostname else None


def _is_loopback(address: str) -> bool:
    parts = _parts(address)
    return parts is not None and re.fullmatch(r"localhost|::1|127(\.[0-9]{1,3}){3}", parts[1]) is not None
