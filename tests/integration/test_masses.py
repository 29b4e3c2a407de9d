"""Bodies have the mass of their shape under every method, at coarse resolutions too: seen by the kinetic energy of what is thrown."""
import csv
import json
import math
import tempfile
import unittest
from pathlib import Path

from command import scree

SHAPES = {
    "ball": ({"type": "sphere", "radius": 0.01}, 4 / 3 * math.pi * 1e-6),
    "rod": ({"type": "cylinder", "radius": 0.01, "length": 0.03}, math.pi * 3e-6),
    "block": ({"type": "box", "size": [0.02, 0.03, 0.04]}, 2.4e-5),
    "shell": ({"type": "hollow_sphere", "radius": 0.01, "inner_radius": 0.005}, 4 / 3 * math.pi * 8.75e-7),
}
FINE = {"peridem": 0.003, "bdem": 0.003, "lsdem": 0.003, "fem": 0.01, "rigid": None}
WITHOUT = {("lsdem", "shell"), ("rigid", "shell")}  # a hollow ball is no grain, nor a rigid body
DENSITY, SPEED = 1000, 0.2
TOLERANCE = {"peridem": 0.1}  # whose nodes weigh their cells, some of which a surface cuts


def thrown(method, shape, spacing):
    material = {"name": "gel", "density": DENSITY} | ({} if method == "rigid" else {"young_modulus": 1e6, "poisson_ratio": 0.25})
    return {"scree": 1, "name": "thrown", "method": method, "materials": [material],
            "specimens": [{"name": "body", "material": "gel", "shape": shape, "velocity": [SPEED, 0, 0]} | ({"spacing": spacing} if spacing else {})],
            "rig": {"type": "none"}, "time": {"duration": 1e-3} | ({"time_step": 1e-4} if method in ("rigid", "fem") else {})}


class Masses(unittest.TestCase):
    def test_masses(self):
        """The kinetic energy of a thrown ball, rod, block and shell is m v^2/2 of the shape to 0.5 % (peridem: 10 %), under every method"""
        for method, spacing in FINE.items():
            for name, (shape, volume) in SHAPES.items():
                if (method, name) in WITHOUT:
                    continue
                with self.subTest(method=method, shape=name), tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
                    result = scree("run", "-", "-o", Path(folder) / "out", "--json", stdin=json.dumps(thrown(method, shape, spacing)))
                    self.assertIn(result.code, (0, 8), result)
                    with open(Path(folder) / "out" / "curves.csv", newline="", encoding="utf-8") as file:
                        first = next(csv.DictReader(file))
                    kinetic = float(next(value for key, value in first.items() if key.startswith("energy.kinetic")))
                    self.assertAlmostEqual(kinetic / (0.5 * DENSITY * volume * SPEED**2), 1, delta=TOLERANCE.get(method, 0.005))

    def test_coarse_elements_are_warned_of(self):
        """The check says which share of a ball eight hexahedra fill, of a shell and a rod as well; of a block it says nothing"""
        for name, spacing in (("ball", 0.02), ("shell", 0.02), ("rod", 0.03), ("block", 0.02)):
            with self.subTest(shape=name):
                said = scree("check", "-", "--json", stdin=json.dumps(thrown("fem", SHAPES[name][0], spacing))).json()["warnings"]
                filled = [warning["detail"] for warning in said if "of its volume" in warning["detail"]]
                self.assertEqual(bool(filled), name != "block", said)


if __name__ == "__main__":
    unittest.main()
