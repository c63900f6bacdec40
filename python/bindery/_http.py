"""Requests to one service over persistent connections."""

import http.client
import json
import logging
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from email.message import Message
from types import TracebackType
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urljoin, urlsplit

from ._connection import Connection, Proxy, SecureConnection, Wire, proxy_for
from ._errors import NotAllowed, ServiceError
from ._http_errors import SIGN_IN, origin_of, proxy_refusal, response_error, transfer_error
from ._limits import Limits, Retry, TransferError, with_retry
from ._schema import JsonError, parse

MAX_ANSWER_BYTES = 256 * 1024 * 1024
MAX_ERROR_BYTES = 256 * 1024
CHUNK = 256 * 1024

_log = logging.getLogger("bindery")
_BROKEN = (http.client.HTTPException, OSError)
_VISIBLE = re.compile("[!-~]+")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,15})-")


class Http:
    """Sends requests to `server`, with the token if one is given. Thread-safe.

    `login_problem` states why a stored login could not be read; it is added to errors about refused requests.
    """

    def __init__(
        self,
        server: str,
        token: str | None = None,
        *,
        login_problem: str | None = None,
        limits: Limits = Limits(),
        retry: Retry = Retry(),
    ) -> None:
        if _split(server) is None:
            shown = re.sub("//[^/]*@", "//…@", server)
            raise ValueError(f"invalid server {shown!r}: expected an http:// or https:// URL without a user name")
        if token is not None and not _VISIBLE.fullmatch(token):
            raise NotAllowed(f"The token has invalid characters. {SIGN_IN}")
        self.server = server
        self.stopped = threading.Event()
        self._token = token
        self._login_problem = login_problem
        self._limits = limits
        self.retry = retry
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[Connection]] = {}
        self._busy: set[Wire] = set()

    def clone(self, head: float = 0) -> "Http":
        """Returns a copy with separate connections, which can be stopped separately, and waits for the beginning of a
        response for at least `head` seconds."""
        limits = replace(self._limits, head=max(head, self._limits.head))
        return Http(self.server, self._token, login_problem=self._login_problem, limits=limits, retry=self.retry)

    def get_json(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        return self.get_json_with_headers(path, query)[0]

    def get_json_with_headers(self, path: str, query: Mapping[str, Any] | None = None) -> tuple[Any, Message]:
        body, headers = self.get(path, query)
        return self._json(body), headers

    def get_bytes(self, path: str, limit: int = MAX_ANSWER_BYTES) -> bytes:
        return self._read("GET", self._url(path), limit=limit)[0]

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> tuple[bytes, Message]:
        """Returns a body with the headers of its response."""
        return self._read("GET", self._url(path, query))

    def post_json(self, path: str, body: Any) -> Any:
        return self._json(self._read("POST", self._url(path), json.dumps(body).encode())[0])

    def open(self, url: str, most: int, headers: Mapping[str, str] | None = None) -> "Answer":
        """Sends one request to a presigned URL, without retries or the token. The body has at most `most` bytes."""
        return self._send("GET", self._absolute(url), None, headers or {}, most)

    def put(self, url: str, body: Iterable[bytes], size: int, headers: Mapping[str, str]) -> str:
        """Sends `size` bytes to a presigned URL, again as long as that can help. Returns the ETag."""
        sent = {name: value for name, value in headers.items() if name.lower() != "content-length"}

        def attempt() -> str:
            with self._send("PUT", self._absolute(url), body, {**sent, "Content-Length": str(size)}, MAX_ERROR_BYTES) as answer:
                answer.read(MAX_ERROR_BYTES)
                return answer.headers.get("ETag", "")

        return with_retry(attempt, self.retry, self.stopped)

    def stop(self) -> None:
        """Interrupts what other threads are waiting for, and all later attempts."""
        self.stopped.set()
        with self._lock:
            for wire in self._busy:
                wire.interrupt()

    def close(self) -> None:
        with self._lock:
            for connections in self._idle.values():
                for connection in connections:
                    connection.close()
            self._idle.clear()

    def _url(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        address = self.server + path
        return f"{address}?{urlencode(query, doseq=True, quote_via=quote)}" if query else address

    def _absolute(self, url: str) -> str:
        return urljoin(self.server + "/", url) if _VISIBLE.fullmatch(url) else ""

    def _read(self, method: str, url: str, body: bytes | None = None, limit: int = MAX_ANSWER_BYTES) -> tuple[bytes, Message]:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"

        def attempt() -> tuple[bytes, Message]:
            with self._send(method, url, body, headers, limit) as answer:
                return answer.read(limit), answer.headers

        return with_retry(attempt, self.retry, self.stopped)

    def _json(self, data: bytes) -> Any:
        try:
            return parse(data)
        except JsonError as error:
            raise self.unexpected(f"its response {error}") from None

    def unexpected(self, why: str) -> ServiceError:
        return ServiceError(f"{self.server} does not answer like a Bindery service: {why}.")

    def _send(
        self, method: str, url: str, body: bytes | Iterable[bytes] | None, headers: Mapping[str, str], most: int
    ) -> "Answer":
        parts = _split(url)
        if parts is None:
            raise self.unexpected("the server returned an invalid URL")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        while True:
            connection, kept = self._take(parts)
            # A tunnel leads to the server itself; otherwise the proxy needs the whole URL.
            proxy = connection.proxy if parts.scheme == "http" else None
            sent = {"User-Agent": "bindery-python", **headers, **(proxy.headers if proxy else {})}
            try:
                wire = self._connect(connection)
                connection.request(method, f"http://{parts.netloc}{target}" if proxy else target, body=body, headers=sent)
                wire.await_head()
                response = connection.getresponse()
                break
            except (*_BROKEN, ValueError) as error:
                self._drop(connection)
                # The server may have closed an idle connection in the meantime.
                if not (kept and isinstance(error, ConnectionError)):
                    raise transfer_error(parts, error) from None
            except BaseException:
                self._drop(connection)
                raise
        answer = Answer(self, connection, response, parts, proxy)
        wire.await_body(most)
        # The query of a URL may be a secret.
        _log.debug("%s %s%s: %d", method, origin_of(parts), parts.path, answer.status)
        if answer.status not in ((200, 206) if method == "GET" else (200, 201, 204)):
            with answer:
                raise self._failure(answer)
        return answer

    def _take(self, parts: SplitResult) -> tuple[Connection, bool]:
        with self._lock:
            idle = self._idle.get((parts.scheme, parts.netloc))
            if idle:
                return idle.pop(), True
        try:
            proxy = proxy_for(parts)
        except ValueError as error:
            raise ServiceError(f"{error}.") from None
        kind = SecureConnection if parts.scheme == "https" else Connection
        return kind(parts.netloc, self._limits, proxy), False

    def _connect(self, connection: Connection) -> Wire:
        if connection.sock is None or connection.wire is None:
            connection.connect()
        wire = connection.wire
        if wire is None:
            raise TransferError("The connection was lost.")
        with self._lock:
            self._busy.add(wire)
        if self.stopped.is_set():
            raise TransferError("The transfer was interrupted.", hopeless=True)
        return wire

    def _drop(self, connection: Connection) -> None:
        self._release(connection)
        connection.close()

    def _keep(self, connection: Connection, parts: SplitResult) -> None:
        self._release(connection)
        with self._lock:
            self._idle.setdefault((parts.scheme, parts.netloc), []).append(connection)

    def _release(self, connection: Connection) -> None:
        if connection.wire is not None:
            with self._lock:
                self._busy.discard(connection.wire)

    def _failure(self, answer: "Answer") -> ServiceError:
        status, origin = answer.status, origin_of(answer.parts)
        if 300 <= status < 400:
            target = _split(urljoin(answer.parts.geturl(), answer.headers.get("Location", "")))
            place = origin_of(target) if target else "elsewhere"
            return ServiceError(f"{origin} redirects to {place}. Use that address instead.", status)
        told, is_own = _error_fields(answer), answer.parts.netloc == urlsplit(self.server).netloc
        if answer.proxy is not None and not told:
            if status == 407:
                return proxy_refusal(answer.proxy, status, origin)
            # It may be the proxy that answers, so that nothing can be said of the service.
            origin, is_own = f"{origin}, through the proxy {answer.proxy},", False
        return response_error(status, answer.headers, told, origin, is_own=is_own, login_problem=self._login_problem)


class Answer:
    """A response whose body is read in pieces. Its connection is reused once the body has been read completely."""

    def __init__(
        self,
        http_: Http,
        connection: Connection,
        response: http.client.HTTPResponse,
        parts: SplitResult,
        proxy: Proxy | None,
    ) -> None:
        """`proxy` is the one that was asked in place of the server; None for a tunnel."""
        self.proxy = proxy
        self.status = response.status
        self.headers = response.headers
        self.parts = parts
        self._http = http_
        self._connection = connection
        self._response = response
        self._whole = False

    def __enter__(self) -> "Answer":
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._response.close()
        if self._whole and self._connection.sock is not None:
            self._http._keep(self._connection, self.parts)
        else:
            self._http._drop(self._connection)

    def chunks(self) -> Iterator[bytes]:
        """Yields the body in pieces. Raises `TransferError` if it is truncated or too slow."""
        response = self._response
        try:
            while chunk := response.read1(CHUNK):
                yield chunk
        except (*_BROKEN, ValueError) as error:
            raise transfer_error(self.parts, error) from None
        if response.length:
            raise transfer_error(self.parts, http.client.IncompleteRead(b"", response.length))
        self._whole = True

    def read(self, limit: int) -> bytes:
        data = bytearray()
        for chunk in self.chunks():
            data += chunk
            if len(data) > limit:
                raise ServiceError(f"The response of {origin_of(self.parts)} exceeds {limit} bytes.")
        return bytes(data)

    def start(self) -> int | None:
        """Returns the offset of the first byte in the whole file; None if the response does not state it."""
        if self.status != 206:
            return 0
        found = _CONTENT_RANGE.match(self.headers.get("Content-Range", ""))
        return int(found[1]) if found else None


def _split(url: str) -> SplitResult | None:
    """Splits an http or https URL without user information; None for anything else."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is none
    except ValueError:
        return None
    valid = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    return parts if valid else None


def _error_fields(answer: Answer) -> dict[str, str]:
    """Returns the texts of an error in the service's format: `error`, `message`, `requestId`."""
    try:
        told = parse(answer.read(MAX_ERROR_BYTES))
    except (JsonError, ServiceError):
        return {}
    return {name: text for name, text in told.items() if isinstance(text, str)} if isinstance(told, dict) else {}
