"""Licences that a project refuses, and uses in the notation of the lock."""

import unittest
from importlib.util import find_spec

from machine import WithMachine

from bindery._project import is_denied
from bindery._project import read_project

DENIED = ["GPL-3.0-only", "AGPL-3.0-only WITH Some-exception", "Odd terms"]


class Licenses(unittest.TestCase):
    def test_an_expression_that_cannot_be_met_without_a_denied_licence_is_denied(self):
        for text, denied in {
            "GPL-3.0-only": True,
            "gpl-3.0-ONLY": True,
            "GPL-3.0-only+": True,
            "MIT": False,
            "MIT AND GPL-3.0-only": True,
            "MIT OR GPL-3.0-only": False,
            "GPL-3.0-only OR (MIT AND GPL-3.0-only)": True,
            "(MIT OR Apache-2.0) AND (BSD-3-Clause OR GPL-3.0-only)": False,
            "AGPL-3.0-only": False,
            "AGPL-3.0-only WITH Some-exception": True,
            "odd terms": True,
            "Odd terms, and more": False,
            "(" * 5_000: False,
            "": False,
        }.items():
            with self.subTest(text[:60]):
                self.assertEqual(is_denied(text, DENIED), denied)


@unittest.skipUnless(find_spec("yaml"), "PyYAML is not installed")
class Uses(WithMachine):
    def test_are_read_in_the_notation_and_order_of_the_lock(self):
        (self.project / "assets.yml").write_text(
            "folder: models/\n"
            "assets:\n"
            "  - ada/robots?tag=arm&kind=mjcf\n"
            "  - {use: ada/kitchen@v1.2/mug, as: mug}\n"
            "  - use: ada/kitchen@v1.2/plate\n"
            "    as: dish\n"
            "  - ada/kitchen@v1.2/mug-?\n"
            "  - ada/kitchen@v1.2/mug\n"
        )
        project = read_project(str(self.project))
        self.assertEqual(project.folder, "models")
        self.assertEqual(
            project.uses,
            (
                "ada/kitchen@v1.2/mug",
                "ada/kitchen@v1.2/mug-?",
                "ada/kitchen@v1.2/plate as dish",
                "ada/robots?kind=mjcf&tag=arm",
            ),
        )


if __name__ == "__main__":
    unittest.main()
