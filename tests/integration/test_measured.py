"""Measured curves through all layers: files of testing machines kept as curves by the command line and by Python, and read back in SI units."""
import sys
import tempfile
import unittest
from pathlib import Path

from command import scree
from lab import ROOT, Lab

sys.path.insert(0, str(ROOT / "api/clients/python"))
import scree as client  # noqa: E402 pylint: disable=wrong-import-position

DATA = ROOT / "tests/data/measured"


class MeasuredTest(unittest.TestCase):
    def test_a_round_trip(self):
        """three specimens added from the shell come back by Python, with the compliance taken out and the deviation between them; after a restart too"""
        with Lab("--slots", 1) as lab, tempfile.TemporaryDirectory() as folder:
            files = []
            for k, stiffness in enumerate((1e6, 2e6, 3e6)):  # N/m; the machine gives way by 1e-7 m/N
                forces = [100.0 * i for i in range(11)]
                text = "Force [kN]\tTravel [mm]\n" + "".join(f"{f / 1e3:.9f}\t{1e3 * (f / stiffness + 1e-7 * f):.12f}\n" for f in forces)
                files.append(Path(folder) / f"s{k}.txt")
                files[-1].write_text(text, encoding="utf-8")
            added = scree("measured", "add", "springs", *files, "-x", "Travel", "-y", "1", "--compliance", "1e-7", "--server", lab.url)
            self.assertEqual(added.code, 0, added)
            self.assertIn("3 specimens", added.out)
            lab.kill()
            lab.start()
            api = client.Lab(lab.url)
            found = next(api.measured_curves())
            self.assertEqual((found.name, found.units, found.columns), ("springs", ("m", "N"), ("Travel", "Force")))
            for curve, stiffness in zip(found.curves(), (1e6, 2e6, 3e6)):
                for x, y in zip(curve["x"], curve["y"]):
                    self.assertAlmostEqual(x, y / stiffness, delta=1e-12)
            band = found.band()
            self.assertEqual((band["reached"][0], min(band["reached"])), (3, 2))
            i = max(i for i, reached in enumerate(band["reached"]) if reached == 3)
            self.assertAlmostEqual(band["mean"][i], 2e6 * band["x"][i], delta=1e-6)  # of 1, 2, 3: mean 2, deviation 1
            self.assertAlmostEqual(band["deviation"][i], 1e6 * band["x"][i], delta=1e-6)
            shown = scree("measured", "show", "springs", "--server", lab.url)
            self.assertEqual(shown.out.splitlines()[0], "Travel [m],Force [N],deviation [N],specimens")
            self.assertEqual(len(shown.out.splitlines()), 1 + len(band["x"]))
            self.assertEqual(scree("measured", "show", "none", "--server", lab.url).code, 2)
            self.assertEqual(scree("measured", "remove", "springs", "--server", lab.url).code, 0)
            self.assertEqual(list(api.measured_curves()), [])

    def test_python_finds_the_columns(self):
        """lab.measured takes displacement and force of machines' files by itself, and refuses a file with every reason"""
        with Lab("--slots", 1) as lab:
            api = client.Lab(lab.url)
            for name, sign in (("zwick.csv", 1), ("mts.txt", -1)):
                found = api.measured(DATA / name, name=name[:3], x_factor=sign, y_factor=sign)
                curve = found.curves()[0]
                self.assertEqual(found.units, ("m", "N"))
                self.assertAlmostEqual(curve["y"][1], 415.623, places=3)
                self.assertAlmostEqual(curve["x"][1], 1e-5, places=9)
            with self.assertRaises(client.Conflict):
                api.measured(DATA / "zwick.csv", name="zwi")
            with self.assertRaises(client.SceneRefused) as refused:
                api.measured(DATA / "thousands.csv", name="no name", x=1, y=2)
            self.assertEqual([p["pointer"] for p in refused.exception.problems], ["/name"])
            with self.assertRaises(client.SceneRefused) as refused:
                api.measured(DATA / "thousands.csv", name="t", x=1, y=2)
            self.assertIn("line 6, column 2", refused.exception.problems[0]["detail"])


if __name__ == "__main__":
    unittest.main()
