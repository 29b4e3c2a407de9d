"""`scree run` leaves the same bytes whatever the thread count and however often it was killed."""
import json
import random
import signal
import tempfile
import time
import unittest
from pathlib import Path

from command import begin, scree
from lab import PATIENCE, SANITIZED, Lab

STEPS = 1500 if SANITIZED else 6000


class DeterminismTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        cls.scene = cls.root / "scene.json"
        text = Lab.small_scene(steps=STEPS, frames=60)
        cls.scene.write_text(json.dumps(text))
        result = scree("run", cls.scene, "-o", cls.root / "reference", "--threads", 1)
        if result.code != 0:
            raise RuntimeError(f"the reference run failed: {result}")
        cls.reference = cls.files(cls.root / "reference")

    @staticmethod
    def files(folder):
        return {name: (folder / name).read_bytes() for name in ("recording.scree", "curves.csv", "plot.svg", "fragments.svg", "scene.json")}

    def test_threads(self):
        """One, two and three threads leave the same bytes in every file"""
        for threads in (2, 3):
            out = self.root / f"threads-{threads}"
            self.assertEqual(scree("run", self.scene, "-o", out, "--threads", threads).code, 0)
            self.assertEqual(self.files(out), self.reference)

    def test_interrupted(self):
        """A run interrupted three times, each time with a checkpoint, leaves the same bytes"""
        self.disturb("interrupted", signal.SIGINT, 11)

    def test_killed(self):
        """A run killed with -9 at random moments and begun again leaves the same bytes"""
        self.disturb("killed", signal.SIGKILL, 12)

    @staticmethod
    def await_size(process, path, size):
        """Waits until a run has recorded so much, and some of it by itself, or ended."""
        def now():
            return path.stat().st_size if path.exists() else 0
        before, begun = now(), False
        while process.poll() is None and not (begun and now() >= size):
            begun = begun or now() != before
            time.sleep(0.005)

    def disturb(self, name, number, seed):
        chance, out, hits = random.Random(seed), self.root / name, 0
        print(f"# seed {seed}")
        for share in sorted(chance.uniform(0.1, 0.8) for _ in range(3)):
            process = begin("run", self.scene, "-o", out, "--threads", chance.choice((1, 2)))
            self.await_size(process, out / "recording.scree", share * len(self.reference["recording.scree"]))
            process.send_signal(number)
            _, errors = process.communicate(timeout=60 * PATIENCE)
            self.assertIn(process.returncode, (0, 130, -signal.SIGKILL), errors)
            hits += process.returncode != 0
        self.assertGreaterEqual(hits, 1, "no signal came before the run's end")
        last = scree("run", self.scene, "-o", out)
        self.assertEqual(last.code, 0, last)
        self.assertEqual(self.files(out), self.reference)


if __name__ == "__main__":
    unittest.main()
