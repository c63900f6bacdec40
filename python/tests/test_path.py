"""`bindery.path`: the entry file of an asset, fetched once."""

import os
import random
import signal
import unittest

from hostile_service import sha256
from machine import WithMachine

import bindery
from bindery._object_cache import stamp_of

MESH = random.Random(3).randbytes(1_300_000)
CONTENTS = {"arm/arm.xml": b"<mujoco/>", "arm/meshes/link.stl": MESH, "hand/hand.glb": b"hand"}


class Path(WithMachine):
    def served(self, contents=CONTENTS):
        service = self.serve(contents)
        service.entries = {"arm": "arm/arm.xml"}
        os.environ["BINDERY_API_URL"] = service.url
        return service

    def test_fetches_the_whole_asset_once_and_then_sends_no_requests(self):
        service = self.served()
        entry = bindery.path("acme/arms/arm")
        self.assertEqual(entry.name, "arm.xml")
        self.assertEqual((entry.parent / "meshes" / "link.stl").read_bytes(), MESH)
        self.assertFalse((entry.parents[1] / "hand").exists())
        before = len(service.requests)
        self.assertEqual(bindery.path("acme/arms/arm"), entry)
        self.assertEqual(len(service.requests), before)

    def test_takes_files_shared_with_another_revision_from_the_cache(self):
        service = self.served()
        old = bindery.path("acme/arms/arm")
        service.publish({**CONTENTS, "arm/arm.xml": b"<mujoco model='new'/>"})
        self.assertEqual(bindery.path("acme/arms/arm"), old)
        new = bindery.path("acme/arms/arm", refresh=True)
        self.assertEqual(new.read_bytes(), b"<mujoco model='new'/>")
        self.assertEqual(old.read_bytes(), b"<mujoco/>")
        self.assertEqual(len(service.asked(sha256(MESH))), 1)
        self.assertEqual(bindery.path("acme/arms/arm"), new)

    def test_fetches_an_asset_that_was_published_later(self):
        service = self.served()
        bindery.path("acme/arms/arm")
        service.publish({**CONTENTS, "leg/leg.glb": b"leg"})
        self.assertEqual(bindery.path("acme/arms/leg").read_bytes(), b"leg")

    def test_requests_the_release_that_an_address_names(self):
        service = self.served()
        bindery.path("acme/arms@v1.2/arm")
        for request in ("libraries/arms?release=v1.2", "assets/arm?release=v1.2", "files-presign?release=v1.2"):
            self.assertTrue(service.asked(request), request)

    def test_returns_the_only_file_if_no_entry_is_declared_or_the_file_that_is_named(self):
        self.served()
        self.assertEqual(bindery.path("acme/arms/hand").read_bytes(), b"hand")
        self.assertEqual(bindery.path("acme/arms/arm", file="arm/meshes/link.stl").read_bytes(), MESH)
        with self.assertRaisesRegex(bindery.BinderyError, "has no file 'hand/hand.glb'"):
            bindery.path("acme/arms/arm", file="hand/hand.glb")

    def test_returns_the_file_of_an_entry_point_by_its_name_also_of_an_asset_that_a_lock_names(self):
        service = self.served()
        service.entry_points = {"arm": {"link": {"kind": "mesh", "file": "arm/meshes/link.stl"}}}
        self.lock(service, {"gripper": "arm"})
        for name in ["gripper", "acme/arms/arm"]:
            with self.subTest(name):
                self.assertEqual(bindery.path(name, entry_point="link").read_bytes(), MESH)
                self.assertEqual(bindery.path(name).name, "arm.xml")
                with self.assertRaisesRegex(bindery.BinderyError, "has no entry point 'scene'; it has 'link'"):
                    bindery.path(name, entry_point="scene")
                for other in [{"file": "arm/arm.xml"}, {"as_": "urdf"}]:
                    self.assertRaisesRegex(ValueError, "mutually exclusive", bindery.path, name, entry_point="link", **other)

    def test_raises_an_error_that_says_to_name_a_file_if_no_entry_is_declared(self):
        service = self.served()
        service.entries = {}
        with self.assertRaisesRegex(bindery.BinderyError, "declares no entry. Choose one of its 2 files"):
            bindery.path("acme/arms/arm")

    def test_files_are_read_only_and_stored_in_the_cache_as_the_command_line_stores_them(self):
        self.served()
        entry = bindery.path("acme/arms/arm")
        held = self.object(b"<mujoco/>")
        self.assertEqual(entry.stat().st_mode & 0o777, 0o444)
        self.assertEqual(held.stat().st_mtime_ns, stamp_of(sha256(b"<mujoco/>")))
        self.assertTrue(entry.samefile(held))

    def test_a_damaged_or_missing_file_is_restored_before_it_is_used(self):
        service = self.served()
        entry = bindery.path("acme/arms/arm")
        for damage in (b"<mujoco!>", b"", b"<mujoco/> and more"):
            os.chmod(entry, 0o644)
            entry.write_bytes(damage)
            self.assertEqual(bindery.path("acme/arms/arm").read_bytes(), b"<mujoco/>")
        entry.unlink()
        self.object(MESH).unlink()
        self.assertEqual(bindery.path("acme/arms/arm").read_bytes(), b"<mujoco/>")
        self.assertEqual(len(service.asked(sha256(MESH))), 1)

    def poison(self, file, content):
        """Writes other bytes of the same size with the stamp of the right ones."""
        name, stats = file.name, file.stat()
        os.chmod(file, 0o644)
        file.write_bytes(content)
        os.chmod(file, 0o444)
        os.utime(file, ns=(stats.st_mtime_ns, stats.st_mtime_ns))
        self.assertEqual((file.name, file.stat().st_size), (name, stats.st_size))

    def test_a_cache_that_was_written_elsewhere_is_not_believed(self):
        self.served()
        bindery.path("acme/arms/arm")
        self.poison(self.object(b"<mujoco/>"), b"<mujoc0/>")
        # As a build restores it, or as it is copied from another machine: with another file as the mark.
        mark = self.cache / "mark"
        text = mark.read_text()
        mark.rename(mark.with_name("other"))
        mark.write_text(text)
        self.assertEqual(self.read_by_script(), "<mujoco/>")

    def test_an_entry_that_another_user_owns_or_may_write_to_is_not_believed(self):
        self.served()
        bindery.path("acme/arms/arm")
        changes = [lambda file: os.chmod(file, 0o464)]
        if os.geteuid() == 0:
            changes.append(lambda file: os.chown(file, 65534, 65534))
        for change in changes:
            held = self.object(b"<mujoco/>")
            self.poison(held, b"<mujoc0/>")
            change(held)
            self.assertEqual(self.read_by_script(), "<mujoco/>")

    def read_by_script(self):
        process = self.start("print(bindery.path('acme/arms/arm').read_text())")
        printed, problem = process.communicate()
        self.assertEqual(process.returncode, 0, problem)
        return printed.strip()

    def test_a_file_with_only_a_new_timestamp_is_verified_and_not_fetched(self):
        service = self.served()
        entry = bindery.path("acme/arms/arm")
        os.utime(entry)
        before = len(service.requests)
        self.assertEqual(bindery.path("acme/arms/arm").read_bytes(), b"<mujoco/>")
        self.assertEqual(len(service.requests), before)
        self.assertEqual(entry.stat().st_mtime_ns, stamp_of(sha256(b"<mujoco/>")))

    def test_wrong_bytes_are_never_stored(self):
        service = self.served()
        service.on_object = lambda _, rest: bytes(len(rest))
        with self.assertRaises(bindery.IntegrityError):
            bindery.path("acme/arms/arm")
        self.assertFalse(self.object(MESH).exists())
        self.assertEqual(list((self.cache / "objects" / "tmp").iterdir()), [])

    def test_invalid_addresses_and_missing_assets_are_reported(self):
        self.served()
        for text in ("acme/arms", "acme//arm", "acme/arms@latest/arm", "acme/arms@/arm", "../../etc/x", "acme/arms/../x"):
            with self.assertRaisesRegex(ValueError, "invalid asset"):
                bindery.path(text)
        with self.assertRaises(bindery.NotFound):
            bindery.path("acme/arms/nothing")

    def test_a_name_without_a_lock_raises_an_error(self):
        with self.assertRaisesRegex(bindery.LockError, "^No assets.lock found in .* or any parent directory .needed to resolve 'mug'"):
            bindery.path("mug")


