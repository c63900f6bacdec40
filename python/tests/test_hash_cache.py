"""Files that have not changed are not read again, and none that has is trusted."""

import hashlib
import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from bindery._folder import Folder
from bindery._hash_cache import HashCache


class Hashes(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        environment = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.place / "cache")})
        environment.start()
        self.addCleanup(environment.stop)
        self.folder = self.place / "folder"
        self.folder.mkdir()
        self.file = self.folder / "arm.stl"
        self.file.write_bytes(b"arm")

    def digest(self):
        with HashCache(str(self.folder)) as hashes:
            return Folder(self.folder, hashes).digest("arm.stl")

    def reads(self):
        """Whether the file is read for its digest."""
        with mock.patch("hashlib.file_digest", wraps=hashlib.file_digest) as read:
            self.assertEqual(self.digest(), (len(self.file.read_bytes()), hashlib.sha256(self.file.read_bytes()).hexdigest()))
        return read.called

    def settle(self):
        time.sleep(0.05)

    def test_a_file_is_read_once(self):
        self.settle()
        self.assertTrue(self.reads())
        self.assertFalse(self.reads())

    def test_a_file_that_changed_is_read_again_whatever_its_time_says(self):
        self.settle()
        self.digest()
        times = self.file.stat()
        self.file.write_bytes(b"ARM")
        os.utime(self.file, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertTrue(self.reads())

    def test_a_file_that_was_replaced_by_another_is_read_again(self):
        self.settle()
        self.digest()
        other = self.folder / "other"
        other.write_bytes(b"ARM")
        os.utime(other, ns=(self.file.stat().st_atime_ns, self.file.stat().st_mtime_ns))
        other.replace(self.file)
        self.assertTrue(self.reads())

    def test_a_file_that_changed_just_now_is_not_remembered(self):
        with mock.patch("time.time_ns", return_value=self.file.stat().st_ctime_ns):
            self.digest()
        self.assertTrue(self.reads())

    def test_a_record_that_others_may_write_or_that_is_damaged_counts_as_empty(self):
        self.settle()
        self.digest()
        (record,) = (self.place / "cache/bindery/hashes").iterdir()
        record.chmod(0o666)
        self.assertTrue(self.reads())
        self.digest()
        (record,) = (self.place / "cache/bindery/hashes").iterdir()
        record.write_bytes(record.read_bytes()[:-3])
        self.assertTrue(self.reads())

    def test_what_was_written_is_known_without_reading_unless_it_changed_since(self):
        for changes in (False, True):
            with HashCache(str(self.folder)) as hashes:
                folder = Folder(self.folder, hashes)
                part = folder.begin("arm.stl", hashlib.sha256(b"new").hexdigest())
                part.append(b"new")
                folder.finish(part, "arm.stl")
                part.close()
                if changes:
                    self.settle()
                    self.file.write_bytes(b"own")
            self.assertEqual(self.reads(), changes)


if __name__ == "__main__":
    unittest.main()
