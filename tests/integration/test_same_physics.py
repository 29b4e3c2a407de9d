"""The physics is that of before (tests/validation/same_physics.py): a part of the gallery always runs, and the comparison can tell a change."""
import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from array import array
from pathlib import Path

from lab import BUILD, PATIENCE, ROOT, SANITIZED

SLOW = bool(os.environ.get("SCREE_SLOW"))
PROGRAM = ROOT / "tests" / "validation" / "same_physics.py"
spec = importlib.util.spec_from_file_location("same_physics", PROGRAM)
same = importlib.util.module_from_spec(spec)
sys.modules["same_physics"] = same  # named tuples look their module up
spec.loader.exec_module(same)


def record(kind, seq, time, payload):
    return struct.pack("<IHHQdII", len(payload), kind, 0, seq, time, 0, 0) + payload + b"\0" * (-len(payload) % 8)


def recording(curves, positions, order=1):
    """A recording of two samples of the curves and one frame of two points, their series in either order."""
    names = list(curves)[::order]
    topology = {"drawables": [{"id": 3, "name": "grain", "fields": [{"name": "position"}]}], "series": [{"name": name} for name in names]}
    samples = array("d", [curves[name][k] for k in range(2) for name in names]).tobytes()
    data = struct.pack("<6H", *positions)
    block = struct.pack("<IIII", 0, 1, 3, len(data)) + struct.pack("<6d", 0, 0, 0, 1, 2, 3) + data + b"\0" * 4
    frame = struct.pack("<II", 1, 0) + struct.pack("<IIII", 3, 2, 1, len(block)) + block
    return (b"SCREE\x01\0\0" + record(2, 1, 0, json.dumps(topology).encode()) + record(3, 2, 0, frame)
            + record(4, 3, 0, struct.pack("<QII", 0, 2, len(names)) + samples))


class Comparison(unittest.TestCase):
    CURVES = {"time": (0.0, 1.0), "force": (0.0, 2.0), "clock.rate": (3.0, 4.0)}

    def digests(self, *arguments, **options):
        with tempfile.NamedTemporaryFile(prefix="scree-test-") as file:
            file.write(recording(*arguments, **options))
            file.flush()
            return same.read_recording(Path(file.name))[0]

    def test_order(self):
        """The order of the curves does not matter, and a curve of the clock does not count"""
        first = self.digests(self.CURVES, (0, 1, 2, 3, 4, 5))
        self.assertEqual(set(first), {"curve time", "curve force", "frames grain.position"})
        self.assertEqual(self.digests({**self.CURVES, "clock.rate": (5.0, 6.0)}, (0, 1, 2, 3, 4, 5), order=-1), first)

    def test_change(self):
        """A last bit of a curve, a sixteenth bit of a position, and a curve that is gone are found; a new one is named"""
        first = self.digests(self.CURVES, (0, 1, 2, 3, 4, 5))
        bit = self.digests({**self.CURVES, "force": (0.0, 2.0000000000000004)}, (0, 1, 2, 3, 4, 5))
        self.assertEqual(same.differences(first, bit), (["curve force differs"], []))
        moved = self.digests(self.CURVES, (0, 1, 2, 3, 4, 6))
        self.assertEqual(same.differences(first, moved), (["frames grain.position differs"], []))
        fewer = self.digests({"time": (0.0, 1.0), "load": (0.0, 2.0)}, (0, 1, 2, 3, 4, 5))
        self.assertEqual(same.differences(first, fewer), (["curve force is missing"], ["curve load"]))


    def test_foreseen(self):
        """A curve counts up to the last sample that other kernels and small changes leave as it is, and not at all where that is its first"""
        curve = array("d", [1.0, 2.0, 4.0, 3.0])
        self.assertEqual(same.foreseen(curve, [array("d", [1.0, 2.0 + 1e-11, 4.0, 3.0])]), [3, 3.0, 4.0])
        self.assertEqual(same.foreseen(curve, [curve, array("d", [1.0, 2.0, 4.0 + 1e-9, 3.0])]), [1, 2.0, 2.0])
        self.assertEqual(same.foreseen(curve, [array("d", [1.0, 2.0])]), [1, 2.0, 2.0])
        self.assertIsNone(same.foreseen(curve, [array("d", [1.0, 2.1, 4.0, 3.0])]))
        self.assertEqual(same.foreseen(array("d", [0.0, 0.0]), [array("d", [0.0, 0.0])]), [1, 0.0, 0.0])

    def test_values(self):
        """A value off by more than 1e-9 of its curve's size is found, a curve that is gone or too short as well, less is not"""
        expected = {"force": [1, 2.0, 100.0]}
        for off, count in ((0.0, 0), (0.9e-7, 0), (1.1e-7, 1), (float("nan"), 1)):
            self.assertEqual(len(same.value_differences(expected, {"force": array("d", [0.0, 2.0 + off])})), count)
        self.assertEqual(same.value_differences(expected, {}), ["curve force is missing"])
        self.assertEqual(same.value_differences(expected, {"force": array("d", [0.0])}), ["curve force has 1 samples, 2 are needed"])


class Gallery(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([sys.executable, PROGRAM, BUILD / "scree", *arguments], capture_output=True, text=True,
                              timeout=(3600 if SLOW else 300) * PATIENCE)

    def test_recorded_scenes(self):
        """Every scene of the gallery has values recorded, of curves that are not all zero"""
        stored = json.loads((same.DATA / same.VALUES).read_text())["scenes"]
        self.assertEqual(sorted(stored), sorted(file.stem for file in same.GALLERY.glob("*.json")))
        for name, scene in stored.items():
            self.assertTrue(any(size > 0 for curve, (_, _, size) in scene["values"].items() if curve != "time"), name)

    def test_recorded_values(self):
        """Values that were just recorded are met where there are no digests; one that is off by 1e-8 of its size is found"""
        if SANITIZED:
            self.skipTest("a sanitized build is compiled otherwise")
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            scene = ("--scene", "sliding-block", "--data", folder)
            done = self.run_program("--record", "--values", *scene)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = self.run_program(*scene)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("sliding-block, values:", done.stdout)
            file = Path(folder) / same.VALUES
            stored = json.loads(file.read_text())
            place = stored["scenes"]["sliding-block"]["values"]["first.x"]
            self.assertGreater(abs(place[1]), 0.1 * place[2])
            place[1] += 1e-8 * place[2]
            file.write_text(json.dumps(stored))
            done = self.run_program(*scene)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("curve first.x is", done.stdout)

    def test_same_physics(self):
        """Short runs of gallery scenes give what was recorded: bits, or values to 1e-9 on other processors; all scenes as a slow test"""
        if SANITIZED:
            self.skipTest("a sanitized build is compiled otherwise")
        done = self.run_program(*(() if SLOW else ("--quick",)), "--threads", "2")
        if "# SKIP" in done.stdout:
            self.skipTest(done.stdout.strip().removeprefix("ok - # SKIP "))
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
        same_count, compared = map(int, re.search(r"# (\d+) of (\d+) scenes have the same physics", done.stdout).groups())
        self.assertEqual(same_count, compared)
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
