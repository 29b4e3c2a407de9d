"""The sweep of random scenes (tests/validation/sweep.py): a part of it always runs, and its judges can tell a wrong run from a right one."""
import importlib.util
import math
import subprocess
import sys
import unittest

from lab import BUILD, PATIENCE, ROOT, SANITIZED

COUNT = 8 if SANITIZED else 50  # `make sweep` runs 200 per method
SWEEP = ROOT / "tests" / "validation" / "sweep.py"
spec = importlib.util.spec_from_file_location("sweep", SWEEP)
sweep = importlib.util.module_from_spec(spec)
sys.modules["sweep"] = sweep  # dataclasses and named tuples look their module up
spec.loader.exec_module(sweep)


def falling_ball(loss=0.0, given_back=0.0):
    """Energies of a ball that falls and is damped; `loss` J vanish on the way, `given_back` J come back from the damper at the end."""
    steps = range(11)
    damped = [0.05 * k for k in steps[:-1]] + [0.5 - given_back]
    work = [0.1 * k for k in steps]
    kinetic = [1 + work[k] - damped[k] - loss * k / 10 for k in steps]
    return {"energy.kinetic": kinetic, "energy.elastic": [0.0] * 11, "energy.damping": damped, "energy.external": work}


class Judges(unittest.TestCase):
    def test_balance(self):
        """A balance off by 2 % of the largest energy is found, one of round-off is not"""
        self.assertEqual(sweep.judge_energy(falling_ball(), 0)[1], "")
        worst, wrong = sweep.judge_energy(falling_ball(loss=0.03), 0)
        self.assertIn("energy off", wrong)
        self.assertTrue(math.isclose(worst, 0.03 / 1.5, rel_tol=0.05), worst)

    def test_given_back(self):
        """Energy that a damper gives back is found"""
        self.assertIn("energy.damping fell", sweep.judge_energy(falling_ball(given_back=0.1), 0)[1])

    def test_energy_from_nothing(self):
        """A numerical loss that is a gain is found"""
        curves = falling_ball() | {"energy.numerical": [-0.01 * k for k in range(11)]}
        self.assertIn("out of nothing", sweep.judge_energy(curves, 0)[1])

    def test_places(self):
        """A body behind a wall, and bodies that changed places, are found"""
        def frame(*boxes):  # one drawable per box: its corners as two points
            import struct
            blocks = b""
            for number, (low, high) in enumerate(boxes):
                data = struct.pack("<6H", 0, 0, 0, 65535, 65535, 65535)
                array = struct.pack("<IIII", 0, 1, 3, len(data)) + struct.pack("<6d", *low, *high) + data + b"\0" * 4
                blocks += struct.pack("<IIII", number, 2, 1, len(array)) + array
            return struct.pack("<II", len(boxes), 0) + blocks

        walled = {"specimens": [{"spacing": 0.1}], "options": {"breakable": False}, "rig": {"type": "box", "minimum": [-1, -1, -1], "maximum": [1, 1, 1]}}
        self.assertEqual(sweep.judge_places(walled, "fall", [frame(((-1, -1, -1), (0, 0, 0)))]), "")
        self.assertIn("behind a wall", sweep.judge_places(walled, "fall", [frame(((-1, -1, -1.5), (0, 0, 0)))]))
        free = {"specimens": [{"spacing": 0.1}] * 2, "options": {"breakable": False}, "rig": {"type": "none"}}
        left, right = ((-1, 0, 0), (0, 1, 1)), ((0.1, 0, 0), (1, 1, 1))
        self.assertEqual(sweep.judge_places(free, "collide", [frame(left, right)]), "")
        self.assertIn("passed through", sweep.judge_places(free, "collide", [frame(right, left)]))


class RandomScenes(unittest.TestCase):
    def test_no_silent_exception(self):
        """None of the random scenes goes wrong without a word, in either method"""
        done = subprocess.run([sys.executable, SWEEP, BUILD / "scree", "-", "--count", str(COUNT)], capture_output=True, text=True, timeout=900 * PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
        self.assertIn("succeeded, nothing wrong", done.stdout)


if __name__ == "__main__":
    unittest.main()
