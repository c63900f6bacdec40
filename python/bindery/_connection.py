"""HTTP connections in which every wait is bounded."""

import http.client
import io
import socket
import ssl
import time
from typing import Any

from ._pace import Deadline, Limits, Pace
from ._proxy import Proxy

_PIECE = 64 * 1024
_MAX_HEAD_BYTES = 1024 * 1024
_BUFFER = 256 * 1024


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
