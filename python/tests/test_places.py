"""Pulling to a place that cannot be used: a clear error, and nothing left behind."""

import errno
import os
import stat
import unittest
from unittest import mock

from hostile_service import WithService, connect

import bindery
from bindery._errors import BinderyError
from bindery._partial import Partial

CONTENTS = {"arm/arm.xml": b"<mujoco/>", "arm/mesh.obj": b"v 0 0 0", "scan/cloud.ply": b"x" * 1_200_000}
NOBODY = 65_534


class Places(WithService):
    def refused(self, reason, service=None):
        """Pulls, which fails with an error of this package that names the place; returns the message."""
        with self.assertRaisesRegex(BinderyError, reason) as caught:
            self.pull(service or self.serve(CONTENTS))
        self.assertIn(str(self.root), str(caught.exception))
        return str(caught.exception)

    def test_a_file_in_place_of_the_folder_is_refused_before_any_request_and_stays(self):
        self.into.write_text("mine")
        service = self.serve(CONTENTS)
        self.refused("is not a folder. Choose another path", service)
        self.assertEqual((self.into.read_text(), service.requests), ("mine", []))
        with self.assertRaisesRegex(BinderyError, "is not a folder"), connect(service.url) as client:
            client.stat("acme/arms", self.into)

    def test_a_folder_below_a_file_is_refused(self):
        self.into.write_text("mine")
        self.into = self.into / "below"
        self.refused("is not a folder")

    def test_a_link_to_a_file_or_to_nothing_is_refused_and_stays(self):
        (self.root / "file").write_text("mine")
        for target in ["file", "nothing"]:
            self.into.symlink_to(self.root / target)
            self.refused("is a link to something that is not a folder")
            self.assertEqual(os.readlink(self.into), str(self.root / target))
            self.into.unlink()
        self.assertEqual(sorted(os.listdir(self.root)), ["file"])

    def test_a_link_to_a_folder_is_that_folder(self):
        (self.root / "real").mkdir()
        self.into.symlink_to(self.root / "real")
        self.pull(self.serve(CONTENTS))
        self.assertEqual((self.root / "real/arm/arm.xml").read_bytes(), b"<mujoco/>")

    def test_a_missing_library_leaves_no_empty_folder(self):
        service = self.serve(CONTENTS)
        service.on_row = lambda handler, _: handler.send(404, b'{"error":"not_found","message":"Nothing."}')
        with self.assertRaises(bindery.NotFound):
            self.pull(service)
        self.assertFalse(self.into.exists())

    def test_a_folder_that_may_not_be_written_or_read_is_refused_and_stays(self):
        self.as_nobody()
        for mode, where in [(0o555, self.into), (0o555, self.root), (0o000, self.into)]:
            with self.subTest(mode=oct(mode), where=where.name):
                self.into.mkdir(exist_ok=True)
                if where == self.root:
                    self.into.rmdir()
                where.chmod(mode)
                try:
                    self.refused("Permission denied")
                finally:
                    where.chmod(stat.S_IRWXU)
                self.assertEqual(self.files(), {})

    def test_a_full_disk_is_reported_and_no_half_written_file_is_in_place(self):
        whole = Partial.append

        def full(part, chunk):
            whole(part, chunk[: len(chunk) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with mock.patch.object(Partial, "append", full):
            self.refused("No space left on device")
        self.assertEqual([path for path in self.files() if not path.endswith(".partial")], [])
        self.pull(self.serve(CONTENTS))
        self.assertEqual({path: content for path, content in self.files().items()}, CONTENTS)

    def as_nobody(self):
        if os.geteuid() == 0:
            os.chown(self.root, NOBODY, NOBODY)
            os.seteuid(NOBODY)
            self.addCleanup(os.seteuid, 0)


class Caches(WithService):
    def test_a_cache_that_is_not_a_folder_is_reported(self):
        service = self.serve(CONTENTS)
        (self.root / "file").write_text("mine")
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.root / "file"), "BINDERY_CONFIG_DIR": str(self.root)}):
            with self.assertRaisesRegex(BinderyError, f"{self.root}/file/bindery.*(Not a directory|could not be written)"):
                bindery.path("acme/arms/arm", file="arm/arm.xml", server=service.url)


if __name__ == "__main__":
    unittest.main()
