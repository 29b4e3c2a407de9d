"""`scree template`: what a specimen of lsdem is made into."""
import math
import struct
import tempfile
import unittest
from pathlib import Path

from command import scree


class Template(unittest.TestCase):
    def test_numbers(self):
        """the bar of bend3 has the mass, inertia and mode that its scene gives; a specimen by name; what is not there is said"""
        shown = scree("template", "gallery:bend3", "--json").json()
        self.assertAlmostEqual(shown["mass"], 20000, delta=1e-6)
        self.assertAlmostEqual(shown["inertia"][0], 20000 * 32 / 12, delta=1e-3)
        self.assertAlmostEqual(shown["inertia"][1], 20000 * (160**2 + 16) / 12, delta=1)
        mode = shown["modes"][0]
        self.assertEqual((mode["mass"], mode["stiffness"]), (1e4, 1e4))
        self.assertAlmostEqual(mode["frequency"], 1 / (2 * math.pi), delta=1e-9)
        checks = shown["checks"]
        self.assertAlmostEqual(checks["area"], 2 * (160 * 4 * 2 + 16), delta=1e-6)
        self.assertLess(checks["unbalanced_area"], 1e-12)
        self.assertLess(checks["largest_level_at_nodes"], 0.1)
        balls = scree("template", "gallery:lsupdate", "--specimen", "load-remap", "--json").json()
        self.assertEqual((balls["specimen"], balls["modes"]), ("load-remap", []))
        self.assertIn("mode 1", scree("template", "gallery:bend3").out)
        for words, says in ((("gallery:bend3", "--specimen", "none"), "no specimen 'none'"), (("gallery:drum",), "methods that do: lsdem"),
                            (("gallery:bend3", "--surface", "x.ply", "--mode", "2"), "there is no mode 2")):
            result = scree("template", *words)
            self.assertEqual(result.code, 2, result)
            self.assertIn(says, result.err)

    def test_surface(self):
        """the surface of the bar, bent by 5, sags by 5 less the mean of its mode in the middle"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            file = Path(folder) / "bent.ply"
            self.assertEqual(scree("template", "gallery:bend3", "--surface", file, "--mode", 1, "--amplitude", 5).code, 0)
            head, data = file.read_bytes().split(b"end_header\n", 1)
            count = int(head.split(b"element vertex ")[1].split()[0])
            lowest = min(struct.unpack_from("<3d", data, 24 * k)[2] for k in range(count))
        self.assertAlmostEqual(lowest, -2 - 5 * (1 - 2 / math.pi), delta=0.01)


if __name__ == "__main__":
    unittest.main()
