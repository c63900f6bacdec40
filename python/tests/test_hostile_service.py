"""Hostile services: nothing unverified is placed, nothing outside is touched, and the message is clear."""

import json
import os
import random
import unittest

from hostile_service import CURATION, README, WithService

from bindery._errors import BinderyError, IntegrityError, NotAllowed, NotFound, ServiceError

ARM, HAND = b"<mujoco/>", b"hand"
CONTENTS = {"arm/arm.xml": ARM, "hand/hand.glb": HAND}
LARGE = random.Random(7).randbytes(1_200_000)

HASH = "ab" * 32
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eyes"


def with_files(*files):
    listed = [{"path": path, "size": size, "sha256": HASH} for path, size in files]
    return lambda _, manifest: manifest | {"assets": [{"id": "arm", "files": listed}]}


MANIFESTS = {
    "a schema of the future": (lambda _, manifest: manifest | {"schema": "bindery.assets/v9"}, "must be 'bindery.assets/v1'"),
    "a path that leaves the folder": (with_files(("../outside", 1)), r"/assets/0/files/0/path"),
    "an absolute path": (with_files(("/tmp/outside", 1)), "empty"),
    "a backslash": (with_files(("arm\\..\\outside", 1)), "backslash"),
    "a file that is also a folder": (with_files(("x", 1), ("x/y", 1)), "cannot be inside 'x'"),
    "an unknown key": (lambda _, manifest: manifest | {"execute": "rm"}, "unknown key"),
    "no JSON": (lambda *_: b"<html>", "is not valid JSON"),
    "a byte order mark": (lambda *_: b"\xef\xbb\xbf{}", "byte order mark"),
    "lists without end": (lambda *_: b"[" * 900_000, "nested too deep"),
    "101 MiB": (lambda *_: b" " * (101 * 1024 * 1024), "exceeds 104857600 bytes"),
}

ROWS = {
    "a list": (lambda *_: [], "must be an object"),
    "no revision": (lambda *_: {}, "/revision: is missing"),
    "a revision that is text": (lambda *_: {"revision": "1"}, "/revision: must be an integer"),
    "a page": (lambda *_: b"<html>Welcome to nginx</html>", "does not answer like a Bindery service"),
    "NaN": (lambda *_: b'{"revision":NaN}', "NaN is not a number"),
    "a key twice": (lambda *_: b'{"revision":1,"revision":2}', "a duplicate key"),
}


def each(change):
    return lambda _, answer: answer | {"files": [file | change(file) for file in answer["files"]]}


def listed(change):
    return lambda _, answer: answer | {"files": change(answer["files"])}


PRESIGNED = {
    "no files": (lambda *_: {}, "/files: is missing"),
    "files that are no list": (lambda *_: {"files": {}}, "must be a list"),
    "a file that is none": (listed(lambda files: [*files, None]), "must be an object"),
    "a file too few": (listed(lambda files: files[:1]), "returned no URL for"),
    "none of the files": (listed(lambda files: []), "returned no URL for"),
    "a file that nobody asked for": (listed(lambda files: [*files, files[0] | {"path": "../x"}]), "an unrequested URL for '../x'"),
    "a file twice": (listed(lambda files: [*files, files[0]]), "a second URL"),
    "one file in place of another": (listed(lambda files: [files[0], files[0]]), "a second URL"),
    "another hash": (each(lambda _: {"sha256": HASH}), "serves files that differ from the manifest"),
    "another size": (each(lambda file: {"size": file["size"] + 1}), "serves files that differ from the manifest"),
    "a size that is text": (each(lambda _: {"size": "1"}), "/files/0/size: must be an integer"),
    "no address": (each(lambda _: {"url": None}), "/files/0/url: must be text"),
    "an address in the file system": (each(lambda _: {"url": "file:///etc/passwd"}), "returned an invalid URL"),
    "an address of another kind": (each(lambda _: {"url": "ftp://127.0.0.1/x"}), "returned an invalid URL"),
    "an address with a password": (each(lambda _: {"url": "http://a:b@127.0.0.1/x"}), "returned an invalid URL"),
    "an address with a port that is none": (each(lambda _: {"url": "http://127.0.0.1:99999/x"}), "returned an invalid URL"),
    "an address with a line break": (each(lambda file: {"url": file["url"] + "\r\nX: y"}), "returned an invalid URL"),
    "an address that steers a terminal": (each(lambda _: {"url": "/" + ESCAPES}), "returned an invalid URL"),
    "an empty address": (each(lambda _: {"url": ""}), "returned an invalid URL"),
}


def answer(body, status=200, **headers):
    def send(handler, _):
        handler.send(status, body, **headers)

    return send


def raw(text):
    """Sends exactly these bytes, and closes the connection."""

    def send(handler, _):
        handler.wfile.write(text)
        handler.cut()

    return send