class WithALock(WithMachine):
    def test_a_name_is_looked_up_in_the_nearest_lock(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"gripper": "hand"})
        deep = self.project / "deep" / "er"
        deep.mkdir(parents=True)
        os.chdir(deep)
        self.assertEqual(bindery.path("gripper").read_bytes(), b"hand")
        with self.assertRaisesRegex(bindery.LockError, "has no asset 'arm'"):
            bindery.path("arm")

    def test_an_address_is_resolved_by_the_lock_and_served_from_the_cache_offline(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        bindery.path("acme/arms/hand")
        service.close()
        self.assertEqual(bindery.path("acme/arms/hand").read_bytes(), b"hand")
        self.assertEqual(bindery.path("arm").read_bytes(), b"hand")

    def test_the_error_for_a_missing_revision_says_that_a_release_would_keep_it(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        service.publish({**CONTENTS, "hand/hand.glb": b"another"})
        with self.assertRaisesRegex(bindery.LockError, "acme/arms revision 1 no longer exists. Releases are kept"):
            bindery.path("arm")

    def test_a_digest_that_differs_from_the_manifest_is_refused(self):
        service = self.serve(CONTENTS)
        lock = self.lock(service, {"arm": "hand"})
        lock["assets"][0]["digest"] = "sha256:" + "ab" * 32
        self.write_lock(lock)
        with self.assertRaisesRegex(bindery.IntegrityError, "does not match its manifest: digest"):
            bindery.path("arm")

    def test_the_entry_comes_from_the_lock_and_must_be_a_file_of_the_asset(self):
        service = self.serve(CONTENTS)
        lock = self.lock(service, {"robot": "arm"})
        lock["assets"][0]["entry"] = "arm/arm.xml"
        self.write_lock(lock)
        self.assertEqual(bindery.path("robot").read_bytes(), b"<mujoco/>")
        lock["assets"][0]["entry"] = "hand/hand.glb"
        self.write_lock(lock)
        with self.assertRaisesRegex(bindery.IntegrityError, "does not match its manifest: digest or entry"):
            bindery.path("robot")

    def test_a_server_that_only_the_lock_names_is_sent_no_token(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        os.environ["BINDERY_TOKEN"] = "secret"
        bindery.path("arm")
        self.assertEqual(set(service.tokens), {None})

    def test_the_server_of_the_environment_is_sent_the_token(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        os.environ |= {"BINDERY_TOKEN": "mine", "BINDERY_API_URL": service.url}
        bindery.path("arm")
        self.assertIn("Bearer mine", service.tokens)


class FromAMirror(WithMachine):
    def test_every_byte_comes_from_the_mirror(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        folder = self.mirror(service)
        service.close()
        self.assertEqual(bindery.path("arm", mirror=str(folder)).read_bytes(), b"hand")

    def test_the_service_resolves_an_address_and_the_mirror_provides_the_bytes(self):
        service = self.serve(CONTENTS)
        folder = self.mirror(service)
        bindery.path("acme/arms/hand", mirror=folder.as_uri(), server=service.url)
        self.assertEqual(service.asked("/objects/"), [])
        self.assertEqual(service.asked("files-presign"), [])


class ManyProcesses(WithMachine):
    def test_fetch_into_one_cache_concurrently(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand", "robot": "arm"})
        script = "print(bindery.path('arm').read_text()); print(bindery.path('robot', file='arm/meshes/link.stl'))"
        processes = [self.start(script) for _ in range(4)]
        for process in processes:
            printed, problem = process.communicate()
            self.assertEqual((process.returncode, printed.split("\n")[0]), (0, "hand"), problem)
        self.assertEqual(self.object(MESH).read_bytes(), MESH)
        self.assertEqual(list((self.cache / "objects" / "tmp").iterdir()), [])

    def test_that_start_together_with_an_empty_cache_fetch_each_file_once(self):
        service = self.serve(CONTENTS)
        os.environ["BINDERY_API_URL"] = service.url
        processes = [self.start("bindery.path('acme/arms/arm', file='arm/arm.xml')") for _ in range(8)]
        for process in processes:
            _, problem = process.communicate()
            self.assertEqual(process.returncode, 0, problem)
        self.assertEqual(len(service.asked("/objects/")), 2)

    def test_a_killed_process_leaves_no_incomplete_object_in_the_cache(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"robot": "arm"})
        script = "bindery.path('robot', file='arm/arm.xml')"
        victims = []

        def half(handler, rest):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(rest)))
            handler.end_headers()
            handler.wfile.write(rest[: len(rest) // 2])
            handler.wfile.flush()
            victims[0].send_signal(signal.SIGKILL)

        service.on_object = half
        victims.append(self.start(script))
        self.assertEqual(victims[0].wait(), -signal.SIGKILL)
        victims[0].communicate()
        self.assertFalse(self.object(MESH).exists())
        service.on_object = None
        self.assertEqual(bindery.path("robot", file="arm/meshes/link.stl").read_bytes(), MESH)


class WhatIsLoaded(WithMachine):
    def test_a_cached_asset_is_returned_without_importing_network_modules(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "hand"})
        bindery.path("arm")
        script = (
            "import sys; bindery.path('arm')\n"
            "print([name for name in ('http.client', 'ssl', 'urllib.request', 'concurrent.futures', 'yaml') if name in sys.modules])"
        )
        printed, problem = self.start(script).communicate()
        self.assertEqual(printed, "[]\n", problem)


if __name__ == "__main__":
    unittest.main()
