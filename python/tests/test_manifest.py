"""The rules of a manifest, the same as in the service and the command line."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bindery._errors import IntegrityError  # noqa: E402
from bindery._manifest import read_manifest  # noqa: E402

HASH, OTHER_HASH = "ab" * 32, "cd" * 32
SCHEMA = "bindery.assets/v1"


def file(path, **more):
    return {"path": path, "size": 1, "sha256": HASH, **more}


def asset(name, **more):
    return {"id": name, "files": [file(f"{name}/a.stl")], **more}


def manifest(**more):
    return {"schema": SCHEMA, "assets": [asset("arm")], **more}


def with_asset(**more):
    return manifest(assets=[asset("arm", **more)])


def with_path(path):
    return with_asset(files=[file(path)])


def without(document, key):
    return {name: value for name, value in document.items() if name != key}


HOLDS = {
    "the least": {"schema": SCHEMA, "assets": []},
    "the earlier layout, which may leave its schema out": {"assets": [asset("arm")]},
    "a file that two assets share": manifest(assets=[asset("a", files=[file("x")]), asset("b", files=[file("x")])]),
    "lengths that count characters": with_asset(title="\U0001f600" * 200),
    "a name that only starts like a folder": with_asset(files=[file("a"), file("a-b"), file("a.b/c")]),
    "ids that differ in letter case": manifest(assets=[asset("arm"), asset("Arm")]),
    "a size of another notation": with_asset(files=[file("a", size=1.0)]),
    "paths of all kinds": with_asset(
        files=[file(path) for path in ["...", ".hidden/..file", "-rf", "con", "a:b", "naïve/日本語.glb", "é" * 127 + "/x"]]
    ),
    "no license, said so": with_asset(license=None, attribution=None),
    "a thumbnail among the generated paths": manifest(
        assets=[asset("arm", thumbnail=".bindery/t.webp")], generated=[".bindery/t.webp"]
    ),
    "entry points": with_asset(entry="arm/a.stl", entryPoints={"main": {"kind": "scene", "file": "arm/a.stl"}}),
    "meta of any shape": with_asset(meta={"anything": [1, {"deep": None, "number": 10**30}]}),
}

REFUSED = {
    "another schema": (manifest(schema="bindery.assets/v9"), "/schema"),
    "a schema that is null": (manifest(schema=None), "/schema"),
    "a schema that is a number": (manifest(schema=1), "/schema"),
    "no object": ([], "/schema"),
    "null": (None, "/schema"),
    "no assets": ({"schema": SCHEMA}, "/assets"),
    "assets that are no list": (manifest(assets={}), "/assets"),
    "an unknown key at the root": (manifest(extra=1), "/extra"),
    "an unknown key of the library": (manifest(library={"titel": "x"}), "/library/titel"),
    "an unknown key of its upstream": (manifest(library={"upstream": {"url": "x"}}), "/library/upstream/url"),
    "an unknown key of an asset": (with_asset(**{"a/b~c": 1}), "/assets/0/a~1b~0c"),
    "an unknown key of a file": (with_asset(files=[file("a", mode=1)]), "/assets/0/files/0/mode"),
    "an unknown key of an entry point": (
        with_asset(entryPoints={"x": {"file": "arm/a.stl", "y": 1}}),
        "/assets/0/entryPoints/x/y",
    ),
    "a library that is null": (manifest(library=None), "/library"),
    "an asset that is none": (manifest(assets=[None]), "/assets/0"),
    "no id": (manifest(assets=[without(asset("a"), "id")]), "/assets/0/id"),
    "an id that starts with a dot": (manifest(assets=[asset("a", id=".a")]), "/assets/0/id"),
    "an id of 129 characters": (manifest(assets=[asset("a", id="a" * 129)]), "/assets/0/id"),
    "an id with a newline at its end": (manifest(assets=[asset("a", id="arm\n")]), "/assets/0/id"),
    "an id that is a number": (manifest(assets=[asset("a", id=7)]), "/assets/0/id"),
    "a title of 201": (with_asset(title="t" * 201), "/assets/0/title"),
    "a title with NUL": (with_asset(title="a\0b"), "/assets/0/title"),
    "a title that is no Unicode": (with_asset(title="\ud800"), "/assets/0/title"),
    "a title that is null": (with_asset(title=None), "/assets/0/title"),
    "a category in capitals": (with_asset(category="Chair"), "/assets/0/category"),
    "33 tags": (with_asset(tags=["t"] * 33), "/assets/0/tags"),
    "a tag of 65": (with_asset(tags=["ok", "t" * 65]), "/assets/0/tags/1"),
    "no files": (manifest(assets=[{"id": "arm"}]), "/assets/0/files"),
    "an empty list of files": (with_asset(files=[]), "/assets/0/files"),
    "a negative size": (with_asset(files=[file("a", size=-1)]), "/assets/0/files/0/size"),
    "a size with a fraction": (with_asset(files=[file("a", size=1.5)]), "/assets/0/files/0/size"),
    "a size as text": (with_asset(files=[file("a", size="1")]), "/assets/0/files/0/size"),
    "a size that is true": (with_asset(files=[file("a", size=True)]), "/assets/0/files/0/size"),
    "a size beyond what numbers hold": (with_asset(files=[file("a", size=2**53)]), "/assets/0/files/0/size"),
    "no size": (with_asset(files=[without(file("a"), "size")]), "/assets/0/files/0/size"),
    "a hash in capitals": (with_asset(files=[file("a", sha256="AB" * 32)]), "/assets/0/files/0/sha256"),
    "a hash of 63": (with_asset(files=[file("a", sha256=HASH[1:])]), "/assets/0/files/0/sha256"),
    "a path that is no text": (with_path(7), "/assets/0/files/0/path"),
    "an empty path": (with_path(""), "/assets/0/files/0/path"),
    "a path that leaves the folder": (with_path("../outside"), "/assets/0/files/0/path"),
    "a path that leaves it later": (with_path("arm/../../outside"), "/assets/0/files/0/path"),
    "an absolute path": (with_path("/etc/passwd"), "/assets/0/files/0/path"),
    "a path with a backslash": (with_path("arm\\..\\outside"), "/assets/0/files/0/path"),
    "a path on a server": (with_path("\\\\server\\share"), "/assets/0/files/0/path"),
    "a path on a drive, with dots": (with_path("C:/x/../y"), "/assets/0/files/0/path"),
    "a path with an empty segment": (with_path("a//b"), "/assets/0/files/0/path"),
    "a path that ends as a folder": (with_path("a/"), "/assets/0/files/0/path"),
    "a path with a dot": (with_path("./a"), "/assets/0/files/0/path"),
    "a path with NUL": (with_path("a\0b"), "/assets/0/files/0/path"),
    "a path with a newline": (with_path("a\nb"), "/assets/0/files/0/path"),
    "a path that steers a terminal": (with_path("a\x1b[2J"), "/assets/0/files/0/path"),
    "a path with a control character of 8 bits": (with_path("a\x85"), "/assets/0/files/0/path"),
    "a path that is no Unicode": (with_path("a\ud800"), "/assets/0/files/0/path"),
    "a segment of 256 bytes": (with_path("é" * 128), "/assets/0/files/0/path"),
    "a path of 1,025 bytes": (with_path("a/" * 512 + "a"), "/assets/0/files/0/path"),
    "the reserved folder": (with_path(".bindery/x"), "/assets/0/files/0/path"),
    "the reserved folder in capitals": (with_path(".BINDERY/manifest.json"), "/assets/0/files/0/path"),
    "the reserved folder as a file": (with_path(".Bindery"), "/assets/0/files/0/path"),
    "a generated path outside": (manifest(generated=["outside"]), "/generated/0"),
    "a generated path that is the manifest": (manifest(generated=[".bindery/manifest.json"]), "/generated/0"),
    "a generated path that leaves": (manifest(generated=[".bindery/../a"]), "/generated/0"),
    "generated that is no list": (manifest(generated={}), "/generated"),
    "an entry that is no file of its own": (with_asset(entry="../b.stl"), "/assets/0/entry"),
    "a thumbnail that is nowhere": (with_asset(thumbnail="thumb.png"), "/assets/0/thumbnail"),
    "an entry point that is nowhere": (
        with_asset(entryPoints={"main": {"file": "b"}}),
        "/assets/0/entryPoints/main/file",
    ),
    "an entry point without a file": (with_asset(entryPoints={"main": {}}), "/assets/0/entryPoints/main/file"),
    "an entry point without a name": (with_asset(entryPoints={"": {"file": "arm/a.stl"}}), "/assets/0/entryPoints/"),
    "entry points as a list": (with_asset(entryPoints=[]), "/assets/0/entryPoints"),
    "meta that is a list": (with_asset(meta=[]), "/assets/0/meta"),
    "an id that stands twice": (
        manifest(assets=[asset("a"), asset("b"), asset("a", files=[file("c")])]),
        "/assets/2/id",
    ),
    "one path with two hashes": (
        manifest(assets=[asset("a", files=[file("x")]), asset("b", files=[file("x", sha256=OTHER_HASH)])]),
        "/assets/1/files/0",
    ),
    "one path with two sizes": (
        manifest(assets=[asset("a", files=[file("x")]), asset("b", files=[file("y"), file("x", size=2)])]),
        "/assets/1/files/1",
    ),
    "a path twice in an asset": (with_asset(files=[file("x"), file("y"), file("x")]), "/assets/0/files/2"),
    "a file that is a folder": (with_asset(files=[file("x/y/z"), file("x-"), file("x")]), "'x/y/z' cannot be inside 'x'"),
    "a file that is a folder of another asset": (
        manifest(assets=[asset("b", files=[file("x")]), asset("a", files=[file("x/y")])]),
        "'x/y' cannot be inside 'x'",
    ),
    "an artifact in another": (manifest(generated=[".bindery/a/b", ".bindery/a"]), "cannot be inside"),
    "50,001 assets": (
        manifest(assets=[asset(f"a{at}", files=[file("same")]) for at in range(50_001)]),
        "/assets: at most 50000 assets",
    ),
}

NO_JSON = {
    "nothing": (b"", "is not valid JSON"),
    "half a document": (b'{"schema":', "is not valid JSON"),
    "a page": (b"<!doctype html><title>Sign in</title>", "is not valid JSON"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "byte order mark"),
    "UTF-16": ("{}".encode("utf-16"), "is not valid UTF-8"),
    "a lone continuation byte": (b'{"schema":"\x80"}', "is not valid UTF-8"),
    "an overlong slash": (b'{"schema":"\xc0\xaf"}', "is not valid UTF-8"),
    "a surrogate in three bytes": (b'{"schema":"\xed\xa0\x80"}', "is not valid UTF-8"),
    "NaN": (b'{"size":NaN}', "is not valid JSON"),
    "infinity": (b'{"size":-Infinity}', "is not valid JSON"),
    "a trailing comma": (b'{"assets":[],}', "is not valid JSON"),
    "two documents": (b"{}{}", "is not valid JSON"),
    "a raw newline in text": (b'{"a":"\n"}', "is not valid JSON"),
    "a key that stands twice": (b'{"schema":"bindery.assets/v1","schema":"bindery.assets/v1"}', "has a duplicate key"),
    "the same key, escaped": (b'{"assets":[],"\\u0061ssets":[]}', "has a duplicate key"),
    "a key twice deep inside": (b'{"assets":[{"files":[{"path":"a","path":"b"}]}]}', "has a duplicate key"),
    "lists 500,000 deep": (b"[" * 500_000, "is nested too deep"),
    "objects 500,000 deep": (b'{"a":' * 500_000, "is nested too deep"),
    "an object of 2,049 keys": (
        json.dumps({str(key): 0 for key in range(2_049)}).encode(),
        "an object with more than 2048 keys",
    ),
    "four million lists": (b"[" + b"[]," * 4_000_000 + b"0]", "more than 4000000 objects and lists"),
}


class Manifests(unittest.TestCase):
    def test_valid_manifests_are_read_unchanged(self):
        for name, document in HOLDS.items():
            with self.subTest(name):
                self.assertEqual(read_manifest(json.dumps(document).encode(), "acme/arms"), document)

    def test_invalid_manifests_are_refused_with_the_location_of_the_error(self):
        for name, (document, place) in REFUSED.items():
            with self.subTest(name):
                with self.assertRaises(IntegrityError) as refused:
                    read_manifest(json.dumps(document).encode(), "acme/arms")
                self.assertIn("breaks the rules of the format: ", str(refused.exception))
                self.assertIn(place, str(refused.exception))
                self.assertTrue(str(refused.exception).isprintable())
                self.assertLess(len(str(refused.exception)), 500)

    def test_invalid_or_excessive_json_is_refused(self):
        for name, (data, problem) in NO_JSON.items():
            with self.subTest(name):
                with self.assertRaisesRegex(IntegrityError, problem):
                    read_manifest(data, "acme/arms")

    def test_brackets_and_colons_inside_a_string_do_not_count_towards_the_limits(self):
        document = with_asset(upstream={"url": "[{:" * 4_000_001})
        self.assertEqual(read_manifest(json.dumps(document).encode(), "acme/arms"), document)

    def test_an_error_message_stays_short_however_long_the_invalid_text_is(self):
        long = "x" * 100_000
        for document in [with_asset(title=long), with_path(long), {"schema": long}, with_asset(**{long: 1})]:
            with self.assertRaises(IntegrityError) as refused:
                read_manifest(json.dumps(document).encode(), "acme/arms")
            self.assertLess(len(str(refused.exception)), 500)


if __name__ == "__main__":
    unittest.main()
