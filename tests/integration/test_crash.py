"""Real runs whose worker, daemon or both are killed with -9. The reference is always the recording of the same scene left alone: a run's
recording must not depend on what happened to it, byte for byte."""
import hashlib
import os
import random
import signal
import time
import unittest
from pathlib import Path

from lab import ENDED, PATIENCE, Lab, LabError, SANITIZED

# Long enough to be hit in the middle several times; a sanitized worker is slower by itself.
STEPS = 2000 if SANITIZED else 3000
FRAMES = 150


def scene(name="crash"):
    return Lab.small_scene(steps=STEPS, frames=FRAMES, name=name)


def recording(lab, number):
    """Bytes of a job's recording, from its file: the route that serves it has tests of its own."""
    return (lab.data / "jobs" / str(number) / "recording.scree").read_bytes()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def kill_worker(lab, number, timeout=240 * PATIENCE):
    """Kills the worker of a job, as soon as there is one, and waits until it is dead: one that is inside a write to the disk takes the signal after
    it, and another kill would hit the same worker again. Whether there was one: not when the job has ended."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        pids = lab.worker_pids()
        if pids:
            try:
                os.kill(pids[0], signal.SIGKILL)
            except ProcessLookupError:
                continue
            while pids[0] in lab.worker_pids():
                if time.monotonic() > end:
                    raise LabError(f"worker {pids[0]} goes on after its kill")
                time.sleep(0.001)
            return True
        elif lab.job(number)["state"] in ENDED:
            return False
        time.sleep(0.005)
    raise LabError("no worker to kill")


class CrashTest(unittest.TestCase):
    reference = None

    @classmethod
    def setUpClass(cls):
        with Lab("--slots", 1, "--threads", 1) as lab:
            job = lab.wait(lab.submit(scene())["id"], timeout=300)
            if job["state"] != "succeeded":
                raise LabError(f"the reference run ended as {job['state']}: {job['error']}")
            cls.reference = recording(lab, job["id"])
            cls.records = job["progress"]["last_seq"]

    def wait_for_records(self, lab, number, count):
        return lab.wait_until(number, lambda job: job["state"] in ENDED or (job["progress"] and job["progress"]["last_seq"] >= count), timeout=300)

    def begun(self, lab, count, kill=False):
        """Submits the scene and waits until so many records are there, with `kill` also kills its worker then; again where the run was over first,
        as may happen when this process gets no turn for as long as it takes. Returns the job's number."""
        for _ in range(10):
            number = lab.submit(scene())["id"]
            if self.wait_for_records(lab, number, count)["state"] not in ENDED and (not kill or kill_worker(lab, number)):
                return number
        raise LabError("ten runs were over before anything could be done to them")

    def assert_same_as_reference(self, lab, number):
        self.assertEqual(digest(recording(lab, number)), digest(self.reference))

    def test_thread_counts(self):
        """A recording made with two threads has the same bytes as one made with one"""
        short, found = Lab.small_scene(steps=1000, frames=FRAMES), []  # comes as far as the other, in larger strides
        for threads in (1, 2):
            with Lab("--slots", 1, "--threads", threads) as lab:
                job = lab.wait(lab.submit(short)["id"], timeout=300)
                self.assertEqual(job["state"], "succeeded")
                found.append(digest(recording(lab, job["id"])))
        self.assertEqual(*found)

    def test_killed_worker(self):
        """A run whose worker is killed with -9 at random moments goes on and leaves the same bytes"""
        for seed in (1, 2, 3) if os.environ.get("SCREE_SLOW") else (1, 2):
            chance = random.Random(seed)
            print(f"# seed {seed}")
            with self.subTest(seed=seed), Lab("--slots", 1, "--max-attempts", 10, "--checkpoint-seconds", 0.05) as lab:
                first, *later = sorted(chance.uniform(0.05, 0.9) for _ in range(3))
                number = self.begun(lab, int(first * self.records), kill=True)
                killed = 1
                for moment in later:
                    if self.wait_for_records(lab, number, int(moment * self.records))["state"] in ENDED or not kill_worker(lab, number):
                        break
                    killed += 1
                job = lab.wait(number, timeout=300)
                self.assertEqual(job["state"], "succeeded", job["error"])
                # A kill that hits between the verdict and the exit costs no attempt.
                self.assertIn(job["attempt"], (killed, killed + 1))
                self.assert_same_as_reference(lab, number)

    def test_killed_before_any_checkpoint(self):
        """A worker killed before its first checkpoint begins anew and leaves the same bytes"""
        with Lab("--slots", 1, "--checkpoint-seconds", 3600) as lab:
            number = self.begun(lab, self.records // 4, kill=True)
            job = lab.wait(number, timeout=300)
            self.assertEqual((job["state"], job["attempt"]), ("succeeded", 2), job["error"])
            self.assert_same_as_reference(lab, number)

    def test_killed_for_good(self):
        """A job whose worker dies at every attempt fails with the reason, and what it recorded can still be read"""
        with Lab("--slots", 1, "--max-attempts", 2, "--checkpoint-seconds", 0.05) as lab:
            number = lab.submit(Lab.long_scene())["id"]
            self.wait_for_records(lab, number, 20)
            self.assertTrue(kill_worker(lab, number))
            lab.wait_until(number, lambda job: job["attempt"] == 2 and job["state"] == "running")
            self.assertTrue(kill_worker(lab, number))
            job = lab.wait(number)
            self.assertEqual(job["state"], "failed")
            self.assertIn("SIGKILL", job["error"])
            status, _, body = lab.request("GET", f"/api/v1/jobs/{number}/recording")
            self.assertEqual(status, 200)
            self.assertEqual(body[:8], b"SCREE\x01\0\0")
            curves = lab.json("GET", f"/api/v1/jobs/{number}/curves", expect=200)
            self.assertGreater(len(curves["samples"]), 0)

    def test_killed_daemon(self):
        """After kill -9 of screed in mid-run the job goes on under the next one, alone, and leaves the same bytes"""
        lab = Lab("--slots", 1, "--checkpoint-seconds", 0.05)
        with lab:
            number, submitted = self.begun(lab, self.records // 3), []
            for _ in range(10):
                submitted += [number, lab.submit(scene("second"))["id"]]
                lab.kill()
                lab.start()
                if lab.job(number)["state"] not in ENDED:
                    break
                lab.wait(submitted[-1], timeout=300)  # it was over before the kill: once more
                number = self.begun(lab, self.records // 3)
            waiting, looks = submitted[-1], 0
            recording_file = str(lab.data / "jobs" / str(number) / "recording.scree")
            seen = set()
            while lab.job(number)["state"] not in ENDED:
                writers = {pid for pid in lab.worker_pids() if self.writes(pid, recording_file)}
                # Two may be there, as the old one is still saving while the new one finds the lock held and goes: but one that runs.
                self.assertLessEqual(len(writers), 1, writers)
                seen |= writers
                looks += 1
                time.sleep(0.02)
            if looks > 10:  # not where this process got no turn meanwhile
                self.assertGreaterEqual(len(seen), 1, "no worker was seen with the recording open")
            job = lab.job(number)
            self.assertEqual((job["state"], job["attempt"]), ("succeeded", 1), job["error"])
            self.assert_same_as_reference(lab, number)
            self.assertEqual(lab.wait(waiting, timeout=300)["state"], "succeeded")
            self.assertLessEqual(set(submitted), {j["id"] for j in lab.json("GET", "/api/v1/jobs")["jobs"]})

    @staticmethod
    def writes(pid, path):
        """Whether the process has the file open for writing: only a worker that holds the job's lock opens its recording so."""
        try:
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                if os.readlink(entry) != path:
                    continue
                flags = next(line for line in Path(f"/proc/{pid}/fdinfo/{entry.name}").read_text().splitlines() if line.startswith("flags:"))
                if int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY:
                    return True
        except (OSError, StopIteration):
            pass  # it has ended
        return False

    def test_killed_daemon_and_worker(self):
        """After a power cut, daemon and worker killed at once, the job goes on and leaves the same bytes"""
        lab = Lab("--slots", 1, "--checkpoint-seconds", 0.05)
        with lab:
            number = lab.submit(scene())["id"]
            for part in (4, 2):
                self.wait_for_records(lab, number, self.records // part)
                lab.signal_workers(signal.SIGSTOP)  # so that it can't save a checkpoint when the daemon goes
                lab.kill()
                lab.signal_workers(signal.SIGKILL)
                lab.start()
            job = lab.wait(number, timeout=300)
            self.assertEqual((job["state"], job["attempt"]), ("succeeded", 1), job["error"])
            self.assert_same_as_reference(lab, number)

    def test_stopped_daemon(self):
        """A daemon stopped with SIGTERM sends its running job back to the queue, and the next one goes on to the same bytes"""
        lab = Lab("--slots", 1, "--checkpoint-seconds", 3600)
        with lab:
            for _ in range(10):
                number = self.begun(lab, self.records // 3)
                self.assertEqual(lab.stop(), 0)
                self.assertEqual(lab.worker_pids(), [])
                saved = (lab.data / "jobs" / str(number) / "checkpoint.scree").exists()
                lab.start()
                if lab.job(number)["state"] not in ENDED:  # else it was over before the end of screed
                    break
            self.assertTrue(saved)
            job = lab.wait(number, timeout=300)
            self.assertEqual((job["state"], job["attempt"]), ("succeeded", 1), job["error"])
            self.assert_same_as_reference(lab, number)

    def test_paused_and_resumed(self):
        """A run that is paused and resumed leaves the same bytes"""
        with Lab("--slots", 1) as lab:
            state = "running"
            for _ in range(10):
                number = self.begun(lab, self.records // 3)
                lab.request("POST", f"/api/v1/jobs/{number}/pause")
                state = lab.wait_until(number, lambda job: job["state"] == "paused" or job["state"] in ENDED)["state"]
                if state == "paused":  # else it was over before it was asked
                    break
            self.assertEqual(state, "paused")
            self.assertEqual(lab.worker_pids(), [])
            lab.json("POST", f"/api/v1/jobs/{number}/resume", expect=202)
            self.assertEqual(lab.wait(number, timeout=300)["state"], "succeeded")
            self.assert_same_as_reference(lab, number)

    def test_cancelled(self):
        """A running job that is cancelled closes its recording with that verdict"""
        with Lab("--slots", 1) as lab:
            number = lab.submit(Lab.long_scene())["id"]
            self.wait_for_records(lab, number, 20)
            lab.json("POST", f"/api/v1/jobs/{number}/cancel", expect=202)
            self.assertEqual(lab.wait(number)["state"], "cancelled")
            self.assertIn(b'"verdict":"cancelled"', recording(lab, number)[-2000:].replace(b": ", b":"))


if __name__ == "__main__":
    unittest.main()
