"""Requests to one service over connections that stay open, one for each thread."""

import http.client
import json
import threading
from urllib.parse import quote, urlencode, urljoin, urlsplit

from .errors import NotAllowed, NotFound, ServiceError

TIMEOUT_SECONDS = 60
MAX_JSON_BYTES = 256 * 1024 * 1024
_BROKEN = (http.client.HTTPException, OSError)


class Http:
    """Sends requests to `server`, with the token where one is given. Safe to share between threads."""

    def __init__(self, server, token=None):
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{server!r} is no http:// or https:// address")
        self.server = server
        self._token = token
        self._local = threading.local()

    def get_json(self, path, query=None):
        return json.loads(self._read("GET", self._url(path, query)))

    def get_bytes(self, path):
        return self._read("GET", self._url(path))

    def post_json(self, path, body):
        return json.loads(self._read("POST", self._url(path), json.dumps(body).encode()))

    def open(self, url):
        """The response of a presigned address, to be read in pieces; sent without the token."""
        return self._send("GET", urljoin(self.server + "/", url), None, {})

    def _url(self, path, query=None):
        address = self.server + quote(path, safe="/")
        return f"{address}?{urlencode(query)}" if query else address

    def _read(self, method, url, body=None):
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        response = self._send(method, url, body, headers)
        data = response.read(MAX_JSON_BYTES + 1)
        if len(data) > MAX_JSON_BYTES:
            raise ServiceError(f"{self.server} sent more than {MAX_JSON_BYTES} bytes.")
        return data

    def _send(self, method, url, body, headers):
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        origin = (parts.scheme, parts.netloc)
        for attempt in (1, 2):
            connection = self._connection(origin)
            try:
                connection.request(method, target, body=body, headers={"User-Agent": "bindery-python", **headers})
                response = connection.getresponse()
                break
            except _BROKEN as error:
                self._forget(origin)
                # A connection that was kept open may have been closed by the other side meanwhile.
                if attempt == 2:
                    raise ServiceError(f"{parts.scheme}://{parts.netloc} cannot be reached: {error}.") from None
        if response.status != 200:
            raise _failure(self.server, response)
        return response

    def _connection(self, origin):
        connections = self._local.__dict__.setdefault("connections", {})
        if origin not in connections:
            kind = http.client.HTTPSConnection if origin[0] == "https" else http.client.HTTPConnection
            connections[origin] = kind(origin[1], timeout=TIMEOUT_SECONDS)
        return connections[origin]

    def _forget(self, origin):
        connection = self._local.__dict__.get("connections", {}).pop(origin, None)
        if connection is not None:
            connection.close()


def _failure(server, response):
    try:
        answer = json.loads(response.read(1024 * 1024))
        message, code = str(answer["message"]), str(answer["error"])
    except (ValueError, KeyError, TypeError):
        message, code = f"{server} answered {response.status}.", None
    if response.status == 404:
        return NotFound(message, 404, code)
    if response.status in (401, 403):
        return NotAllowed(f"{message} (Sign in with 'bindery login', or set BINDERY_TOKEN.)", response.status, code)
    return ServiceError(message, response.status, code)
