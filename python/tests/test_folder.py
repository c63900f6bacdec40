"""Writing below a folder: links are not followed, and wrong bytes are not kept."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bindery.errors import IntegrityError  # noqa: E402
from bindery.folder import Folder  # noqa: E402
from bindery.manifest import path_problem, refuse_collisions  # noqa: E402


def accept(_size, _sha256):
    pass


class Writing(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = Folder(self.root / "target", create=True)

    def test_a_planted_link_to_a_folder_is_refused(self):
        (self.root / "outside").mkdir()
        (self.root / "target" / "arm").symlink_to(self.root / "outside")
        with self.assertRaises(IntegrityError):
            self.folder.write("arm/arm.xml", [b"x"], accept)
        self.assertEqual(os.listdir(self.root / "outside"), [])

    def test_a_planted_link_in_place_of_a_file_is_replaced_and_not_followed(self):
        outside = self.root / "outside.txt"
        outside.write_text("mine")
        (self.root / "target" / "arm.xml").symlink_to(outside)
        self.assertIsNone(self.folder.digest("arm.xml"))
        self.folder.write("arm.xml", [b"theirs"], accept)
        self.assertEqual(outside.read_text(), "mine")
        self.assertEqual((self.root / "target" / "arm.xml").read_text(), "theirs")

    def test_wrong_bytes_leave_the_file_as_it_was_and_nothing_beside_it(self):
        self.folder.write("arm.xml", [b"old"], accept)

        def refuse(_size, _sha256):
            raise IntegrityError("wrong")

        with self.assertRaises(IntegrityError):
            self.folder.write("arm.xml", [b"new"], refuse)
        self.assertEqual((self.root / "target" / "arm.xml").read_text(), "old")
        self.assertEqual(os.listdir(self.root / "target"), ["arm.xml"])


class Paths(unittest.TestCase):
    def test_paths_that_leave_or_confuse_are_named(self):
        for path in ["", "/a", "a//b", "../a", "a/./b", "a\\b", "a\0b", ".Bindery/x", "\ud800", "x" * 256]:
            with self.subTest(path=path):
                self.assertIsNotNone(path_problem(path))
        for path in ["a", "Box With Spaces/a.bin", "ä/ö.obj", "...", ".binderyx/a"]:
            with self.subTest(path=path):
                self.assertIsNone(path_problem(path))

    def test_names_that_are_one_file_here_are_refused(self):
        with self.assertRaisesRegex(IntegrityError, "one file"):
            refuse_collisions({"A.obj": 1, "a.obj": 1}, "ada/x", lambda *_: True)
        refuse_collisions({"A.obj": 1, "a.obj": 1}, "ada/x", lambda *_: False)


if __name__ == "__main__":
    unittest.main()
