"""Signed releases: `bindery.sync` requires signatures, and remembers what it has seen of their logs."""

import json
import subprocess
import unittest
from importlib.util import find_spec

from hostile_service import sha256
from machine import WithMachine

import bindery
from bindery._signature_log import Entry, SignatureLog

CONTENTS = {"arm/arm.xml": b"<mujoco/>", "hand/hand.glb": b"hand"}


@unittest.skipUnless(find_spec("cryptography"), "cryptography is not installed")
class Signatures(WithMachine):
    def setUp(self):
        super().setUp()
        self.service = self.serve(CONTENTS)
        self.into = self.project / "assets" / "acme" / "arms"
        self.key, self.other = self.make_key("key"), self.make_key("other")
        self.add(f"allow: {self.public(self.key)}")
        self.release("v1")
        self.lock(self.service, {"robot": "arm"}, library={"release": "v1"})

    def make_key(self, name):
        file = self.root / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
        return file

    def public(self, key):
        return " ".join(key.with_suffix(".pub").read_text().split()[:2])

    def add(self, said, key=None):
        log = SignatureLog("acme/arms", [Entry(**entry) for entry in self.service.signatures])
        place = len(self.service.signatures)
        statement = (
            f"bindery signature log\nlibrary: acme/arms\nentry: {place}\nroot: {log.root()}\n"
            f"time: 2026-03-01T12:00:00Z\n{said}\n"
        )
        words = ["ssh-keygen", "-Y", "sign", "-n", "bindery", "-f", key or self.key]
        signed = subprocess.run(words, input=statement.encode(), capture_output=True, check=True)
        self.service.signatures.append({"statement": statement, "signature": signed.stdout.decode()})

    def release(self, name):
        data = json.dumps(self.service.manifest()).encode()
        self.add(f"release: {name}\nrevision: {self.service.revision}\nmanifest: {sha256(data)} {len(data)}")

    def refused(self, problem, **options):
        with self.assertRaises(bindery.SignatureError) as caught:
            bindery.sync(require_signed=True, **options)
        self.assertEqual(caught.exception.problem, problem)
        self.assertFalse(self.into.exists())

    def signers(self, key, libraries="acme/*"):
        file = self.root / "signers"
        file.write_text(f"# those that we know\n{libraries} {self.public(key)} somebody\n")
        return file

    def test_a_signed_release_is_synced_and_again_when_its_service_is_gone(self):
        self.assertEqual(bindery.sync(require_signed=True, signers=self.signers(self.key)).placed, 1)
        self.service.close()
        self.assertEqual(bindery.sync(require_signed=True).unchanged, 1)

    def test_what_nobody_signed_is_refused(self):
        signatures, self.service.signatures = self.service.signatures, []
        self.refused("unsigned")
        self.service.signatures = signatures[:1]
        self.refused("unsigned")

    def test_other_contents_than_those_that_were_signed_are_refused(self):
        self.service.publish({**CONTENTS, "arm/arm.xml": b"<evil/>"})
        self.lock(self.service, {"robot": "arm"}, library={"release": "v1"})
        self.refused("other_contents")

    def test_signers_that_are_not_trusted_are_refused(self):
        self.refused("untrusted_signer", signers=self.signers(self.other))
        self.refused("untrusted_signer", signers=self.signers(self.key, "other/*"))
        with self.assertRaisesRegex(ValueError, "signers need require_signed=True"):
            bindery.sync(signers=self.signers(self.key))

    def test_a_list_of_signers_with_options_that_would_be_ignored_is_refused(self):
        file = self.signers(self.key, 'acme/* valid-before="20200101"')
        with self.assertRaisesRegex(bindery.BinderyError, "signers:2: expected libraries and an Ed25519 key"):
            bindery.sync(require_signed=True, signers=file)

    def test_a_log_that_lost_what_was_seen_is_refused_and_so_is_a_memory_that_was_edited(self):
        bindery.sync(require_signed=True)
        last = self.service.signatures.pop()
        with self.assertRaises(bindery.SignatureError) as caught:
            bindery.sync(require_signed=True)
        self.assertEqual(caught.exception.problem, "truncated_log")
        self.service.signatures.append(last)
        (memory,) = (self.home / "state" / "bindery" / "signatures").iterdir()
        memory.write_bytes(memory.read_bytes().replace(b"acme/arms", b"acme/legs"))
        with self.assertRaises(bindery.SignatureError) as caught:
            bindery.sync(require_signed=True)
        self.assertEqual(caught.exception.problem, "damaged_memory")

    def test_what_a_service_says_of_a_single_asset_is_not_believed(self):
        evil = self.serve({**CONTENTS, "arm/arm.xml": b"<evil/>"})
        value = self.lock(evil, {"robot": "arm"})
        honest = json.dumps(self.service.manifest()).encode()
        value["libraries"]["acme/arms"] |= {
            "server": self.service.url,
            "release": "v1",
            "manifest": {"sha256": sha256(honest), "size": len(honest)},
        }
        self.write_lock(value)
        self.service.on_asset = lambda _handler, _honest: evil.asset("arm")
        with self.assertRaisesRegex(bindery.IntegrityError, "does not match its manifest"):
            bindery.sync(require_signed=True)
        self.assertFalse(self.into.exists())

    def test_a_mirror_brings_the_log_with_it(self):
        folder = self.mirror(self.service)
        place = folder / "signatures" / "acme"
        place.mkdir(parents=True)
        (place / "arms.json").write_text(json.dumps({"entries": self.service.signatures}))
        self.service.close()
        self.assertEqual(bindery.sync(require_signed=True, mirror=str(folder)).placed, 1)
        (place / "arms.json").write_text(json.dumps({"entries": self.service.signatures[:1]}))
        self.assertEqual(bindery.sync(require_signed=True, mirror=str(folder)).unchanged, 1)


if __name__ == "__main__":
    unittest.main()
