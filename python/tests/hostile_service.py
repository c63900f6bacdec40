"""A service with one library, `acme/arms`, that serves what it is told to, right or wrong."""

import hashlib
import json
import os
import re
import socket
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from bindery._http import Http  # noqa: E402
from bindery._limits import Limits  # noqa: E402
from bindery._limits import Retry  # noqa: E402
from bindery._service import Service  # noqa: E402

CURATION = ".bindery/source/bindery.yml"
README = ".bindery/source/README.md"


# What a search and an inspection say of an asset.
_DESCRIPTION = {
    "title": "An arm",
    "description": None,
    "category": None,
    "kind": "mjcf",
    "format": None,
    "tags": ["left"],
    "license": "MIT",
    "entry": "arm/arm.xml",
    "thumbnailUrl": None,
}
HIT = {"assetId": "arm", **_DESCRIPTION, "score": 1, "files": {"count": 2, "bytes": 9}, "digest": "sha256:" + "0" * 64}
DETAIL = {
    "id": "arm",
    **_DESCRIPTION,
    "attribution": None,
    "meta": {"mass": 3},
    "files": [{"path": "arm/arm.xml", "size": 9, "sha256": "0" * 64, "url": "/objects/arm"}],
}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class HostileService:
    """Each asset is a top-level folder. Functions set on it change a response, or send one and return None."""

    def __init__(self, contents, generated=()):
        self.revision = 0
        self.objects = {}
        # Entries by asset id.
        self.entries = {}
        self.entry_points = {}
        self.licenses = {}
        self.kinds = {}
        # The bytes of every conversion, and the digest that is stated for them.
        self.conversion = b"", ""
        self.requests = []
        # Bytes of the bodies of all responses.
        self.sent = 0
        self.tokens = []
        self.publish(contents, generated)
        # Whether it knows only whole manifests.
        self.is_older = False
        # The entries of the signature log.
        self.signatures = []
        # Each receives the handler and the honest response.
        self.on_row = self.on_manifest = self.on_asset = self.on_presign = self.on_object = None
        self._server = _Server(("127.0.0.1", 0), lambda *parts: _Handler(self, *parts))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def publish(self, contents, generated=()):
        self.revision += 1
        self.contents = dict(contents)
        self.generated = list(generated)
        self.objects |= {sha256(content): content for content in contents.values()}

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def asked(self, name):
        """Returns the `Range` headers of the requests whose path contains the name."""
        return [range_ for path, range_ in self.requests if name in path]

    def manifest(self):
        assets = {}
        for path, content in self.contents.items():
            if path not in self.generated:
                file = {"path": path, "size": len(content), "sha256": sha256(content)}
                assets.setdefault(path.split("/")[0], []).append(file)
        listed = [{"id": name, "files": files} for name, files in assets.items()]
        for asset in listed:
            if asset["id"] in self.entries:
                asset["entry"] = self.entries[asset["id"]]
            if asset["id"] in self.entry_points:
                asset["entryPoints"] = self.entry_points[asset["id"]]
            if asset["id"] in self.kinds:
                asset["kind"] = self.kinds[asset["id"]]
            if asset["id"] in self.licenses:
                asset["license"] = self.licenses[asset["id"]]
        return {"schema": "bindery.assets/v1", "assets": listed, "generated": self.generated}

    def asset(self, name):
        """What the detail of an asset says; None if there is none."""
        found = next((asset for asset in self.manifest()["assets"] if asset["id"] == name), None)
        if found is None:
            return None
        silent = dict.fromkeys(DETAIL) | {"tags": [], "kind": "file", "entryPoints": {}, "meta": {}}
        return silent | found | {"files": [file | {"url": f"/objects/{file['sha256']}"} for file in found["files"]]}

    def of_manifest(self):
        """The headers that say which manifest an answer is of."""
        data = json.dumps(self.manifest()).encode()
        return {} if self.is_older else {"Bindery_Manifest": sha256(data), "Bindery_Manifest_Size": str(len(data))}

    def presigned(self, paths):
        return {
            "ttlSeconds": 3_600,
            "files": [
                {"path": path, "size": len(content), "sha256": sha256(content), "url": f"/objects/{sha256(content)}"}
                for path in paths
                for content in [self.contents[path]]
            ],
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # The client hung up, as it should.


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, service, *parts):
        self.service = service
        super().__init__(*parts)

    def log_message(self, *_):
        pass

    def do_GET(self):
        service, path = self.service, self.path.split("?")[0]
        service.requests.append((self.path, self.headers.get("Range")))
        service.tokens.append(self.headers.get("Authorization"))
        if path.endswith("/manifest"):
            self._json(service.on_manifest, service.manifest())
        elif path.endswith("/signatures"):
            self._json(None, {"entries": service.signatures})
        elif path.startswith("/raw/"):
            content, digest = service.conversion
            self.send(200, content, Repr_Digest=f"sha-256=:{digest}:")
        elif "/assets/" in path:
            found = service.asset(path.rsplit("/", 1)[1])
            if found is None:
                self.send(404, b'{"error":"asset_not_found","message":"There is no such asset."}')
            else:
                self._json(service.on_asset, found, **service.of_manifest())
        elif path.startswith("/objects/"):
            self._object(service.objects.get(path.rsplit("/", 1)[1], b""))
        else:
            row = {"namespace": "acme", "name": "arms", "revision": service.revision}
            self._json(service.on_row, row, **service.of_manifest())

    def do_POST(self):
        self.service.requests.append((self.path, None))
        paths = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["paths"]
        if any(path not in self.service.contents for path in paths):
            self.send(400, b'{"error":"unknown_path","message":"There is no such file."}')
        else:
            self._json(self.service.on_presign, self.service.presigned(paths))

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.service.sent += len(body)

    def cut(self):
        """Breaks the connection."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def _json(self, change, honest, **headers):
        answer = change(self, honest) if change else honest
        if answer is not None:
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send(200, body, Content_Type="application/json", **headers)

    def _object(self, content):
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(found[1]) if found else 0
        rest = content[start:]
        if self.service.on_object:
            rest = self.service.on_object(self, rest)
        if rest is not None:
            span = {"Content_Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if found else {}
            self.send(206 if found else 200, rest, **span)


class WithService(unittest.TestCase):
    """Pulls from a hostile service into an empty folder."""

    def serve(self, contents, generated=()):
        service = HostileService(contents, generated)
        self.addCleanup(service.close)
        return service

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.into = self.root / "pulled"
        own = self.enterContext(tempfile.TemporaryDirectory())
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        environment = kept | {"XDG_STATE_HOME": own, "XDG_CACHE_HOME": own}
        self.enterContext(mock.patch.dict(os.environ, environment, clear=True))

    def pull(self, service, **options):
        with connect(service.url) as client:
            return client.pull("acme/arms", self.into, **options)

    def files(self):
        """Returns every file of the folder with its content, including partial files."""
        found = {}
        for folder, _, names in os.walk(self.into):
            for name in names:
                file = Path(folder, name)
                found[str(file.relative_to(self.into))] = file.read_bytes()
        return found

    def empty(self):
        for path in sorted(self.root.rglob("*"), reverse=True):
            path.unlink() if path.is_symlink() or not path.is_dir() else path.rmdir()


def connect(url, window=20.0):
    limits = Limits(receiving=window, sending=window, head=window)
    return Service(Http(url, limits=limits, retry=Retry(attempts=3, transfers=3, pause=0)))
