"""Which file of an asset a reference in a model means."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bindery._references import References  # noqa: E402

FILES = [
    "arm/urdf/arm.urdf",
    "arm/meshes/visual/link.stl",
    "arm/meshes/collision/link.stl",
    "arm/meshes/Base.STL",
    "hand/meshes/visual/link.stl",
    "hand/meshes/finger.stl",
]


class AReference(unittest.TestCase):
    def resolved(self, reference, source="arm/urdf/arm.urdf"):
        return References(Path("/cache"), source, FILES).resolve(reference).removeprefix("/cache/")

    def test_is_relative_to_its_file(self):
        self.assertEqual(self.resolved("../meshes/collision/link.stl"), "arm/meshes/collision/link.stl")
        self.assertEqual(self.resolved("../meshes/../meshes/Base.STL"), "arm/meshes/Base.STL")

    def test_to_a_package_means_the_folder_of_that_name(self):
        self.assertEqual(self.resolved("package://hand/meshes/visual/link.stl"), "hand/meshes/visual/link.stl")
        self.assertEqual(self.resolved("model://hand/meshes/finger.stl"), "hand/meshes/finger.stl")

    def test_to_a_package_whose_folder_has_another_name_means_the_file_with_the_longest_common_end(self):
        self.assertEqual(self.resolved("package://ros_arm/meshes/collision/link.stl"), "arm/meshes/collision/link.stl")

    def test_that_several_files_match_means_the_nearest(self):
        self.assertEqual(self.resolved("package://any/visual/link.stl"), "arm/meshes/visual/link.stl")
        self.assertEqual(self.resolved("package://any/visual/link.stl", "hand/hand.urdf"), "hand/meshes/visual/link.stl")

    def test_may_differ_in_letter_case_and_have_backslashes(self):
        self.assertEqual(self.resolved("package://arm/Meshes/base.stl"), "arm/meshes/Base.STL")
        self.assertEqual(self.resolved("..\\meshes\\Base.STL"), "arm/meshes/Base.STL")

    def test_to_something_else_stays_as_it_is(self):
        for reference in ["package://arm/meshes/none.stl", "/etc/passwd", "../../../etc/passwd", "libgazebo_control.so", ""]:
            self.assertEqual(self.resolved(reference), reference)


if __name__ == "__main__":
    unittest.main()
