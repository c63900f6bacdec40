"""The proxy between this machine and a server, as the environment names it."""

import base64
import socket
from http.client import HTTPResponse
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit


class ProxyError(OSError):
    """A proxy could not be reached (`cause`), or refused with an HTTP status."""

    def __init__(self, proxy: "Proxy", cause: Exception | None = None, status: int | None = None) -> None:
        super().__init__(str(proxy))
        self.proxy = proxy
        self.cause = cause
        self.status = status


class Proxy(NamedTuple):
    """An HTTP proxy. As text it is an address without the password."""

    host: str
    port: int
    headers: dict[str, str]

    def __str__(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def connect(self, timeout: float, tunnel_to: str | None = None) -> socket.socket:
        """Opens a connection to the proxy, or through it to `tunnel_to` (`host:port`). Raises `ProxyError`."""
        try:
            sock = socket.create_connection((self.host, self.port), timeout)
        except OSError as error:
            raise ProxyError(self, error) from None
        if tunnel_to is not None:
            try:
                self._tunnel(sock, tunnel_to)
            except BaseException:
                sock.close()
                raise
        return sock

    def _tunnel(self, sock: socket.socket, target: str) -> None:
        head = [f"CONNECT {target} HTTP/1.1", f"Host: {target}", *(f"{name}: {value}" for name, value in self.headers.items())]
        try:
            sock.sendall("\r\n".join([*head, "", ""]).encode("ascii"))
            response = HTTPResponse(sock, method="CONNECT")
            response.begin()
        except Exception as error:
            raise ProxyError(self, error) from None
        response.close()
        if response.status != 200:
            raise ProxyError(self, status=response.status)


def proxy_for(target: SplitResult) -> Proxy | None:
    """Returns the proxy that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY` names for a URL; None if there is none, or
    `NO_PROXY` names the host. Raises `ValueError` for anything but an HTTP proxy, without repeating its password."""
    from urllib.request import getproxies, proxy_bypass

    named = getproxies()
    address = named.get(target.scheme) or named.get("all")
    if not address or proxy_bypass(target.netloc):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    try:
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        host, port = None, 0
    if parts.scheme != "http" or not host:
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        raise ValueError(f"Unsupported proxy {shown!r} for {target.scheme}: expected http://[user:password@]host:port")
    headers = {}
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    return Proxy(host, port, headers)
