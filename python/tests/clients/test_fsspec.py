"""Libraries as a file system, through fsspec itself."""

import pickle
import sys
import unittest
from pathlib import Path

import fsspec
import numpy

sys.path.insert(0, str(Path(__file__).parents[1]))

from machine import WithMachine  # noqa: E402

import bindery  # noqa: E402
from bindery._fsspec import BinderyFileSystem  # noqa: E402

CONTENTS = {
    "arm/arm.xml": b"<mujoco/>",
    "arm/meshes/link.stl": b"0123456789",
    "arm/meshes/tip.stl": b"abcdefghij",
    "table/table.csv": b"a,b\n1,2\n",
}
ROOT = "acme/arms"


class FileSystem(WithMachine):
    def setUp(self):
        super().setUp()
        fsspec.register_implementation("bindery", BinderyFileSystem, clobber=True)
        BinderyFileSystem.clear_instance_cache()
        self.service = self.serve(CONTENTS)
        self.files = fsspec.filesystem("bindery", endpoint=self.service.url, skip_instance_cache=True)

    def test_lists_folders_and_finds_files(self):
        self.assertEqual(self.files.ls(ROOT, detail=False), [f"{ROOT}/arm", f"{ROOT}/table"])
        self.assertEqual(
            [(entry["name"], entry["type"], entry["size"]) for entry in self.files.ls(f"bindery://{ROOT}/arm/")],
            [(f"{ROOT}/arm/arm.xml", "file", 9), (f"{ROOT}/arm/meshes", "directory", 0)],
        )
        self.assertEqual(self.files.find(ROOT), [f"{ROOT}/{path}" for path in CONTENTS])
        self.assertEqual(self.files.glob(f"{ROOT}/**/*.stl"), [f"{ROOT}/arm/meshes/{name}.stl" for name in ("link", "tip")])
        self.assertEqual(self.files.du(ROOT), 37)
        self.assertEqual(self.service.asked("/objects/"), [])

    def test_the_root_lists_the_namespaces_that_have_libraries(self):
        row = {"namespace": "acme", "name": "arms", "revision": 1}
        listed = {"libraries": [row, row | {"namespace": "zoo"}, row | {"name": "hands"}]}
        self.service.on_row = lambda handler, honest: listed if handler.path.split("?")[0] == "/libraries" else honest
        for root in ("", "/", "bindery://"):
            self.assertEqual(self.files.ls(root, detail=False), ["acme", "zoo"])
        self.assertTrue(self.files.isdir(""))

    def test_describes_files_and_folders(self):
        self.assertEqual(self.files.info(f"{ROOT}/table/table.csv")["size"], 8)
        self.assertEqual(len(self.files.ukey(f"{ROOT}/table/table.csv")), 64)
        self.assertTrue(self.files.isdir(ROOT) and self.files.isdir(f"{ROOT}/arm/meshes") and self.files.isfile(f"{ROOT}/arm/arm.xml"))
        self.assertFalse(self.files.exists(f"{ROOT}/arm/none") or self.files.exists("not a name/x"))

    def test_reads_files_and_ranges_of_them(self):
        file = f"bindery://{ROOT}/arm/meshes/link.stl"
        self.assertEqual(self.files.cat(file), b"0123456789")
        self.assertEqual(self.files.cat_file(file, 2, 5), b"234")
        self.assertEqual(self.files.cat_file(file, -3), b"789")
        self.assertEqual(self.files.cat_ranges([file, file], [0, 8], [2, 10]), [b"01", b"89"])
        with fsspec.open(f"bindery://{ROOT}/table/table.csv", "rt", endpoint=self.service.url) as table:
            self.assertEqual(numpy.loadtxt(table, delimiter=",", skiprows=1).tolist(), [1, 2])
        self.assertEqual(dict(fsspec.get_mapper(f"bindery://{ROOT}/table", endpoint=self.service.url)), {"table.csv": b"a,b\n1,2\n"})

    def test_reads_each_file_once_into_the_cache_of_the_machine(self):
        for _ in range(2):
            self.files.cat(self.files.find(f"{ROOT}/arm"))
        self.files.get(f"{ROOT}/arm", str(self.root / "copy"), recursive=True)
        self.assertEqual((self.root / "copy/meshes/tip.stl").read_bytes(), b"abcdefghij")
        self.assertEqual(len(self.service.asked("/objects/")), 3)
        self.assertEqual(len(self.service.asked("files-presign")), 1)
        self.assertTrue(self.object(b"abcdefghij").exists())

    def test_returns_no_byte_of_a_file_that_is_not_what_the_manifest_says(self):
        self.service.on_object = lambda handler, content: content[::-1]
        self.assertRaises(bindery.IntegrityError, self.files.cat_file, f"{ROOT}/arm/meshes/link.stl", 0, 1)

    def test_stays_at_the_revision_that_it_listed_or_says_that_it_is_gone(self):
        self.files.find(ROOT)
        self.service.publish(CONTENTS | {"table/table.csv": b"a,b\n3,4\n", "arm/new.stl": b"new"})
        self.assertEqual(self.files.cat(f"{ROOT}/arm/arm.xml"), b"<mujoco/>")
        self.assertFalse(self.files.exists(f"{ROOT}/arm/new.stl"))
        with self.assertRaisesRegex(bindery.BinderyError, r"has changed since it was listed. Call invalidate_cache\(\)"):
            self.files.cat(f"{ROOT}/table/table.csv")
        self.files.invalidate_cache(ROOT)
        self.assertEqual(self.files.cat(f"{ROOT}/table/table.csv"), b"a,b\n3,4\n")

    def test_reads_a_release_that_is_cached_without_a_request(self):
        self.files.cat(f"{ROOT}@v1/table/table.csv")
        before = len(self.service.requests)
        again = fsspec.filesystem("bindery", endpoint=self.service.url, skip_instance_cache=True)
        self.assertEqual(again.cat(f"{ROOT}@v1/table/table.csv"), b"a,b\n1,2\n")
        self.assertEqual(len(self.service.requests), before)

    def test_raises_the_errors_of_a_file_system(self):
        self.assertRaises(FileNotFoundError, self.files.open, f"{ROOT}/arm/none")
        self.assertRaises(IsADirectoryError, self.files.open, f"{ROOT}/arm")
        self.assertRaises(NotImplementedError, self.files.open, f"{ROOT}/arm/arm.xml", "wb")

    def test_goes_to_another_process(self):
        self.assertEqual(pickle.loads(pickle.dumps(self.files)).cat(f"{ROOT}/arm/arm.xml"), b"<mujoco/>")


if __name__ == "__main__":
    unittest.main()
