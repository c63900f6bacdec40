"""What `load` says where it cannot begin; what it gives is tested in `clients`, with the libraries themselves."""

import sys
import unittest
from unittest import mock

from machine import WithMachine

import bindery


class Load(WithMachine):
    def test_names_what_to_install_before_anything_is_fetched(self):
        service = self.serve({"arm/arm.urdf": b"<robot/>"})
        for library, module, package in [("pinocchio", "pinocchio", "pin"), ("usd", "pxr", "usd-core")]:
            with self.subTest(library), hidden(module):
                message = f"^The package {package} is missing: pip install {package}$"
                with self.assertRaisesRegex(bindery.BinderyError, message):
                    bindery.load("acme/arms/arm", library, endpoint=service.url)
        self.assertEqual(service.requests, [])

    def test_refuses_a_library_that_it_does_not_know(self):
        with self.assertRaisesRegex(ValueError, "unknown library 'blender': expected 'mujoco' or"):
            bindery.load("acme/arms/arm", "blender")


def hidden(module):
    """Imports as on a machine that does not have a module."""

    class Finder:
        def find_spec(self, name, *_):
            if name.partition(".")[0] == module:
                raise ModuleNotFoundError(f"No module named {name!r}", name=module)

    return mock.patch.object(sys, "meta_path", [Finder(), *sys.meta_path])


if __name__ == "__main__":
    unittest.main()
