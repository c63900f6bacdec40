"""HTTP connections in which every wait is bounded, directly or through a proxy."""

import base64
import http.client
import io
import socket
import ssl
import time
from http.client import HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from ._limits import Deadline, Limits, Pace

_PIECE = 64 * 1024
_MAX_HEAD_BYTES = 1024 * 1024
_BUFFER = 256 * 1024


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
    if not address or proxy_bypass(target.netloc) or _is_in_networks(target.hostname or "", named.get("no", "")):
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


def _is_in_networks(host: str, listed: str) -> bool:
    """Whether an address is in one of the networks (`10.0.0.0/8`) of `NO_PROXY`, which the standard library ignores."""
    import ipaddress

    try:
        address = ipaddress.ip_address(host)
        return any(address in ipaddress.ip_network(name.strip(), strict=False) for name in listed.split(",") if "/" in name)
    except ValueError:
        return False


class ResponseTooLargeError(http.client.HTTPException):
    """A response exceeded its maximum size, counted as sent."""


class Wire:
    """Replaces the socket of `http.client`. The current pace determines how long each step may wait."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._pace: Deadline | Pace = Deadline(limits.head)
        self._allowance = _MAX_HEAD_BYTES

    def sendall(self, data: Any) -> None:
        self._pace = Pace(self._limits.rate, self._limits.sending)
        view = memoryview(data).cast("B")
        for at in range(0, len(view), _PIECE):
            piece = view[at : at + _PIECE]
            sent = 0
            while sent < len(piece):
                sent += self._step(lambda: self._sock.send(piece[sent:]))

    def await_head(self) -> None:
        self._pace = Deadline(self._limits.head)
        self._allowance = _MAX_HEAD_BYTES

    def await_body(self, most: int) -> None:
        """`most` is the maximum number of bytes in the body; a chunk of one byte takes six on the wire."""
        self._pace = Pace(self._limits.rate, self._limits.receiving)
        self._allowance = _MAX_HEAD_BYTES + 8 * most

    def receive(self, buffer: Any) -> int:
        count = self._step(lambda: self._sock.recv_into(buffer))
        self._allowance -= count
        if self._allowance < 0:
            raise ResponseTooLargeError
        return count

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self, self._sock), _BUFFER)

    def interrupt(self) -> None:
        """Interrupts whatever another thread is waiting for."""
        try:
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._sock.close()

    def _step(self, move: Any) -> int:
        while True:
            self._sock.settimeout(self._pace.patience())
            began = time.monotonic()
            count = 0
            try:
                count = move()
                return count
            except TimeoutError:
                continue
            finally:
                self._pace.moved(count, time.monotonic() - began)


class _Reader(io.RawIOBase):
    def __init__(self, wire: Wire, sock: socket.socket) -> None:
        self._wire = wire
        # Keeps the socket open while there is data to read, even if the connection has finished with it.
        self._hold = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._wire.receive(buffer)

    def close(self) -> None:
        self._hold.close()
        super().close()


class Connection(http.client.HTTPConnection):
    def __init__(self, netloc: str, limits: Limits, proxy: Proxy | None = None) -> None:
        super().__init__(netloc, timeout=limits.connect)
        self.proxy = proxy
        self._limits = limits
        self.wire: Wire | None = None

    def connect(self) -> None:
        if self.proxy is None:
            super().connect()
        else:
            self.sock = self._connect_through(self.proxy)
        self.wire = self.sock = Wire(self.sock, self._limits)

    def _connect_through(self, proxy: Proxy) -> socket.socket:
        return proxy.connect(self._limits.connect)


class SecureConnection(Connection, http.client.HTTPSConnection):
    """The same over TLS, through a proxy in a tunnel."""

    def _connect_through(self, proxy: Proxy) -> socket.socket:
        host = f"[{self.host}]" if ":" in self.host else self.host
        sock = proxy.connect(self._limits.connect, f"{host}:{self.port}")
        try:
            return ssl.create_default_context().wrap_socket(sock, server_hostname=self.host)
        except BaseException:
            sock.close()
            raise
