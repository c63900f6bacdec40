"""`bindery.sync`: the assets of a project, placed as its lock specifies."""

import os
import random
import signal
import unittest
from importlib.util import find_spec

from hostile_service import sha256
from machine import WithMachine

import bindery

MESH = random.Random(4).randbytes(1_100_000)
CONTENTS = {"arm/arm.xml": b"<mujoco/>", "arm/meshes/link.stl": MESH, "hand/hand.glb": b"hand"}
NAMES = {"robot": "arm", "gripper": "hand"}


class Sync(WithMachine):
    def setUp(self):
        super().setUp()
        self.service = self.serve(CONTENTS)
        self.into = self.project / "assets" / "acme" / "arms"

    def placed(self):
        return self.files()

    def test_places_the_files_that_the_lock_names_and_nothing_else(self):
        self.lock(self.service, {"robot": "arm"})
        synced = bindery.sync()
        self.assertEqual((synced.folder, synced.placed, synced.unchanged), (self.project / "assets", 2, 0))
        self.assertEqual(self.placed(), {"arm/arm.xml": b"<mujoco/>", "arm/meshes/link.stl": MESH})
        again = bindery.sync(self.project)
        self.assertEqual((again.placed, again.unchanged), (0, 2))

    def test_replaces_edited_files_only_with_force_and_keeps_unrelated_files(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        (self.into / "arm" / "arm.xml").write_bytes(b"<mujoco!>")
        (self.into / "arm" / "mine.txt").write_bytes(b"mine")
        with self.assertRaisesRegex(bindery.BinderyError, "'assets/acme/arms/arm/arm.xml' was edited locally; nothing was"):
            bindery.sync()
        self.assertEqual((self.into / "arm" / "arm.xml").read_bytes(), b"<mujoco!>")
        self.assertEqual(bindery.sync(force=True).placed, 1)
        self.assertEqual(self.placed(), CONTENTS | {"arm/mine.txt": b"mine"})

    def test_replaces_files_that_an_earlier_lock_placed(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        self.service.publish({**CONTENTS, "arm/arm.xml": b"<mujoco model='new'/>"})
        self.lock(self.service, NAMES)
        self.assertEqual(bindery.sync().placed, 1)
        self.assertEqual((self.into / "arm" / "arm.xml").read_bytes(), b"<mujoco model='new'/>")

    def test_works_without_the_service_if_the_cache_has_every_file(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        self.service.close()
        for path in CONTENTS:
            (self.into / path).unlink()
        self.assertEqual(bindery.sync().placed, 3)
        self.assertEqual(self.placed(), CONTENTS)

    def test_places_the_locked_files_from_a_mirror_after_the_library_has_changed(self):
        self.lock(self.service, NAMES)
        folder = self.mirror(self.service)
        self.service.publish({"arm/arm.xml": b"new"})
        before = len(self.service.requests)
        self.assertEqual(bindery.sync(mirror=str(folder)).placed, 3)
        self.assertEqual(self.placed(), CONTENTS)
        self.assertEqual(len(self.service.requests), before)

    def test_places_nothing_if_any_file_fails_verification(self):
        self.lock(self.service, NAMES)
        self.service.on_object = lambda _, rest: rest if rest == b"hand" else rest[:-1] + b"!"
        with self.assertRaises(bindery.IntegrityError):
            bindery.sync()
        self.assertFalse((self.project / "assets").exists())

    def test_refuses_to_leave_the_project_through_a_symlink(self):
        self.lock(self.service, NAMES)
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        (self.project / "assets").symlink_to(elsewhere)
        with self.assertRaisesRegex(bindery.IntegrityError, "is a link or a file"):
            bindery.sync()
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_requires_a_lock_and_refuses_frozen_false(self):
        with self.assertRaisesRegex(bindery.LockError, "No assets.lock found in"):
            bindery.sync()
        with self.assertRaisesRegex(ValueError, "run 'bindery sync' on the command line"):
            bindery.sync(frozen=False)

    def test_a_cache_that_cannot_be_written_is_told_and_the_files_are_placed_all_the_same(self):
        self.lock(self.service, NAMES)
        self.cache.parent.mkdir(parents=True)
        self.cache.write_text("in the way")
        with self.assertWarnsRegex(UserWarning, "is not writable .Not a directory"):
            bindery.sync()
        self.assertEqual((self.project / "assets/acme/arms/hand/hand.glb").read_bytes(), b"hand")

    def test_concurrent_processes_place_the_same_files_even_if_one_is_killed(self):
        self.lock(self.service, NAMES)
        processes = [self.start("print(bindery.sync().placed)") for _ in range(4)]
        processes[0].send_signal(signal.SIGKILL)
        for process in processes:
            _, problem = process.communicate()
            if process is not processes[0]:
                self.assertEqual(process.returncode, 0, problem)
        bindery.sync()
        self.assertEqual(self.placed(), CONTENTS)


@unittest.skipUnless(find_spec("yaml"), "PyYAML is not installed")
class BesideAssetsYml(WithMachine):
    def setUp(self):
        super().setUp()
        self.service = self.serve(CONTENTS)
        self.lock(self.service, {"robot": "hand"}, uses=["acme/arms/hand as robot"])

    def write(self, text):
        (self.project / "assets.yml").write_text(text)

    def test_a_lock_that_does_not_match_assets_yml_is_refused(self):
        self.write("assets:\n  - use: acme/arms/hand\n    as: robot\n")
        self.assertEqual(bindery.sync().placed, 1)
        self.write("assets: [acme/arms/arm]\n")
        with self.assertRaisesRegex(bindery.LockError, "does not match assets.yml .acme/arms/arm"):
            bindery.sync()

    def test_a_lock_with_a_different_server_than_assets_yml_is_refused(self):
        self.write("server: https://elsewhere.example.org\nassets: [{use: acme/arms/hand, as: robot}]\n")
        with self.assertRaisesRegex(bindery.LockError, "names a different server than assets.yml"):
            bindery.sync()

    def test_files_are_placed_in_the_folder_that_assets_yml_names(self):
        self.write("folder: models/robots\nassets: [{use: acme/arms/hand, as: robot}]\n")
        bindery.sync()
        self.assertEqual((self.project / "models/robots/acme/arms/hand/hand.glb").read_bytes(), b"hand")

    def test_a_denied_licence_stops_the_sync_before_anything_is_fetched(self):
        service = self.serve(CONTENTS)
        service.licenses = {"hand": "MIT AND GPL-3.0-only"}
        self.lock(service, {"robot": "hand"}, uses=["acme/arms/hand as robot"])
        self.write("deny_licenses: [gpl-3.0-only]\nassets: [{use: acme/arms/hand, as: robot}]\n")
        with self.assertRaisesRegex(bindery.BinderyError, "has the licence MIT AND GPL-3.0-only, which assets.yml denies"):
            bindery.sync()
        self.assertEqual(service.asked("/objects/"), [])
        self.assertFalse((self.project / "assets").exists())

    def test_an_invalid_assets_yml_is_refused_with_the_problem(self):
        for text, problem in (
            ("assets: [&a x, *a]", "aliases are not allowed"),
            ("folder: a\nfolder: b", "line 2: duplicate key 'folder'"),
            ("folder: ../x", "/folder: '../x' has an empty"),
            ("execute: rm", "/execute: unknown key"),
            ("assets: {}", "/assets: must be a list"),
            ("assets: [", "line 1"),
            ("a: " * 3_000, "assets.yml"),
            ("[" * 100_000, "assets.yml"),
        ):
            with self.subTest(text[:20]):
                self.write(text)
                with self.assertRaisesRegex(bindery.LockError, problem):
                    bindery.sync()


class WithoutPyYaml(WithMachine):
    def test_the_error_for_an_unreadable_assets_yml_suggests_installing_pyyaml(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"robot": "hand"})
        (self.project / "assets.yml").write_text("assets: []\n")
        script = "import sys; sys.modules['yaml'] = None\ntry:\n  bindery.sync()\nexcept bindery.LockError as error:\n  print(error)"
        printed, problem = self.start(script).communicate()
        self.assertIn("Install the package 'PyYAML'", printed, problem)


if __name__ == "__main__":
    unittest.main()