def flood(head):
    """Sends an endless response."""

    def send(handler, _):
        handler.wfile.write(head)
        while True:
            handler.wfile.write(b"8\r\n12345678\r\n" * 8_000)

    return send


OBJECTS = {
    "wrong bytes": (lambda _, bytes_: bytes(len(bytes_)), "does not match its manifest"),
    "more bytes": (lambda _, bytes_: bytes_ + b"x", "is longer than its manifest says"),
    "fewer bytes": (lambda _, bytes_: bytes_[1:], "is shorter than its manifest says"),
    "nothing": (lambda *_: b"", "is shorter than its manifest says"),
    "a page in its place": (answer(b"<html>" * 500_000, Content_Type="text/html"), "is longer than its manifest says"),
    "a body without end": (flood(b"HTTP/1.1 200 OK\r\n\r\n"), "is longer than its manifest says"),
    "chunks without end": (
        flood(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "is longer than its manifest says",
    ),
    "a chunk of negative size": (
        flood(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"),
        "is longer than its manifest says",
    ),
    "trailers without end": (
        flood(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
        "the response is larger than allowed",
    ),
    "a head without end": (flood(b"HTTP/1.1 200 OK\r\n"), "its response is not HTTP"),
    "interim answers without end": (
        lambda handler, _: [handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000) for _ in iter(int, 1)],
        "the response is larger than allowed",
    ),
    "a length that is none": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), "is shorter than its manifest"),
    "no HTTP": (raw(ESCAPES.encode() + b"\r\n\r\n"), "its response is not HTTP"),
    "a redirect": (answer(b"", 302, Location="http://127.0.0.1:1/x?signature=secret"), "redirects to http://127.0.0.1:1"),
    "a redirect to a file": (answer(b"", 307, Location="file:///etc/passwd"), "redirects to elsewhere"),
    "a part that nobody asked for": (answer(b"x", 206, Content_Range="bytes 5-5/9"), "another range"),
    "a part that does not say which": (answer(b"x", 206), "another range"),
    "204": (answer(b"", 204, Content_Length=None), "responded with status 204"),
    "500": (answer(b"<Error/>", 500), "responded with status 500"),
    "a refusal for good": (answer(b'{"error":"url_expired","message":"Gone."}', 410), "Gone."),
}


class HostileServices(WithService):
    def refused(self, service, message, kind=BinderyError, **options):
        """Nothing of it is written, inside the folder or next to it, and the message is safe for a terminal."""
        with self.assertRaisesRegex(kind, message) as raised:
            self.pull(service, **options)
        self.assertEqual(self.files(), {})
        self.assertEqual([path.name for path in self.root.iterdir() if path != self.into], [])
        self.assertTrue(str(raised.exception).isprintable(), str(raised.exception))
        self.assertLess(len(str(raised.exception)), 1_100)
        self.assertNotIn("secret", str(raised.exception))
        return raised.exception

    def each_case(self, table, attribute, contents=CONTENTS, kind=BinderyError):
        for name, (misbehave, message) in table.items():
            with self.subTest(name):
                service = self.serve(contents)
                setattr(service, attribute, misbehave)
                self.refused(service, message, kind)

    def test_invalid_manifests_are_refused_and_nothing_is_written(self):
        self.each_case(MANIFESTS, "on_manifest")

    def test_invalid_library_responses_are_refused_and_nothing_is_written(self):
        self.each_case(ROWS, "on_row", kind=ServiceError)

    def test_invalid_presign_responses_are_refused_and_nothing_is_written(self):
        self.each_case(PRESIGNED, "on_presign")

    def test_wrong_responses_for_a_small_file_are_refused_and_nothing_is_written(self):
        self.each_case(OBJECTS, "on_object", {"arm/arm.xml": ARM})

    def test_wrong_responses_for_a_large_file_are_refused_and_nothing_is_written(self):
        self.each_case(OBJECTS, "on_object", {"arm/arm.bin": LARGE})

    def test_a_platform_artifact_with_wrong_bytes_is_refused(self):
        service = self.serve({"arm/arm.xml": ARM, CURATION: b"assets: {}"}, [CURATION])
        service.on_object = lambda _, bytes_: bytes(len(bytes_)) if bytes_ != ARM else bytes_
        with self.assertRaisesRegex(IntegrityError, "'bindery.yml' does not match its manifest"):
            self.pull(service)
        self.assertNotIn("bindery.yml", self.files())

    def test_a_pull_of_a_whole_library_places_its_readme_at_the_root(self):
        service = self.serve({"arm/arm.xml": ARM, README: b"# Arms"}, [README])
        self.pull(service)
        self.assertEqual(self.files()["README.md"], b"# Arms")

    def test_a_platform_artifact_in_place_of_a_folder_is_refused(self):
        service = self.serve({"bindery.yml/arm.xml": ARM, CURATION: b"assets: {}"}, [CURATION])
        service.on_manifest = lambda _, manifest: json.dumps(manifest).replace('"id": "bindery.yml"', '"id": "x"').encode()
        self.refused(service, "cannot be inside 'bindery.yml'", IntegrityError)

    def test_terminal_escapes_in_an_error_of_the_service_are_not_printed(self):
        service = self.serve(CONTENTS)
        told = json.dumps({"error": "x", "message": f"Paid{ESCAPES}"}).encode()
        for status, kind in [(400, ServiceError), (401, NotAllowed), (403, NotAllowed), (404, NotFound)]:
            service.on_row = lambda handler, _, status=status: handler.send(status, told)
            self.assertIn("Paid", str(self.refused(service, "Paid", kind)))

    def test_a_malformed_error_response_is_reported_by_its_status(self):
        service = self.serve(CONTENTS)
        for body in [b"", b"[]", b'{"message":7,"error":[]}', b"\xff", b"[" * 100_000, b"x" * 5_000_000]:
            service.on_row = lambda handler, _, body=body: handler.send(400, body)
            self.refused(service, "responded with status 400", ServiceError)

    def test_a_redirect_to_another_server_is_refused_without_printing_its_query(self):
        service = self.serve(CONTENTS)
        service.on_row = answer(b"", 308, Location="https://elsewhere.example/x?signature=secret")
        self.refused(service, "redirects to https://elsewhere.example", ServiceError)

    def test_reordered_files_and_unknown_keys_in_a_presign_response_are_accepted(self):
        service = self.serve(CONTENTS)
        service.on_presign = lambda _, given: {"new": 1, "files": [file | {"new": 2} for file in given["files"][::-1]]}
        self.pull(service)
        self.assertEqual(self.files(), CONTENTS)


