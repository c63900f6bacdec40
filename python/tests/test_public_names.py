"""What a script sees of the package: its names, their arguments and what they say of themselves."""

import inspect
import os
import time
import unittest

from hostile_service import DETAIL
from machine import WithMachine

import bindery

ERRORS = ["BinderyError", "ContentLost", "IntegrityError", "LockError", "MirrorError", "NotAllowed", "NotFound", "ServiceError", "SignatureError"]
FUNCTIONS = ["add", "connect", "inspect", "load", "path", "pull", "release", "search", "stat", "sync"]
RESULTS = ["Added", "Asset", "AssetFile", "Freshness", "Hit", "MissingFiles", "Pulled", "Release", "SearchResult", "Service", "Synced"]
CONTENTS = {"arm/arm.xml": b"<mujoco/>"}
ROW = {"namespace": "acme", "name": "arms", "revision": 1, "hits": [], "total": 0, "semantic": False, "skipped": []} | DETAIL


class Names(unittest.TestCase):
    def test_the_package_shows_its_public_names_and_nothing_else(self):
        self.assertEqual(dir(bindery), sorted(ERRORS + FUNCTIONS + RESULTS))
        everything = {}
        exec("from bindery import *", everything)
        self.assertEqual(sorted(everything.keys() - {"__builtins__"}), dir(bindery))

    def test_the_package_says_its_version(self):
        self.assertRegex(bindery.__version__, r"^\d+\.\d+\.\d+$")

    def test_every_error_is_a_bindery_error(self):
        for name in ERRORS:
            self.assertTrue(issubclass(getattr(bindery, name), bindery.BinderyError), name)

    def test_a_function_describes_each_of_its_arguments(self):
        methods = [getattr(bindery.Service, name) for name in ("search", "inspect", "stat", "pull", "add", "release")]
        for function in [bindery.connect, bindery.load, bindery.path, bindery.sync, *methods]:
            _, _, described = inspect.getdoc(function).partition("\nArgs:\n")
            for name in inspect.signature(function).parameters:
                if name != "self":
                    with self.subTest(f"{function.__name__}({name})"):
                        self.assertIn(f"    {name}: ", described)
            self.assertIn("\nReturns:\n", described)


class Arguments(WithMachine):
    def calls(self):
        """Every function that sends requests, as a script calls it."""
        return {
            "search": lambda **chosen: bindery.search("arm", "acme/arms", **chosen),
            "inspect": lambda **chosen: bindery.inspect("acme/arms/arm", **chosen),
            "stat": lambda **chosen: bindery.stat("acme/arms", self.into, **chosen),
            "pull": lambda **chosen: bindery.pull("acme/arms", self.into, **chosen),
            "path": lambda **chosen: bindery.path("acme/arms/arm", **chosen),
            "sync": lambda **chosen: bindery.sync(**chosen),
        }

    def forget(self):
        """Gives the machine a new cache and a new folder."""
        self.into = self.root / os.urandom(4).hex()
        os.environ["XDG_CACHE_HOME"] = str(self.into / "cache")

    def test_each_function_takes_the_address_by_both_of_its_names_and_sends_the_token(self):
        for address in ["endpoint", "server"]:
            for name, call in self.calls().items():
                with self.subTest(f"{name}({address}=…)"):
                    self.forget()
                    service = self.serve(CONTENTS)
                    service.on_row = lambda *_: ROW
                    self.lock(service, {"arm": "arm"})
                    call(**{address: service.url, "token": "given"})
                    self.assertIn("Bearer given", service.tokens)

    def test_both_names_of_the_address_at_once_are_refused(self):
        for name, call in {**self.calls(), "connect": bindery.connect}.items():
            with self.subTest(name), self.assertRaisesRegex(ValueError, "are the same argument"):
                call(endpoint="http://127.0.0.1:1", server="http://127.0.0.1:1")

    def test_a_server_that_only_a_lock_names_is_not_sent_a_token_that_was_given_for_another(self):
        service = self.serve(CONTENTS)
        self.lock(service, {"arm": "arm"})
        bindery.path("arm", token="given")
        self.forget()
        bindery.sync(self.project, endpoint="http://127.0.0.1:1", token="given")
        self.assertEqual(set(service.tokens), {None})

    def test_a_service_that_makes_no_progress_within_the_timeout_has_failed(self):
        service = self.serve(CONTENTS)
        service.on_row = lambda *_: time.sleep(60)
        with bindery.connect(service.url, timeout=0.1) as client:
            self.assertRaisesRegex(bindery.ServiceError, "did not answer in time", client.stat, "acme/arms", self.into)

    def test_a_timeout_that_is_not_a_positive_number_of_seconds_is_refused(self):
        for timeout in [0, -1, float("inf"), float("nan")]:
            self.assertRaisesRegex(ValueError, "timeout=", bindery.connect, timeout=timeout)


if __name__ == "__main__":
    unittest.main()
