"""Untrusted locks: every rule of the format is enforced, and the message names the one that was broken."""

import json
import unittest

from hostile_service import WithService  # noqa: F401 - puts the package on the path
from machine import WithMachine

from bindery._errors import LockError
from bindery._lock import read_lock


def put(*steps, value):
    """Returns a function that changes the lock at a location."""

    def change(lock):
        place = lock
        for step in steps[:-1]:
            place = place[step]
        place[steps[-1]] = value
        return lock

    return change


def take(*steps):
    def change(lock):
        place = lock
        for step in steps[:-1]:
            place = place[step]
        del place[steps[-1]]
        return lock

    return change


LIBRARY = ("libraries", "acme/arms")
ASSET = ("assets", 0)

BROKEN = {
    "a newer format": (put("lockVersion", value=2), "/lockVersion: version 2 needs a newer version of bindery"),
    "no format": (take("lockVersion"), "/lockVersion: is missing"),
    "a format that is true": (put("lockVersion", value=True), "/lockVersion: must be 1"),
    "an unknown key": (put("execute", value="rm"), "/execute: unknown key"),
    "a library that leads elsewhere": (put("libraries", "../../x", value={}), "/libraries/..~1..~1x: a library is"),
    "a library that is null": (put(*LIBRARY, value=None), "/libraries/acme~1arms: must be an object"),
    "a server that is a file": (put(*LIBRARY, "server", value="file:///etc"), "server: must be the address of a server"),
    "a server with a password": (put(*LIBRARY, "server", value="http://a:b@c"), "server: must be the address"),
    "a server with a line end": (put(*LIBRARY, "server", value="http://a\r\nX: y"), "server: must be the address"),
    "a server with a port that is none": (put(*LIBRARY, "server", value="http://a:x"), "server: must be the address"),
    "a release that leads elsewhere": (put(*LIBRARY, "release", value="../v1"), "release: a release is"),
    "a release that is latest": (put(*LIBRARY, "release", value="latest"), "release: a release is"),
    "a revision of none": (put(*LIBRARY, "revision", value=0), "revision: must be at least 1"),
    "a revision of text": (put(*LIBRARY, "revision", value="1"), "revision: must be an integer"),
    "a hash that leads elsewhere": (put(*LIBRARY, "manifest", "sha256", value="../" * 20), "sha256: a hash is 64"),
    "a hash in capitals": (put(*LIBRARY, "manifest", "sha256", value="AB" * 32), "sha256: a hash is 64"),
    "a manifest without end": (put(*LIBRARY, "manifest", "size", value=10**12), "size: a manifest has at most"),
    "a size below none": (put(*LIBRARY, "manifest", "size", value=-1), "size: must be an integer"),
    "a name that leads elsewhere": (put(*ASSET, "name", value="../x"), "/assets/0/name: an asset id is"),
    "an id that leads elsewhere": (put(*ASSET, "asset", value="a/b"), "/assets/0/asset: an asset id is"),
    "an entry that leads elsewhere": (put(*ASSET, "entry", value="../../x"), "/assets/0/entry: '../../x' has"),
    "an entry that is absolute": (put(*ASSET, "entry", value="/etc/passwd"), "/assets/0/entry: '/etc/passwd' has"),
    "a digest of nothing": (put(*ASSET, "digest", value=""), "/assets/0/digest: a digest is"),
    "an asset of another library": (put(*ASSET, "library", value="acme/legs"), "'acme/legs' is not among the libraries"),
    "one name twice": (lambda lock: lock | {"assets": lock["assets"] * 2}, "is used by an earlier asset"),
    "uses without end": (put("uses", value=["a"] * 50_001), "/uses: at most 50000"),
    "a use without end": (put("uses", value=["a" * 1_001]), "/uses/0: at most 1000 characters"),
    "text": (lambda _: "<<<<<<< ours", "is not valid JSON"),
    "a key twice": (lambda _: '{"lockVersion":1,"lockVersion":1}', "has a duplicate key"),
    "lists without end": (lambda _: "[" * 900_000, "is nested too deep"),
    "a list": (lambda _: "[]", "must be an object"),
    "65 MiB": (lambda _: " " * (65 * 1024 * 1024), "a lock has at most"),
}


class Locks(WithMachine):
    def test_a_lock_that_breaks_a_rule_is_refused_with_a_one_line_message(self):
        service = self.serve({"hand/hand.glb": b"hand"})
        for what, (change, problem) in BROKEN.items():
            with self.subTest(what):
                self.write_lock(change(json.loads(json.dumps(self.lock(service, {"hand": "hand"})))))
                with self.assertRaises(LockError) as caught:
                    read_lock(str(self.project / "assets.lock"))
                self.assertIn(problem, str(caught.exception))
                self.assertNotRegex(str(caught.exception), r"[\r\n]")

    def test_a_folder_in_place_of_the_lock_is_reported(self):
        (self.project / "assets.lock").mkdir()
        with self.assertRaisesRegex(LockError, "cannot be read: Is a directory"):
            read_lock(str(self.project / "assets.lock"))

    def test_a_lock_that_changed_is_read_again(self):
        service = self.serve({"hand/hand.glb": b"hand"})
        file = str(self.project / "assets.lock")
        self.lock(service, {"hand": "hand"})
        self.assertEqual(list(read_lock(file).assets), ["hand"])
        self.lock(service, {"gripper": "hand"})
        self.assertEqual(list(read_lock(file).assets), ["gripper"])


if __name__ == "__main__":
    unittest.main()
