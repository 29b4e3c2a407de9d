"""The physics is that of before (tests/validation/same_physics.py): a part of the gallery always runs, and the comparison can tell a change."""
import importlib.util
import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from array import array
from pathlib import Path

from lab import BUILD, PATIENCE, ROOT, SANITIZED

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
            return same.digest_recording(Path(file.name))[0]

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


class Gallery(unittest.TestCase):
    def test_same_physics(self):
        """Short runs of some gallery scenes give the curves and frames that were recorded, to the last bit"""
        if SANITIZED:
            self.skipTest("a sanitized build is compiled otherwise")
        done = subprocess.run([sys.executable, PROGRAM, BUILD / "scree", "--quick", "--threads", "2"], capture_output=True, text=True,
                              timeout=300 * PATIENCE)
        if "# SKIP" in done.stdout:
            self.skipTest(done.stdout.strip().removeprefix("ok - # SKIP "))
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
        same_count, compared = map(int, re.search(r"# (\d+) of (\d+) scenes have the same physics", done.stdout).groups())
        self.assertEqual(same_count, compared)
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
