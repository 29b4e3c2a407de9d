"""A rig that moves and never meets a specimen is a doubt under every method: its curves of forces are 0, however sound the run."""
import json
import tempfile
import unittest
from pathlib import Path

from command import scree

METHODS = {  # what the specimen and the time need besides the common scene
    "peridem": ({"spacing": 0.002}, {}),
    "bdem": ({"spacing": 0.002}, {}),
    "lsdem": ({"spacing": 0.004}, {}),
    "rigid": ({}, {"time_step": 1e-3}),
    "fem": ({"divisions": [2, 2, 2]}, {"time_step": 1e-3}),
}


def scene(method, travel, **time):
    """A cube of 2 cm and a lid 2 mm above it that goes down by `travel`, m; nothing below."""
    specimen, clock = METHODS[method]
    material = {"name": "gel", "density": 1000}
    if method != "rigid":
        material.update(young_modulus=1e6, poisson_ratio=0.25)
    program = [{"type": "constant", "velocity": -travel / 0.01}]
    return {"scree": 1, "name": "lid", "method": method, "materials": [material],
            "specimens": [{"name": "cube", "material": "gel", "shape": {"type": "box", "size": [0.02, 0.02, 0.02]}, **specimen}],
            "rig": {"type": "box", "minimum": [-0.02, -0.02, -0.06], "maximum": [0.02, 0.02, 0.012], "walls": {"z_max": {"program": program}}},
            "time": {"duration": 0.01, **clock, **time}}


class RigWatch(unittest.TestCase):
    def run_scene(self, what):
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            return scree("run", "-", "-o", Path(folder) / "out", "--json", stdin=json.dumps(what))

    def doubts(self, what):
        result = self.run_scene(what)
        self.assertIn(result.code, (0, 8), result)
        return {doubt["kind"]: doubt["message"] for doubt in result.json()["doubts"]}

    def test_travel_that_ends_before_the_specimen(self):
        """A lid that goes half of its gap is doubted, with its travel, under every method"""
        for method in METHODS:
            with self.subTest(method=method):
                self.assertIn("wall.z_max went 1.00 mm", self.doubts(scene(method, 1e-3)).get("rig_met_nothing", "no such doubt"))

    def test_travel_that_reaches_the_specimen(self):
        """A lid that goes twice its gap is not doubted, under any method, nor one that stands still or goes away"""
        for method in METHODS:
            for travel in (4e-3, 0.0, -1e-3):
                with self.subTest(method=method, travel=travel):
                    self.assertNotIn("rig_met_nothing", self.doubts(scene(method, travel)))

    def test_a_step_longer_than_the_duration(self):
        """A time step beyond the duration is refused with both numbers, under every method"""
        for method in METHODS:
            with self.subTest(method=method):
                result = self.run_scene(scene(method, 1e-3, time_step=0.02))
                self.assertEqual(result.code, 4, result)
                reasons = [error["detail"] for error in result.json()["errors"] if error["pointer"] == "/time/time_step"]
                self.assertEqual(len(reasons), 1)
                if method in ("rigid", "fem"):  # steps of the others are bounded by far less
                    self.assertIn("time_step 0.02 s is longer than the whole duration of 0.01 s", reasons[0])


if __name__ == "__main__":
    unittest.main()
