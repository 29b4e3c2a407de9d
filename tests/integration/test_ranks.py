"""One run of peridem over several processes: the recording of one process, byte for byte, whoever shares it and however it is interrupted."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import ranks

PATIENCE = 300


def box(size, speed=8.0, **options):
    """A cube that strikes the floor so hard that it breaks: one body, cut into tiles. size: nodes along an edge."""
    spacing = 1e-3 / size
    half = 0.5e-3
    return {"scree": 1, "name": "cube", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 20}],
            "contact": {"friction_coefficient": 0.5, "damping_ratio": 0.4},
            "specimens": [{"name": "cube", "material": "polymer", "spacing": spacing, "velocity": [1.5, 0, -speed],
                           "shape": {"type": "box", "size": [1e-3, 1e-3, 1e-3]}, "placement": {"type": "single", "position": [0, 0, half * 1.001]}}],
            "rig": {"type": "box", "minimum": [-2e-3, -2e-3, 0], "maximum": [2e-3, 2e-3, 2e-3], "gravity": [0, 0, -9.81]},
            "time": {"duration": 8e-6}, "output": {"frame_interval": 2e-6, "sample_interval": 4e-7},
            "options": {"self_contact": True, "horizon": 3.015 * spacing, **options}}


def stack(steps):
    """Two thin hollow spheres one above the other, crushed between the walls of a box that holds them: faces, springs of friction, self-contact."""
    return {"scree": 1, "name": "stack", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135}],
            "contact": {"friction_coefficient": 0.9, "damping_ratio": 0.9},
            "specimens": [{"name": "grain", "material": "polymer", "spacing": 1.25e-4,
                           "shape": {"type": "hollow_sphere", "radius": 1e-3, "inner_radius": 7.5e-4},
                           "placement": {"type": "list", "positions": [[0, 0, -1.1e-3], [1e-4, 0, 1.1e-3]]}}],
            "rig": {"type": "box", "minimum": [-1.2e-3, -1.2e-3, -2.2e-3], "maximum": [1.3e-3, 1.2e-3, 2.2e-3], "gravity": [0, 0, -9.81],
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -40}]}}},
            "time": {"duration": steps * 2e-8, "time_step": 2e-8}, "output": {"frame_interval": steps * 4e-9, "sample_interval": steps * 1e-9},
            "options": {"horizon": 3.333333333333333e-4, "contact_radius": 2e-4, "self_contact": True, "force_chains": True}}


@unittest.skipIf(ranks.missing(), ranks.missing())
class RanksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-ranks-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_whole(self, name, scene, count, threads=1, code=0):
        """Directory of a whole run."""
        directory = ranks.prepare(self.folder / f"{name}-{count}-{threads}", scene)
        process = ranks.begin(directory, count, threads=threads)
        self.assertEqual(process.wait(PATIENCE), code, (directory / "log").read_text())
        return directory

    def assertSame(self, one, other):
        self.assertEqual((one / "recording.scree").read_bytes(), (other / "recording.scree").read_bytes(), f"{one.name} and {other.name} differ")

    def test_any_number(self):
        """a crushed pair of hollow spheres has the same bytes on 1, 2, 3, 4 and 8 ranks, of 1 or 2 threads, while bonds break"""
        scene = stack(300)
        alone = self.run_whole("spheres", scene, 0)
        self.assertGreater(ranks.last(alone, "broken_bonds"), 100)
        self.assertGreater(ranks.last(alone, "energy.friction"), 0)
        for count, threads in ((1, 1), (2, 2), (3, 1), (4, 2), (8, 1)):
            self.assertSame(alone, self.run_whole("spheres", scene, count, threads))

    def test_lone_body(self):
        """a cube that breaks as it strikes the floor, cut into tiles, has the same bytes on 2, 3 and 8 ranks"""
        scene = box(14, 20)
        alone = self.run_whole("cube", scene, 0)
        self.assertGreater(ranks.last(alone, "broken_bonds"), 1000)
        for count, threads in ((2, 2), (3, 1), (8, 1)):
            self.assertSame(alone, self.run_whole("cube", scene, count, threads))

    def test_scenes(self):
        """grains in a box, grips, friction on a slope, faces, quasi-static loading, explicit damping have the same bytes on 3 ranks"""
        scenes = {name: ranks.gallery(name) for name in ("eight-grains", "cantilever-sag", "slow-tear", "three-point-bend", "slope-blocks", "cube-settling")}
        scenes["explicit"] = box(12, damping_step="explicit")
        scenes["viscous"] = box(12, friction_law="viscous", contact_surface="nodes")
        for name, scene in scenes.items():
            self.assertSame(self.run_whole(name, scene, 0), self.run_whole(name, scene, 3))

    @staticmethod
    def members(process):
        """Processes of the ranks, in their order."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True)
        return sorted(int(pid) for pid in listed.stdout.split())

    def stop_early(self, name, scene, count):
        """Directory of a run that was asked to stop once it had recorded a frame or two."""
        directory = ranks.prepare(self.folder / name, scene)
        process = ranks.begin(directory, count)
        deadline = time.monotonic() + PATIENCE
        while not (directory / "recording.scree").exists() or (directory / "recording.scree").stat().st_size < 50_000:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), (directory / "log").read_text())
            time.sleep(0.02)
        os.kill(self.members(process)[0], signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 6, (directory / "log").read_text())
        self.assertTrue((directory / "checkpoint.scree").exists(), (directory / "log").read_text())
        return directory

    def test_checkpoint(self):
        """what 4 ranks had saved when they were stopped goes on with 1 process, 1 rank and 3 ranks, and ends with the same bytes"""
        scene = box(14, 20)
        scene["time"]["duration"] = 1e-5
        alone = self.run_whole("whole", scene, 0)
        stopped = self.stop_early("stopped", scene, 4)
        self.assertLess((stopped / "recording.scree").stat().st_size, (alone / "recording.scree").stat().st_size)
        for count in (0, 1, 3):
            again = Path(shutil.copytree(stopped, self.folder / f"again-{count}"))
            process = ranks.begin(again, count)
            self.assertEqual(process.wait(PATIENCE), 0, (again / "log").read_text())
            self.assertIn("going on from a checkpoint", (again / "log").read_text())
            self.assertSame(alone, again)

    def test_killed(self):
        """a rank that is killed ends the others, and the next attempt goes on from the checkpoint to the same bytes"""
        scene = box(14, 20)
        scene["time"]["duration"] = 1e-5
        alone = self.run_whole("whole", scene, 0)
        directory = ranks.prepare(self.folder / "killed", scene)
        process = ranks.begin(directory, 3, checkpoint_seconds=0.1)
        deadline = time.monotonic() + PATIENCE
        while not (directory / "checkpoint.scree").exists():
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), (directory / "log").read_text())
            time.sleep(0.02)
        os.kill(self.members(process)[-1], signal.SIGKILL)
        self.assertNotEqual(process.wait(PATIENCE), 0)
        again = ranks.begin(directory, 2)
        self.assertEqual(again.wait(PATIENCE), 0, (directory / "log").read_text())
        self.assertIn("going on from a checkpoint", (directory / "log").read_text())
        self.assertSame(alone, directory)
