"""Determines the server to use."""

import os
import re
from urllib.parse import urlsplit

from ._config import read_config

DEFAULT_SERVER = "http://127.0.0.1:7420"


def choose_server(server: str | bool | None = None) -> str:
    """Returns the address of the service: as given; for None, `BINDERY_API_URL`, else the server that the command line
    uses, which is the one last signed in to; for `True`, `BINDERY_API_URL`, else the default."""
    if isinstance(server, str):
        return server.rstrip("/")
    named = os.environ.get("BINDERY_API_URL") or (None if server is True else read_config().remote_url)
    return str(named or DEFAULT_SERVER).rstrip("/")


def same_server(one: str, other: str) -> bool:
    """Whether a login for one may be sent to the other: the same address, or the same port of this machine's loopback."""
    if same_address(one, other):
        return True
    first, second = _parts(one), _parts(other)
    if first is None or second is None or not (_is_loopback(first[1]) and _is_loopback(second[1])):
        return False
    return first[2] == second[2]


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are the same, however they are written."""
    parts = _parts(one)
    return parts is not None and parts == _parts(other)


def _parts(address: str) -> tuple[str, str, int | None, str] | None:
    """Returns the scheme, host, port and path of an address."""
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port, parts.path.rstrip("/")) if parts.hostname else None


def _is_loopback(host: str) -> bool:
    return re.fullmatch(r"localhost|::1|127(\.[0-9]{1,3}){3}", host) is not None
