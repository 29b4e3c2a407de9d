"""`scree coarsen`: from a fine scene to a coarse one and a mode basis, here; and the same task as a job of the service."""
import json
import tempfile
import unittest
from pathlib import Path

from command import begin, scree
from lab import Lab


def beam(divisions):
    """A clamped beam under a load at its end, method fem."""
    return {
        "scree": 1, "name": "beam", "method": "fem", "options": {"element": "plain", "impact": "none"},
        "materials": [{"name": "m", "density": 1000, "young_modulus": 1e8, "poisson_ratio": 0.3, "stiffness_damping": 1e-4}],
        "specimens": [{"name": "beam", "material": "m", "divisions": divisions, "shape": {"type": "box", "size": [0.1, 0.01, 0.01]},
                       "placement": {"type": "single", "position": [0.05, 0, 0]}, "load_side": "x_max", "load": [0, 0, -0.01], "load_rise_time": 0.02}],
        "rig": {"type": "grips", "axis": "x", "low_end": 1e-6},
        "time": {"duration": 0.04, "time_step": 1e-3},
        "output": {"sample_interval": 1e-3, "plots": [{"x": "time", "y": "largest_displacement"}]},
    }


class Coarsen(unittest.TestCase):
    def setUp(self):
        self.own = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.folder = Path(self.own.name)
        self.scene = self.folder / "beam.json"
        self.scene.write_text(json.dumps(beam([20, 2, 2])))

    def tearDown(self):
        self.own.cleanup()

    def displacement(self, folder):
        """Largest displacement of a run."""
        lines = (folder / "curves.csv").read_text().splitlines()
        column = next(i for i, name in enumerate(lines[0].split(",")) if name.startswith("largest_displacement"))
        return max(float(line.split(",")[column]) for line in lines[1:])

    def test_coarse_scene_and_basis(self):
        """the coarse scene keeps all but mesh and stiffness, and swings as far as the fine one to 2 %, which it does not without the scale; a basis lies where it is asked for"""
        out, basis = self.folder / "out", self.folder / "beam.basis"
        result = scree("coarsen", self.scene, "-o", out, "--modes", 2, "--meshes", "2x1x1,5x1x1,10x1x1", "--match", 0.999, "--basis", basis, "--json")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.json()["files"]["coarse"], str(out / "coarse.json"))
        self.assertTrue(basis.read_text().startswith("scree-mode-basis 1\ndensity 1000 kg/m^3\n"))
        coarse, fine = json.loads((out / "coarse.json").read_text()), beam([20, 2, 2])
        self.assertEqual(coarse["specimens"][0]["divisions"], [5, 1, 1])
        scale = coarse["materials"][0]["young_modulus"] / 1e8
        self.assertTrue(0.3 < scale < 0.6, scale)
        for key in ("method", "options", "time", "output", "rig"):
            self.assertEqual(coarse[key], fine[key])
        plain = self.folder / "plain.json"
        plain.write_text(json.dumps(beam([5, 1, 1])))
        for name, scene in (("fine", self.scene), ("coarse", out / "coarse.json"), ("plain", plain)):
            self.assertEqual(scree("run", scene, "-o", self.folder / name).code, 0)
        far = self.displacement(self.folder / "fine")
        self.assertLess(abs(self.displacement(self.folder / "coarse") / far - 1), 0.02)
        self.assertGreater(abs(self.displacement(self.folder / "plain") / far - 1), 0.3)
        report = (out / "coarsening" / "report.md").read_text()
        self.assertIn("**Chosen: 5x1x1, 5 elements.**", report)
        self.assertIn("| 2x1x1 | 2 |", report)

    def test_interrupted(self):
        """Ctrl-C keeps a checkpoint, and the same command ends what was begun"""
        self.scene.write_text(json.dumps(beam([40, 4, 4])))
        out = self.folder / "out"
        process = begin("coarsen", self.scene, "-o", out, "--modes", 8)
        while not (out / "recording.scree").exists() and process.poll() is None:
            pass
        process.send_signal(2)
        process.communicate()
        self.assertIn(process.returncode, (0, 8, 130))
        result = scree("coarsen", self.scene, "-o", out, "--modes", 8)
        self.assertIn(result.code, (0, 8), result)
        self.assertTrue((out / "coarse.json").exists())

    def test_refused(self):
        """other methods, wrong meshes, wrong numbers: refused with what is allowed; no mesh that suffices: failed with the best"""
        result = scree("coarsen", "gallery:drum", "-o", self.folder / "a")
        self.assertEqual(result.code, 2)
        self.assertIn("method 'fem'", result.err)
        result = scree("coarsen", self.scene, "-o", self.folder / "b", "--meshes", "4x1")
        self.assertEqual(result.code, 4)
        self.assertIn("/options/meshes", result.err)
        result = scree("coarsen", self.scene, "-o", self.folder / "c", "--match", "x")
        self.assertEqual(result.code, 2)
        result = scree("coarsen", self.scene, "-o", self.folder / "d", "--meshes", "1x1x1", "--modes", 4)
        self.assertEqual(result.code, 1)
        self.assertIn("no mesh of the 1 tried", result.err)

    def test_snapshots(self):
        """a basis of what five snapshots of the motion add has them as the levels of its table; a kind that there is none of is refused with those there are; help and examples name both options"""
        basis = self.folder / "pressed.basis"
        self.scene.write_text(json.dumps(beam([8, 1, 1])))
        result = scree("coarsen", self.scene, "-o", self.folder / "out", "--modes", 2, "--snapshots", 5, "--snapshot-modes", "differences", "--basis", basis, "--meshes", "4x1x1", "--match", 0.9)
        self.assertIn(result.code, (0, 8), result)
        text = basis.read_text()
        self.assertIn("\nmodes 2 ", text)
        self.assertIn("\nlevels 5 ", text)
        result = scree("coarsen", self.scene, "-o", self.folder / "a", "--snapshots", 5, "--snapshot-modes", "first", "--basis", basis)
        self.assertEqual(result.code, 4)
        self.assertIn("/options/snapshot_modes", result.err)
        self.assertIn("differences", result.err)
        result = scree("coarsen", "--help")
        self.assertIn("--snapshot-modes", result.out)
        self.assertIn("--snapshots 20", result.out)

    def test_job(self):
        """the service runs a coarsening as any job: its tables are what the report says"""
        scene = beam([20, 2, 2])
        scene.update(method="coarsening", options={"element": "plain", "modes": 2, "meshes": "2x1x1 5x1x1", "match": 0.999}, time={"duration": 1}, output={})
        with Lab() as lab:
            job = lab.submit(scene)["id"]
            self.assertEqual(lab.wait(job)["state"], "succeeded")
            table = lab.json("GET", f"/api/v1/jobs/{job}/tables/meshes")
            names = [column["name"] for column in table["columns"]]
            rows = [dict(zip(names, row)) for row in table["rows"]]
            self.assertEqual([row["elements"] for row in rows], [2, 5])
            self.assertEqual([row["accepted"] for row in rows], [0, 1])


if __name__ == "__main__":
    unittest.main()
