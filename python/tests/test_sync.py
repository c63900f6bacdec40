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

    def test_lays_out_what_the_lock_names_and_nothing_else(self):
        self.lock(self.service, {"robot": "arm"})
        synced = bindery.sync()
        self.assertEqual((synced.folder, synced.placed, synced.unchanged), (self.project / "assets", 2, 0))
        self.assertEqual(self.placed(), {"arm/arm.xml": b"<mujoco/>", "arm/meshes/link.stl": MESH})
        again = bindery.sync(self.project)
        self.assertEqual((again.placed, again.unchanged), (0, 2))

    def test_replaces_what_was_edited_only_by_force_and_leaves_the_rest_alone(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        (self.into / "arm" / "arm.xml").write_bytes(b"<mujoco!>")
        (self.into / "arm" / "mine.txt").write_bytes(b"mine")
        with self.assertRaisesRegex(bindery.BinderyError, "'assets/acme/arms/arm/arm.xml' was edited here; nothing was"):
            bindery.sync()
        self.assertEqual((self.into / "arm" / "arm.xml").read_bytes(), b"<mujoco!>")
        self.assertEqual(bindery.sync(force=True).placed, 1)
        self.assertEqual(self.placed(), CONTENTS | {"arm/mine.txt": b"mine"})

    def test_replaces_what_an_earlier_lock_placed(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        self.service.publish({**CONTENTS, "arm/arm.xml": b"<mujoco model='new'/>"})
        self.lock(self.service, NAMES)
        self.assertEqual(bindery.sync().placed, 1)
        self.assertEqual((self.into / "arm" / "arm.xml").read_bytes(), b"<mujoco model='new'/>")

    def test_needs_no_service_where_the_cache_has_all(self):
        self.lock(self.service, NAMES)
        bindery.sync()
        self.service.close()
        for path in CONTENTS:
            (self.into / path).unlink()
        self.assertEqual(bindery.sync().placed, 3)
        self.assertEqual(self.placed(), CONTENTS)

    def test_gives_the_locked_bytes_though_the_library_moved_on_where_a_mirror_has_them(self):
        self.lock(self.service, NAMES)
        folder = self.mirror(self.service)
        self.service.publish({"arm/arm.xml": b"new"})
        before = len(self.service.requests)
        self.assertEqual(bindery.sync(mirror=str(folder)).placed, 3)
        self.assertEqual(self.placed(), CONTENTS)
        self.assertEqual(len(self.service.requests), before)

    def test_places_nothing_where_anything_is_wrong(self):
        self.lock(self.service, NAMES)
        self.service.on_object = lambda _, rest: rest if rest == b"hand" else rest[:-1] + b"!"
        with self.assertRaises(bindery.IntegrityError):
            bindery.sync()
        self.assertFalse((self.project / "assets").exists())

    def test_never_leaves_the_project_by_a_link(self):
        self.lock(self.service, NAMES)
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        (self.project / "assets").symlink_to(elsewhere)
        with self.assertRaisesRegex(bindery.IntegrityError, "is a link or a file"):
            bindery.sync()
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_makes_no_lock(self):
        with self.assertRaisesRegex(bindery.LockError, "There is no assets.lock in"):
            bindery.sync()
        with self.assertRaisesRegex(ValueError, "run 'bindery sync' on the command line"):
            bindery.sync(frozen=False)

    def test_processes_at_a_time_lay_out_the_same_and_one_that_is_killed_harms_none(self):
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

    def test_the_lock_must_answer_it(self):
        self.write("assets:\n  - use: acme/arms/hand\n    as: robot\n")
        self.assertEqual(bindery.sync().placed, 1)
        self.write("assets: [acme/arms/arm]\n")
        with self.assertRaisesRegex(bindery.LockError, "does not match assets.yml .acme/arms/arm"):
            bindery.sync()

    def test_its_server_must_be_that_of_the_lock(self):
        self.write("server: https://elsewhere.example.org\nassets: [{use: acme/arms/hand, as: robot}]\n")
        with self.assertRaisesRegex(bindery.LockError, "names a different server than assets.yml"):
            bindery.sync()

    def test_its_folder_is_taken(self):
        self.write("folder: models/robots\nassets: [{use: acme/arms/hand, as: robot}]\n")
        bindery.sync()
        self.assertEqual((self.project / "models/robots/acme/arms/hand/hand.glb").read_bytes(), b"hand")

    def test_a_licence_that_it_refuses_stops_all(self):
        service = self.serve(CONTENTS)
        service.licenses = {"hand": "MIT AND GPL-3.0-only"}
        self.lock(service, {"robot": "hand"}, uses=["acme/arms/hand as robot"])
        self.write("deny_licenses: [gpl-3.0-only]\nassets: [{use: acme/arms/hand, as: robot}]\n")
        with self.assertRaisesRegex(bindery.BinderyError, "has the licence MIT AND GPL-3.0-only, which assets.yml refuses"):
            bindery.sync()
        self.assertEqual(service.asked("/objects/"), [])
        self.assertFalse((self.project / "assets").exists())

    def test_what_breaks_a_rule_is_named(self):
        for text, problem in (
            ("assets: [&a x, *a]", "aliases are not allowed"),
            ("folder: a\nfolder: b", "line 2: the key 'folder' stands twice"),
            ("folder: ../x", "/folder: '../x' has an empty"),
            ("execute: rm", "/execute: there is no such key"),
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
    def test_assets_yml_cannot_be_read_and_that_is_said(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"robot": "hand"})
        (self.project / "assets.yml").write_text("assets: []\n")
        script = "import sys; sys.modules['yaml'] = None\ntry:\n  bindery.sync()\nexcept bindery.LockError as error:\n  print(error)"
        printed, problem = self.start(script).communicate()
        self.assertIn("Install the package 'PyYAML'", printed, problem)


if __name__ == "__main__":
    unittest.main()
