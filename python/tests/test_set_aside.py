"""What a pull does with files that are a person's own."""

import hashlib
import json
import os
import re
import subprocess
import time
import unittest
import warnings
from pathlib import Path

from hostile_service import WithService, connect

from bindery._errors import BinderyError, NotFound
from bindery._edits import PulledContents
from bindery._names import TRUSTED

OLD = {"arm/arm.xml": b"<mujoco/>", "hand/hand.glb": b"hand"}
NEW = {"arm/arm.xml": b"<mujoco model='new'/>", "hand/hand.glb": b"hand"}


class SetAside(WithService):
    def own(self, path, content):
        file = self.into / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def kept(self, service, **options):
        with connect(service.url) as client:
            return client.pull("acme/arms", self.into, **options)

    def test_a_file_that_was_never_pulled_is_set_aside_and_restored_by_the_command_that_is_told(self):
        self.own("arm/arm.xml", b"mine")
        with self.assertWarns(UserWarning) as told:
            pulled = self.pull(self.serve(OLD))
        self.assertEqual((self.into / "arm/arm.xml").read_bytes(), b"<mujoco/>")
        self.assertEqual((pulled.set_aside / "arm/arm.xml").read_bytes(), b"mine")
        command = str(told.warning).split("; ")[1].removesuffix(" restores it.")
        subprocess.run(command, shell=True, check=True)
        self.assertEqual((self.into / "arm/arm.xml").read_bytes(), b"mine")

    def test_an_edited_file_is_set_aside_and_one_as_it_was_pulled_is_not(self):
        service = self.serve(OLD)
        self.pull(service)
        self.own("hand/hand.glb", b"my hand")
        service.publish(NEW)
        with self.assertWarnsRegex(UserWarning, "hand/hand.glb differed"):
            pulled = self.pull(service)
        self.assertEqual([path.name for path in pulled.set_aside.rglob("*.*")], ["hand.glb"])
        service.publish(OLD)
        with warnings.catch_warnings(action="error"):
            self.assertIsNone(self.pull(service).set_aside)

    def test_bytes_that_the_library_has_at_another_path_are_not_set_aside(self):
        self.own("arm/arm.xml", b"hand")
        with warnings.catch_warnings(action="error"):
            self.assertIsNone(self.pull(self.serve(OLD)).set_aside)

    def test_keep_leaves_what_was_edited_and_does_not_restore_what_was_deleted(self):
        service = self.serve(OLD | {"tool/tool.stl": b"tool"})
        self.pull(service)
        self.own("hand/hand.glb", b"my hand")
        (self.into / "tool/tool.stl").unlink()
        service.publish(NEW | {"tool/tool.stl": b"tool"})
        pulled = self.kept(service, keep=True)
        self.assertEqual(pulled.kept, ("hand/hand.glb", "tool/tool.stl"))
        self.assertEqual(self.files(), {"arm/arm.xml": NEW["arm/arm.xml"], "hand/hand.glb": b"my hand"})

    def test_keep_fills_a_folder_of_which_everything_was_deleted(self):
        service = self.serve(OLD)
        self.pull(service)
        for path in OLD:
            (self.into / path).unlink()
        self.kept(service, keep=True)
        self.assertEqual(self.files(), OLD)

    def test_force_sets_nothing_aside(self):
        self.own("arm/arm.xml", b"mine")
        with warnings.catch_warnings(action="error"):
            self.kept(self.serve(OLD), force=True)
        self.assertEqual(self.files(), OLD)
        self.assertRaises(ValueError, self.kept, self.serve(OLD), force=True, keep=True)

    def test_what_was_set_aside_is_deleted_after_30_days_and_nothing_else(self):
        replaced = self.into / ".bindery" / "replaced"
        for name in ["2026-01-02T00-00-00Z", "mine", time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())]:
            self.own(f".bindery/replaced/{name}/arm.xml", b"mine")
        self.pull(self.serve(OLD))
        self.assertNotIn("2026-01-02T00-00-00Z", os.listdir(replaced))
        self.assertEqual(len(os.listdir(replaced)), 2)

    def test_what_a_machine_with_a_wrong_clock_set_aside_is_never_deleted(self):
        self.own(".bindery/replaced/1970-01-01T00-00-09Z/arm.xml", b"mine")
        self.own(".bindery/replaced/2026-13-01T00-00-00Z/arm.xml", b"mine")
        self.pull(self.serve(OLD))
        self.assertEqual(len(os.listdir(self.into / ".bindery" / "replaced")), 2)

    def test_a_pull_after_one_that_failed_sets_aside_into_the_same_folder(self):
        self.own("arm/arm.xml", b"my arm")
        self.own("hand/hand.glb", b"my hand")
        service = self.serve(OLD)

        def without_hand(handler, rest):
            if rest != b"hand":
                return rest
            while not list(self.into.glob(".bindery/replaced/*/arm/arm.xml")):
                time.sleep(0.01)
            handler.send(500, b"{}")

        service.on_object = without_hand
        with warnings.catch_warnings(action="ignore"):
            self.assertRaises(BinderyError, self.pull, service)
            service.on_object = None
            pulled = self.pull(service)
        self.assertEqual(os.listdir(self.into / ".bindery" / "replaced"), [pulled.set_aside.name])
        self.assertEqual((pulled.set_aside / "arm/arm.xml").read_bytes(), b"my arm")
        self.assertEqual((pulled.set_aside / "hand/hand.glb").read_bytes(), b"my hand")

    def test_a_link_in_place_of_the_folder_for_it_is_never_entered(self):
        outside = self.root / "outside"
        outside.mkdir()
        self.own("arm/arm.xml", b"mine")
        (self.into / ".bindery").symlink_to(outside)
        with self.assertRaises(BinderyError):
            self.pull(self.serve(OLD))
        self.assertEqual(os.listdir(outside), [])
        self.assertEqual((self.into / "arm/arm.xml").read_bytes(), b"mine")

    def test_what_the_command_line_recorded_counts_as_pulled(self):
        service = self.serve(OLD)
        self.own("hand/hand.glb", b"older hand")
        files = [["hand/hand.glb", hashlib.sha256(b"older hand").hexdigest()]]
        body = json.dumps({"base": {"rootFiles": [], "assets": [["hand", None, files]]}, "arriving": []}).encode()
        name = hashlib.sha256("\n".join([os.path.realpath(self.into), service.url, "acme/arms"]).encode()).hexdigest()[:32]
        record = Path(os.environ["XDG_STATE_HOME"], "bindery", "folders", f"{name}.json")
        record.parent.mkdir(parents=True)
        record.write_bytes(b"bindery-base 1 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        self.assertTrue(PulledContents(str(self.into), service.url, "acme/arms").had("hand/hand.glb"))
        with warnings.catch_warnings(action="error"):
            self.assertIsNone(self.pull(service).set_aside)


class TrustedNames(WithService):
    def test_files_that_other_programs_trust_are_not_placed_and_listed(self):
        hooks = {"arm/.git/hooks/post-checkout": b"#!/bin/sh", "arm/.VSCode/tasks.json": b"{}"}
        with self.assertWarnsRegex(UserWarning, "Skipped 2 files"):
            pulled = self.pull(self.serve(OLD | hooks))
        self.assertEqual(sorted(pulled.refused), sorted(hooks))
        self.assertEqual(self.files(), OLD)

    def test_a_folder_that_other_programs_trust_is_refused_as_a_target(self):
        service = self.serve(OLD)
        self.into = self.root / ".ssh" / "keys"
        self.assertRaisesRegex(BinderyError, "'.ssh', which other programs run or trust", self.pull, service)
        self.assertFalse(self.into.exists())

    def test_the_names_are_those_of_the_command_line(self):
        source = (Path(__file__).parents[2] / "packages/sdk/src/tree/names.ts").read_text()
        start = source.index("const TRUSTED = new Set([")
        listed = source[start : source.index("]);", start)]
        self.assertEqual(set(re.findall(r"'([^']+)'", listed)), TRUSTED)


class Addresses(WithService):
    def test_an_asset_is_pulled_inspected_and_compared_by_one_address(self):
        service = self.serve(OLD)
        with connect(service.url) as client:
            self.assertEqual(client.pull("acme/arms/hand", self.into).fetched, 1)
            self.assertTrue(client.stat("acme/arms/hand", self.into).up_to_date)
            self.assertRaisesRegex(ValueError, "conflicting assets", client.pull, "acme/arms/hand", self.into, asset="arm")
            self.assertRaisesRegex(ValueError, "invalid library", client.pull, "arms", self.into)

    def test_several_assets_are_pulled_and_compared_at_once(self):
        service = self.serve(OLD | {"leg/leg.glb": b"leg"})
        with connect(service.url) as client:
            pulled = client.pull("acme/arms", self.into, asset=["hand", "leg"])
            self.assertEqual((pulled.fetched, pulled.entry), (2, None))
            self.assertEqual(sorted(self.files()), ["hand/hand.glb", "leg/leg.glb"])
            self.assertTrue(client.stat("acme/arms", self.into, asset=["hand", "leg"]).up_to_date)
            with self.assertRaisesRegex(NotFound, "no asset 'foot'"):
                client.pull("acme/arms", self.into, asset=["hand", "foot"])
            with self.assertRaisesRegex(ValueError, "no assets given"):
                client.pull("acme/arms", self.into, asset=[])

    def test_a_release_is_asked_for_in_every_request(self):
        service = self.serve(OLD)
        with connect(service.url) as client:
            client.pull("acme/arms@v1/hand", self.into)
        asked = [path for path, _ in service.requests if "/libraries/" in path]
        self.assertEqual([path for path in asked if not path.endswith("?release=v1")], [])


if __name__ == "__main__":
    unittest.main()
