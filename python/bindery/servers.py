"""Determines the server to use."""

import os

DEFAULT_SERVER = "http://127.0.0.1:7420"


def choose_server(server: str | bool = True) -> str:
    """Returns the address of the service: as given; for `True`, `BINDERY_API_URL`, else the default."""
    if server is True:
        return (os.environ.get("BINDERY_API_URL") or DEFAULT_SERVER).rstrip("/")
    return str(server).rstrip("/")
