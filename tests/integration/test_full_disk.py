"""A full disk, made real: screed runs on a small filesystem in memory that the test fills and clears. Needs user namespaces (or root)."""
import os
import signal
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

    def __init__(self, *options, size_mb=SIZE_MB):
        super().__init__(*options)
        self.data.mkdir()
        screed = self.screed
        self.screed = Path(self.own_folder) / "screed-on-small-disk"
        self.screed.write_text(f'#!/bin/sh\nmount -t tmpfs -o size={size_mb}m tmpfs "{self.data}" || exit 1\nexec "{screed}" "$@"\n')
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

    def free(self):
        about = os.statvfs(self.seen())
        return about.f_bavail * about.f_frsize

    def fill(self, name="filler"):
        """Leaves no byte free."""
        with open(self.seen(name), "wb", buffering=0) as filler:
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
        scene = Lab.small_scene(steps=3000, frames=300)
        with Lab("--slots", 1) as plain:
            job = plain.wait(plain.submit(scene)["id"], timeout=300)
            self.assertEqual(job["state"], "succeeded", job["error"])
            expected = (plain.data / "jobs" / str(job["id"]) / "recording.scree").read_bytes()
            some = job["progress"]["last_seq"] // 20
        with SmallDiskLab("--slots", 1, "--disk-reserve", RESERVE, "--max-attempts", 1, "--checkpoint-seconds", 0.05) as lab:
            for _ in range(10):  # again where the run was over before it could be stopped
                number = lab.submit(scene)["id"]
                lab.wait_until(number, lambda j: j["state"] in ENDED or (j["progress"] and j["progress"]["last_seq"] >= some), timeout=300)
                lab.signal_workers(signal.SIGSTOP)  # it waits until the disk is full, however long that takes
                if lab.job(number)["state"] == "running":
                    break
                lab.wait(number)
                lab.request("DELETE", f"/api/v1/jobs/{number}")
            self.assertEqual(lab.job(number)["state"], "running")
            lab.fill()
            lab.signal_workers(signal.SIGCONT)
            status, _, body = lab.request("POST", "/api/v1/jobs", scene)
            self.assertEqual(status, 503, body)
            self.assertIn(b"reserve", body)
            self.assertEqual(lab.request("GET", "/readyz")[0], 503)
            self.assertEqual(lab.request("GET", "/healthz")[0], 200)
            waiting = lab.wait_until(number, lambda j: j["state"] != "running")
            self.assertEqual((waiting["state"], waiting["waiting"], waiting["attempt"]), ("queued", "disk", 0), waiting["error"])
            self.assertIn("free disk space", waiting["error"])
            time.sleep(1.5)
            self.assertEqual(lab.job(number)["state"], "queued")
            outcomes = [a["outcome"] for a in lab.json("GET", f"/api/v1/jobs/{number}/attempts", expect=200)["attempts"]]
            self.assertEqual(set(outcomes), {"disk_full"})
            lab.clear()
            job = lab.wait(number, timeout=300)
            self.assertEqual(job["state"], "succeeded", job["error"])
            self.assertEqual(lab.seen("jobs", str(number), "recording.scree").read_bytes(), expected)
            self.assertEqual(lab.request("GET", "/readyz")[0], 200)
            second = lab.wait(lab.submit(scene)["id"], timeout=300)
            self.assertEqual(second["state"], "succeeded", second["error"])

    def test_full_disk_is_cured_through_the_product(self):
        """On a disk without a byte free jobs are cancelled, paused and deleted, which makes room for the ones that wait; and SIGTERM is obeyed at once"""
        scene = Lab.small_scene(steps=2000, frames=300)
        with SmallDiskLab("--slots", 2, "--disk-reserve", "4M", "--max-attempts", 1, "--checkpoint-seconds", 0.05) as lab:  # two long ones fit, beside the reserve
            ended = lab.wait(lab.submit(scene)["id"], timeout=300)
            self.assertEqual(ended["state"], "succeeded", ended["error"])
            running = [lab.submit(Lab.small_scene(steps=2_000_000, frames=1500))["id"] for _ in range(2)]
            for number in running:
                lab.wait_until(number, lambda j: j["progress"] and j["progress"]["step"] > 0)
            lab.fill()
            for number in running:  # no worker is left that could write, and no job runs without one
                job = lab.wait_until(number, lambda j: j["state"] != "running")
                self.assertEqual((job["state"], job["waiting"]), ("queued", "disk"), job["error"])
            lab.fill("second filler")  # should the reserve's file have been given up, that room is gone too, and yet:
            self.assertEqual(lab.request("POST", f"/api/v1/jobs/{running[0]}/cancel")[0], 202)
            self.assertEqual(lab.request("DELETE", f"/api/v1/jobs/{ended['id']}")[0], 204)
            self.assertGreater(lab.free(), 1 << 20)
            self.assertEqual(lab.request("POST", f"/api/v1/jobs/{running[1]}/pause")[0], 202)
            self.assertEqual(lab.request("DELETE", f"/api/v1/jobs/{running[0]}")[0], 204)
            lab.fill()
            begun = time.monotonic()
            self.assertEqual(lab.stop(timeout=120), 0)
            self.assertLess(time.monotonic() - begun, 60)

    def test_jobs_keep_off_the_reserve(self):
        """Twelve jobs on a small disk never eat into its reserve: each starts when there is room for what it may write, and all succeed"""
        scene = Lab.small_scene(steps=1000, frames=60)
        with SmallDiskLab("--slots", 4, "--threads", 1, "--disk-reserve", "4M", size_mb=16) as lab:
            need = lab.json("POST", "/api/v1/scenes/check", scene, expect=200)["estimate"]
            jobs = [lab.submit(scene)["id"] for _ in range(12)]
            least = lab.free()
            while jobs:
                states = {number: lab.job(number) for number in jobs}
                least = min(least, lab.free())
                for number, job in states.items():
                    if job["state"] in ENDED:
                        self.assertEqual(job["state"], "succeeded", job["error"])
                        self.assertEqual(lab.request("DELETE", f"/api/v1/jobs/{number}")[0], 204)
                        jobs.remove(number)
                time.sleep(0.05)
            print(f"# expected to write {need['record_bytes'] / 1e6:.1f} MB each; least free {least / 1e6:.1f} MB")
            self.assertGreaterEqual(least, 2 << 20)  # half of the reserve is the reserve's file


if __name__ == "__main__":
    unittest.main()
