"""A full disk, made real: screed runs on a small filesystem in memory that the test fills and clears. Needs user namespaces (or root)."""
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from lab import ENDED, Lab

SIZE_MB = 64  # several times what two runs write; the lab takes jobs while more than the reserve is free
RESERVE = "16M"


class SmallDiskLab(Lab):
    """A lab whose data lie on a filesystem of its own, seen from outside through its process."""

    def __init__(self, *options):
        super().__init__(*options)
        self.data.mkdir()
        screed = self.screed
        self.screed = Path(self.own_folder) / "screed-on-small-disk"
        self.screed.write_text(f'#!/bin/sh\nmount -t tmpfs -o size={SIZE_MB}m tmpfs "{self.data}" || exit 1\nexec "{screed}" "$@"\n')
        self.screed.chmod(0o755)
        self.inner = None

    def start(self, *options):
        wrapper, self.screed = self.screed, Path(self.own_folder) / "enter"
        self.screed.write_text(f'#!/bin/sh\nexec unshare --user --map-root-user --mount "{wrapper}" "$@"\n')
        self.screed.chmod(0o755)
        try:
            return super().start(*options)
        finally:
            self.screed = wrapper

    def seen(self, *parts):
        return Path(f"/proc/{self.process.pid}/root{self.data}", *parts)

    def fill(self):
        """Leaves no byte free."""
        with open(self.seen("filler"), "wb", buffering=0) as filler:
            block = b"\0" * 65536
            while block:
                try:
                    if filler.write(block) < len(block):
                        raise OSError
                except OSError:
                    block = block[: len(block) // 2]

    def clear(self):
        self.seen("filler").unlink()


def namespaces_work():
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@unittest.skipUnless(namespaces_work(), "this machine does not allow user namespaces")
class FullDiskTest(unittest.TestCase):
    def test_full_disk(self):
        """A disk that fills up during a run damages nothing: new jobs are refused with the reason, and with room again the job succeeds"""
        scene = Lab.small_scene(steps=6000, frames=300)
        with Lab("--slots", 1) as plain:
            job = plain.wait(plain.submit(scene)["id"], timeout=300)
            self.assertEqual(job["state"], "succeeded", job["error"])
            expected = (plain.data / "jobs" / str(job["id"]) / "recording.scree").read_bytes()
            some = job["progress"]["last_seq"] // 10
        with SmallDiskLab("--slots", 1, "--disk-reserve", RESERVE, "--max-attempts", 50, "--checkpoint-seconds", 0.05) as lab:
            number = lab.submit(scene)["id"]
            lab.wait_until(number, lambda j: j["state"] in ENDED or (j["progress"] and j["progress"]["last_seq"] >= some), timeout=300)
            self.assertEqual(lab.job(number)["state"], "running")
            lab.fill()
            status, _, body = lab.request("POST", "/api/v1/jobs", scene)
            self.assertEqual(status, 503, body)
            self.assertIn(b"reserve", body)
            self.assertEqual(lab.request("GET", "/readyz")[0], 503)
            self.assertEqual(lab.request("GET", "/healthz")[0], 200)
            time.sleep(1.5)
            self.assertNotIn(lab.job(number)["state"], ENDED)
            lab.clear()
            job = lab.wait(number, timeout=300)
            self.assertEqual(job["state"], "succeeded", job["error"])
            self.assertEqual(lab.seen("jobs", str(number), "recording.scree").read_bytes(), expected)
            self.assertEqual(lab.request("GET", "/readyz")[0], 200)
            second = lab.wait(lab.submit(scene)["id"], timeout=300)
            self.assertEqual(second["state"], "succeeded", second["error"])


if __name__ == "__main__":
    unittest.main()
