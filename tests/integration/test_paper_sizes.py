"""Scenes of the gallery at the sizes of the paper that they are taken from: what their descriptions say to put in can run."""
import json
import unittest
from pathlib import Path

from command import scree

GALLERY = Path(__file__).resolve().parents[2] / "api/gallery"


def put_in(name, specimen=None, placement=None, low=None, high=None):
    """A scene of the gallery with keys of its specimen, of its specimen's placement, and of its box put to other values."""
    scene = json.loads((GALLERY / f"{name}.json").read_text(encoding="utf-8"))
    scene["specimens"][0].update(specimen or {})
    scene["specimens"][0]["placement"].update(placement or {})
    if low:
        scene["rig"]["minimum"] = low
    if high:
        scene["rig"]["maximum"] = high
    return scene


class PaperSizes(unittest.TestCase):
    def check(self, scene, nodes):
        """The scene can run, within 8 GB, and has so many nodes."""
        said = scree("check", "-", "--json", stdin=json.dumps(scene)).json()
        self.assertTrue(said["valid"], said)
        self.assertEqual(said["estimate"]["node_count"], nodes)
        self.assertLess(said["estimate"]["memory_bytes"], 8e9)

    def test_shapes(self):
        """125 grains of each shape of the study, in the same box"""
        for shape, nodes in (("spheres", 1064), ("shells", 856), ("cubes", 1000), ("jacks", 448)):
            scene = put_in(f"shape-study-{shape}", placement={"count": [5] * 3, "origin": [-4.52e-3] * 3}, low=[-5.74e-3] * 3, high=[5.74e-3] * 3)
            self.check(scene, 125 * nodes)

    def test_hollow_aggregate(self):
        """1000 hollow grains, 1.5 million nodes"""
        self.check(put_in("hollow-aggregate-crush", placement={"count": [10] * 3, "origin": [-9.9e-3] * 3}, low=[-11.12e-3] * 3, high=[11.12e-3] * 3), 1000 * 1456)

    def test_cubes(self):
        """225 cubes of 11 nodes along an edge"""
        self.check(put_in("cube-settling", {"spacing": 1.05e-4}, {"count": [5, 5, 9]}, high=[7e-3, 7e-3, 18e-3]), 225 * 1331)

    def test_grain_aggregate(self):
        """400 packed grains"""
        low, high = [-6.4e-3] * 3, [6.4e-3] * 3
        scene = put_in("grain-aggregate-crush", placement={"count": 400, "minimum": low, "maximum": high}, low=low, high=high)
        said = scree("check", "-", "--json", stdin=json.dumps(scene)).json()
        self.assertTrue(said["valid"], said)
        self.assertGreater(said["estimate"]["node_count"], 80000)


if __name__ == "__main__":
    unittest.main()
