"""Single assets are read without the manifest of their library."""

import os
import shutil
import unittest

from hostile_service import sha256
from machine import WithMachine

import bindery

ARM = {"arm/arm.xml": b"<mujoco/>", "arm/link.stl": b"mesh"}
LARGE = ARM | {f"other-{number}/other.obj": b"v %d 0 0" % number for number in range(300)}


class Parts(WithMachine):
    def served(self, contents=LARGE):
        service = self.serve(contents)
        service.entries = {"arm": "arm/arm.xml"}
        os.environ["BINDERY_API_URL"] = service.url
        return service

    def forget(self):
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.project / "assets", ignore_errors=True)
        shutil.rmtree(self.into, ignore_errors=True)

    def detail(self, change):
        """What `on_asset` does to change the detail of an asset."""

        def changed(_, honest):
            change(honest)
            return honest

        return changed

    def test_one_asset_of_a_large_library_costs_what_one_of_a_small_library_does(self):
        uses = {
            "path": lambda: bindery.path("acme/arms/arm"),
            "path of a release": lambda: bindery.path("acme/arms@v1/arm"),
            "path of a name": lambda: bindery.path("robot"),
            "conversion": lambda: bindery.path("acme/arms/arm", as_="mjcf"),
            "pull": lambda: bindery.pull("acme/arms", self.into, asset="arm"),
            "stat": lambda: bindery.stat("acme/arms", self.into, asset="arm"),
            "sync": lambda: bindery.sync(),
        }
        for name, use in uses.items():
            sent = []
            for contents in [ARM, LARGE]:
                service = self.served(contents)
                service.kinds = {"arm": "mjcf"}
                if name in ("path of a name", "sync"):
                    self.lock(service, {"robot": "arm"})
                self.forget()
                use()
                self.assertEqual(service.asked("/manifest"), [], name)
                sent.append(service.sent)
                (self.project / "assets.lock").unlink(missing_ok=True)
            self.assertEqual(sent[0], sent[1], name)

    def test_an_asset_that_a_sync_placed_is_found_and_synced_again_without_the_service(self):
        service = self.served()
        self.lock(service, {"robot": "arm"})
        bindery.sync()
        service.close()
        shutil.rmtree(self.project / "assets")
        self.assertEqual(bindery.sync().placed, 2)
        self.assertEqual(bindery.path("robot").read_bytes(), b"<mujoco/>")

    def test_an_asset_of_a_cached_manifest_needs_no_service(self):
        service = self.served()
        lock = self.lock(service, {"robot": "arm"})
        folder = self.mirror(service)
        bindery.path("robot", mirror=str(folder))
        service.close()
        lock["assets"][0] |= {"name": "other", "asset": "other-7", "digest": "sha256:" + "0" * 64}
        self.write_lock(lock)
        for data in [b"v 7 0 0"]:
            shutil.copytree(folder / "objects" / sha256(data)[:2], self.cache / "objects" / sha256(data)[:2], dirs_exist_ok=True)
        self.assertEqual(bindery.path("acme/arms/other-7").read_bytes(), b"v 7 0 0")

    def test_a_service_that_knows_only_whole_manifests_is_read_as_before(self):
        service = self.served()
        service.is_older = True
        self.assertEqual(bindery.path("acme/arms/arm").read_bytes(), b"<mujoco/>")
        bindery.pull("acme/arms", self.into, asset="arm")
        self.assertEqual(self.files(), ARM)

    def test_an_asset_of_another_manifest_than_the_library_has_is_not_taken(self):
        service = self.served()
        bindery.pull("acme/arms", self.into, asset="arm")
        other = {"path": "arm/arm.xml", "size": 4, "sha256": sha256(b"else")}
        service.on_asset = lambda handler, honest: handler._json(None, honest | {"files": [other]}, Bindery_Manifest="0" * 64)
        self.assertTrue(bindery.stat("acme/arms", self.into, asset="arm").up_to_date)

    def test_an_asset_that_is_replaced_while_it_is_read_is_read_again(self):
        service = self.served()

        def replaced(handler, honest):
            service.on_asset = None
            service.publish({**LARGE, "arm/arm.xml": b"<mujoco model='new'/>"})
            return honest

        service.on_asset = replaced
        self.assertEqual(bindery.path("acme/arms/arm").read_bytes(), b"<mujoco model='new'/>")

    def test_what_is_said_of_a_locked_asset_counts_only_with_the_digest_of_the_lock(self):
        service = self.served()
        self.lock(service, {"robot": "arm"})
        service.objects[sha256(b"evil")] = b"evil"
        evil = {"path": "arm/arm.xml", "size": 4, "sha256": sha256(b"evil")}
        service.on_asset = self.detail(lambda detail: detail.update(files=[evil]))
        for use in [lambda: bindery.path("robot"), lambda: bindery.path("acme/arms/arm")]:
            self.forget()
            self.assertEqual(use().read_bytes(), b"<mujoco/>")
        self.forget()
        bindery.sync()
        self.assertEqual((self.project / "assets/acme/arms/arm/arm.xml").read_bytes(), b"<mujoco/>")
        self.assertEqual(len(service.asked("/manifest")), 3)

    def test_what_one_service_says_of_a_manifest_is_not_believed_of_another(self):
        honest, other = self.serve(ARM), self.serve(ARM)
        entry = bindery.path("acme/arms/arm", file="arm/arm.xml", server=honest.url)
        other.contents["arm/arm.xml"] = b"evil"
        other.objects[sha256(b"evil")] = b"evil"
        other.of_manifest = honest.of_manifest
        self.assertEqual(bindery.path("acme/arms/arm", file="arm/arm.xml", server=other.url).read_bytes(), b"evil")
        self.assertEqual(entry.read_bytes(), b"<mujoco/>")
        self.assertEqual(bindery.path("acme/arms/arm", file="arm/arm.xml", server=honest.url), entry)

    def test_an_asset_is_checked_by_the_rules_of_manifests(self):
        service = self.served()
        for wrong in [{"path": "../evil"}, {"path": ".bindery/evil"}, {"size": -1}, {"sha256": "../../x"}]:
            service.on_asset = self.detail(lambda detail, wrong=wrong: detail["files"][0].update(wrong))
            for use in [lambda: bindery.path("acme/arms/arm"), lambda: bindery.pull("acme/arms", self.into, asset="arm")]:
                with self.assertRaises((bindery.IntegrityError, bindery.ServiceError)):
                    use()
        self.assertFalse(self.into.exists())

    def test_a_record_that_was_tampered_with_places_nothing_outside_the_cache(self):
        from bindery._asset_cache import read_record, write_record

        service = self.served()
        entry = bindery.path("acme/arms/arm")
        record = entry.parents[1] / ".bindery/assets/arm.json"
        value = read_record(record)
        value["manifest"]["assets"][0]["files"][1]["path"] = "../../../evil"
        write_record(record, value)
        with self.assertRaises(bindery.IntegrityError):
            bindery.path("acme/arms/arm")
        self.assertFalse((self.cache.parent / "evil").exists())
        self.assertEqual(service.asked("/manifest"), [])


if __name__ == "__main__":
    unittest.main()