class Targets(WithService):
    def test_a_symlink_in_place_of_a_folder_is_never_entered(self):
        outside = self.root / "outside"
        outside.mkdir()
        self.into.mkdir()
        (self.into / "hand").symlink_to(outside)
        with self.assertRaisesRegex(IntegrityError, "'hand' of 'hand/hand.glb' is a link or a file"):
            self.pull(self.serve(CONTENTS))
        self.assertEqual(os.listdir(outside), [])
        self.assertEqual(os.listdir(self.into), ["hand"])

    def test_a_symlink_planted_during_a_transfer_is_never_followed(self):
        outside = self.root / "outside"
        outside.mkdir()
        service = self.serve({"hand/hand.glb": HAND})

        def plant(_, content):
            if not (self.into / "hand").exists():
                (self.into / "hand").symlink_to(outside)
            return content

        service.on_object = plant
        with self.assertRaisesRegex(IntegrityError, "is a link or a file"):
            self.pull(service)
        self.assertEqual(os.listdir(outside), [])

    def test_a_symlink_in_place_of_a_file_is_set_aside_and_its_target_is_kept(self):
        precious = self.root / "precious"
        precious.write_bytes(b"precious")
        (self.into / "hand").mkdir(parents=True)
        (self.into / "hand/hand.glb").symlink_to(precious)
        with self.assertWarnsRegex(UserWarning, "hand/hand.glb differed"):
            pulled = self.pull(self.serve(CONTENTS))
        self.assertTrue((pulled.set_aside / "hand/hand.glb").is_symlink())
        self.assertEqual((self.into / "hand/hand.glb").read_bytes(), CONTENTS["hand/hand.glb"])
        self.assertEqual(precious.read_bytes(), b"precious")

    def test_a_folder_in_place_of_a_file_stops_the_pull_before_anything_is_written(self):
        (self.into / "hand/hand.glb").mkdir(parents=True)
        (self.into / "hand/hand.glb/mine.txt").write_bytes(b"mine")
        with self.assertRaisesRegex(IntegrityError, "'hand/hand.glb' is a folder"):
            self.pull(self.serve(CONTENTS))
        self.assertEqual(self.files(), {"hand/hand.glb/mine.txt": b"mine"})

    def test_a_file_in_place_of_a_folder_stops_the_pull_before_anything_is_written(self):
        self.into.mkdir()
        (self.into / "hand").write_bytes(b"mine")
        with self.assertRaisesRegex(IntegrityError, "is a link or a file"):
            self.pull(self.serve(CONTENTS))
        self.assertEqual(self.files(), {"hand": b"mine"})

    def test_names_that_differ_in_letter_case_are_both_written_or_both_refused(self):
        contents = {"arm/A.xml": b"large", "arm/a.xml": b"small"}
        try:
            self.pull(self.serve(contents))
            self.assertEqual(self.files(), contents)
        except IntegrityError as error:
            self.assertIn("one file in this folder", str(error))
            self.assertEqual(self.files(), {})


if __name__ == "__main__":
    unittest.main()
