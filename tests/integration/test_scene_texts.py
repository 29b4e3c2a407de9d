"""What the gallery's texts say in numbers is what the runs give.

CLAIMS lists the sentences: a phrase that stands in a scene's description, and what the run's curves must give for it. A text that is changed without its
claim, or a run that no longer does what its text says, fails. Slow scenes run with SCREE_SLOW=1."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lab import BUILD, ROOT

GALLERY = ROOT / "api" / "gallery"


def read_curves(path):
    """Columns of curves.csv by name, without units."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    columns = [[float(cell) if cell else float("nan") for cell in column] for column in zip(*rows[1:])]
    return {name.split(" [")[0]: column for name, column in zip(rows[0], columns)}


def after(curves, name, start):
    """Samples of a curve from a time on."""
    return [value for time, value in zip(curves["time"], curves[name]) if time >= start]


def slope(curves, name):
    """Least-squares slope of a curve over time."""
    time, value = curves["time"], curves[name]
    mean_time, mean_value = sum(time) / len(time), sum(value) / len(value)
    return sum((t - mean_time) * (v - mean_value) for t, v in zip(time, value)) / sum((t - mean_time) ** 2 for t in time)


def flips(curves, name):
    """Times between changes of sign of a curve, by straight lines between samples."""
    time, value = curves["time"], curves[name]
    zeros = [time[k] - value[k] * (time[k + 1] - time[k]) / (value[k + 1] - value[k]) for k in range(len(time) - 1) if value[k] * value[k + 1] < 0]
    return [later - earlier for earlier, later in zip(zeros, zeros[1:])]


DEGREE = 0.017453292519943295
COS_25 = 0.9063077870366499
# scene, phrase of its description, the number by the run's curves, least, most, slow
CLAIMS = [
    ("drum", "hangs back by 16 to 25 degrees", lambda c: min(after(c, "bed.slope", 0.5)) / DEGREE, 15.5, 18, False),
    ("drum", "hangs back by 16 to 25 degrees", lambda c: max(after(c, "bed.slope", 0.5)) / DEGREE, 22, 25.5, False),
    ("box-fill-1000", "more than twice their weight of 87 N", lambda c: max(map(abs, c["wall.z_min.force_z"])) / 87, 2, 4, False),
    ("box-fill-1000", "stay below 0.3 mm", lambda c: max(c["penetration"]) * 1e3, 0.01, 0.3, False),
    ("box-fill-1000", "fall at 2 m/s", lambda c: max(c["speed"]), 1.8, 2.4, False),
    ("sliding-block", "after v / (mu g) = 0.680 s", lambda c: next(t for t, v in zip(c["time"], c["first.velocity_x"]) if v < 1e-9), 0.67, 0.69, False),
    ("sliding-block", "= 0.680 m", lambda c: c["first.x"][-1] - c["first.x"][0], 0.677, 0.683, False),
    ("inclined-plane", "= 1.479 and", lambda c: slope(c, "first.velocity_x") / COS_25, 1.4785, 1.4795, False),
    ("dzhanibekov", "= 2.292 s", lambda c: sum(flips(c, "first.spin_2")) / len(flips(c, "first.spin_2")), 2.287, 2.297, False),
    ("newtons-cradle", "Energy is kept or lost, never gained", lambda c: max(c["energy.kinetic"]) / c["energy.kinetic"][0], 0.999999, 1.000001, False),
    ("servo-column", "holds 200 N, then 400 N", lambda c: max(map(abs, c["platen.top.force_z"])), 380, 440, True),
    ("sliding-jelly", "= 0.102 m", lambda c: c["centre.x"][-1] - c["centre.x"][0], 0.097, 0.107, True),
]


class SceneTextsTest(unittest.TestCase):
    def test_numbers_of_scene_texts_are_those_of_the_runs(self):
        """numbers in the gallery's texts are what the runs give"""
        with tempfile.TemporaryDirectory() as folder:
            for scene in sorted({claim[0] for claim in CLAIMS if not claim[5] or os.environ.get("SCREE_SLOW")}):
                out = Path(folder) / scene
                done = subprocess.run([str(BUILD / "scree"), "run", str(GALLERY / f"{scene}.json"), "-o", str(out)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{scene}: {done.stdout[-400:]}{done.stderr[-400:]}")
                curves = read_curves(out / "curves.csv")
                text = json.loads((GALLERY / f"{scene}.json").read_text(encoding="utf-8"))["description"]
                for name, phrase, value, least, most, _ in CLAIMS:
                    if name == scene:
                        self.assertIn(phrase, text, scene)
                        self.assertTrue(least <= value(curves) <= most, f"{scene}, '{phrase}': the run gives {value(curves):.6g}")

    def test_methods_and_shapes_are_named(self):
        """the README's table and the guide name every method, and the guide names every shape"""
        methods = json.loads(subprocess.run([str(BUILD / "scree"), "methods", "--json"], capture_output=True, text=True, check=True).stdout)
        names = [method["name"] for method in (methods["methods"] if isinstance(methods, dict) else methods)]
        readme, guide = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "api" / "docs" / "scene.md").read_text(encoding="utf-8")
        for name in names:
            self.assertRegex(readme, rf"\| `?\[?`?{name}", f"README: {name}")
            self.assertIn(f"`{name}`", guide, f"guide: {name}")
        text = subprocess.run([str(BUILD / "scree"), "reference", "specimens[].shape"], capture_output=True, text=True, check=True).stdout
        shapes = re.findall(r'^specimens\[\]\.shape, "type": "(\w+)"', text, re.M)
        self.assertIn("sphere", shapes)
        for shape in shapes:
            self.assertIn(f"`{shape}`", guide, f"guide: {shape}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
