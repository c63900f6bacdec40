"""Writing below a folder: links are not followed, and wrong bytes are not kept."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bindery._errors import BinderyError, IntegrityError  # noqa: E402
from bindery._folder import Folder  # noqa: E402
from bindery._names import NameRules, refuse_collisions, user_path_problem  # noqa: E402


class Writing(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = Folder(self.root / "target")
        self.folder.create()

    def write(self, path, content):
        part = self.folder.begin(path, "0" * 64)
        part.append(content)
        self.folder.finish(part, path)
        part.close()

    def test_a_planted_symlink_to_a_folder_is_refused(self):
        (self.root / "outside").mkdir()
        (self.root / "target" / "arm").symlink_to(self.root / "outside")
        for use in [lambda: self.write("arm/arm.xml", b"x"), lambda: self.folder.refuse_obstacle("arm/arm.xml")]:
            with self.assertRaisesRegex(IntegrityError, "is a link or a file"):
                use()
        self.assertEqual(os.listdir(self.root / "outside"), [])

    def test_a_planted_symlink_in_place_of_a_file_is_replaced_and_not_followed(self):
        outside = self.root / "outside.txt"
        outside.write_text("mine")
        (self.root / "target" / "arm.xml").symlink_to(outside)
        self.assertIsNone(self.folder.digest("arm.xml"))
        self.write("arm.xml", b"theirs")
        self.assertEqual(outside.read_text(), "mine")
        self.assertEqual((self.root / "target" / "arm.xml").read_text(), "theirs")

    def test_a_named_pipe_in_place_of_a_file_does_not_block_the_reader(self):
        os.mkfifo(self.root / "target" / "arm.xml")
        self.assertIsNone(self.folder.digest("arm.xml"))

    def test_two_writers_of_one_file_do_not_interfere(self):
        one, two = self.folder.begin("arm.xml", "0" * 64), self.folder.begin("arm.xml", "0" * 64)
        one.append(b"one")
        two.append(b"two")
        self.folder.finish(one, "arm.xml")
        self.assertEqual((self.root / "target" / "arm.xml").read_text(), "one")
        self.folder.finish(two, "arm.xml")
        one.close()
        two.close()
        self.assertEqual((self.root / "target" / "arm.xml").read_text(), "two")

    def test_a_folder_is_not_created_in_place_of_a_file(self):
        (self.root / "file").write_text("mine")
        for path in ["file", "file/below"]:
            with self.assertRaisesRegex(BinderyError, "is not a folder"):
                Folder(self.root / path).create()


class Paths(unittest.TestCase):
    def test_unsafe_or_ambiguous_paths_are_rejected_and_unusual_ones_accepted(self):
        for path in ["", "/a", "a//b", "../a", "a/./b", "a\\b", "a\0b", ".Bindery/x", "\ud800", "x" * 256]:
            with self.subTest(path=path):
                self.assertIsNotNone(user_path_problem(path))
        for path in ["a", "Box With Spaces/a.bin", "ä/ö.obj", "...", ".binderyx/a"]:
            with self.subTest(path=path):
                self.assertIsNone(user_path_problem(path))

    def test_names_that_collide_on_this_file_system_are_refused(self):
        folding, plain = NameRules(True, True), NameRules(False, False)
        for paths, system in [
            (["A.obj", "a.obj"], "a case-insensitive file system"),
            (["Arm/a.xml", "arm/b.xml"], "a case-insensitive file system"),
            (["\u00e9", "e\u0301"], "a file system that normalizes Unicode"),
            (["\u03c3", "\u03c2"], "a case-insensitive file system"),
        ]:
            with self.subTest(paths=paths):
                with self.assertRaisesRegex(IntegrityError, f"^ada/x: .* collide on {system}\\.$"):
                    refuse_collisions(paths, "ada/x", folding)
                refuse_collisions(paths, "ada/x", plain)
        refuse_collisions(["arm/a", "arm/b", "arms"], "ada/x", folding)


if __name__ == "__main__":
    unittest.main()
