"""Hostile mirrors: they can only refuse."""

import json
import os
import random
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hostile_service import sha256
from machine import WithMachine

import bindery
from bindery._errors import BinderyError, IntegrityError, MirrorError, ServiceError
from bindery._mirror import open_mirror
from bindery._limits import Limits

MESH = random.Random(5).randbytes(400_000)
CONTENTS = {"arm/mesh.stl": MESH}


class HostileMirror(WithMachine):
    """A web server for a mirror, with a function that changes its responses for the mesh."""

    def setUp(self):
        super().setUp()
        self.service = self.serve(CONTENTS)
        self.lock(self.service, {"arm": "arm"})
        self.folder = self.mirror(self.service)
        self.service.close()
        self.answers = None
        self.asked = []
        test = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                test.asked.append(self.path)
                if test.answers is not None and self.path.endswith(sha256(MESH)):
                    return test.answers(self)
                self.send(200, (test.folder / self.path.removeprefix("/stick/")).read_bytes())

            def send(self, status, body, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass  # The client hung up, as it should.

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}/stick"

    def refused(self, kind, message):
        with self.assertRaisesRegex(kind, message):
            bindery.path("arm", mirror=self.url)
        self.assertFalse(self.object(MESH).exists())
        tmp = self.cache / "objects" / "tmp"
        self.assertEqual(list(tmp.iterdir()), [])

    def test_an_honest_mirror_provides_the_asset_without_requests_to_the_service(self):
        self.assertEqual(bindery.path("arm", mirror=self.url).read_bytes(), MESH)
        self.assertEqual(set(self.service.tokens), set())

    def test_wrong_bytes_are_refused_and_not_cached(self):
        for what, body, message in (
            ("flipped", MESH[:9] + bytes([MESH[9] ^ 1]) + MESH[10:], "does not match its manifest"),
            ("short", MESH[:-1], "is shorter than"),
            ("nothing", b"", "is shorter than"),
            ("long", MESH + b"!", "is longer than|more came"),
            ("endless", MESH * 60, "is longer than|more came"),
        ):
            with self.subTest(what):
                self.answers = lambda handler, body=body: handler.send(200, body)
                self.refused(BinderyError, message)

    def test_an_object_missing_from_the_mirror_is_requested_once(self):
        self.answers = lambda handler: handler.send(404, b"")
        self.refused(MirrorError, "has no objects/")
        self.assertEqual(sum(path.endswith(sha256(MESH)) for path in self.asked), 1)

    def test_a_redirect_is_not_followed(self):
        self.answers = lambda handler: handler.send(302, b"", Location=f"{self.url}/elsewhere")
        self.refused(MirrorError, "redirects to")
        self.assertNotIn("/stick/elsewhere", self.asked)

    def test_a_manifest_with_another_hash_is_refused_before_anything_is_cached(self):
        other = json.dumps(self.service.manifest() | {"library": {"title": "Another"}}).encode()
        data = json.dumps(self.service.manifest()).encode()
        (self.folder / "objects" / sha256(data)[:2] / sha256(data)).write_bytes(other[: len(data)].ljust(len(data)))
        self.refused_before_anything(IntegrityError, "does not match its SHA-256")

    def refused_before_anything(self, kind, message):
        with self.assertRaisesRegex(kind, message):
            bindery.path("arm", mirror=self.url)
        self.assertFalse((self.cache / "objects").exists())


class FolderMirrors(WithMachine):
    def receive(self, make):
        folder = self.root / "stick"
        place = folder / "objects" / sha256(MESH)[:2] / sha256(MESH)
        place.parent.mkdir(parents=True)
        make(place)
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "arm"})
        bindery.path("arm", mirror=str(self.mirror_with(service, place)))

    def mirror_with(self, service, place):
        data = json.dumps(service.manifest()).encode()
        manifest = place.parents[1] / sha256(data)[:2] / sha256(data)
        manifest.parent.mkdir(exist_ok=True)
        manifest.write_bytes(data)
        return place.parents[2]

    def test_an_object_that_is_not_a_regular_file_is_refused(self):
        for make in (os.mkfifo, os.mkdir, lambda place: os.symlink("/dev/zero", place)):
            with self.subTest(make), self.assertRaisesRegex(MirrorError, "has no file at|cannot be read"):
                self.receive(make)
            self.empty_stick()

    def empty_stick(self):
        for path in sorted((self.root / "stick").rglob("*"), reverse=True):
            path.unlink() if path.is_symlink() or not path.is_dir() else path.rmdir()
        (self.root / "stick").rmdir()

    def test_an_object_that_is_too_long_is_refused(self):
        with self.assertRaisesRegex(IntegrityError, "longer than its 400000 bytes"):
            self.receive(lambda place: place.write_bytes(MESH + b"!"))

    def test_an_invalid_mirror_location_is_refused(self):
        for location in ("", "ftp://x/y", "file://elsewhere/x", "http://x/?y", "http://a:b@c"):
            with self.subTest(location), self.assertRaises((ValueError, ServiceError)):
                open_mirror(location, Limits())


if __name__ == "__main__":
    unittest.main()
