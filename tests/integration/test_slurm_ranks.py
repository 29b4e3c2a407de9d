"""A job of two ranks by a real Slurm, which starts them by srun: the bytes of a run of one process, also after a rank was killed and after Slurm's word
that the time limit is near."""
import os
import signal
import time
import unittest
from pathlib import Path

import ranks
from lab import Lab
from slurm import Slurm
from test_ranks import box, shared

OPTIONS = ("--executor", "local,slurm", "--slurm-poll-seconds", 0.3, "--checkpoint-seconds", 0.3, "--threads", 2)


def ranks_in(directory):
    """Ids of the ranks that work in a directory."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words[0:1] and words[0].endswith(b"scree-worker-mpi") and str(directory).encode() in words:
            found.append(int(entry.name))
    return sorted(found)


def lacking():
    return Slurm.missing() or ranks.missing()


@unittest.skipIf(lacking(), lacking())
class SlurmRanksTest(unittest.TestCase):
    def recorded(self, lab, number):
        job = lab.wait(number, timeout=240)
        self.assertEqual(job["state"], "succeeded", (job["error"], Path(lab.data, "jobs", str(number), "worker.log").read_text()))
        return Path(lab.data, "jobs", str(number), "recording.scree").read_bytes()

    def running(self, lab, number):
        """The directory of a job whose ranks have got beyond the first steps."""
        directory = Path(lab.data, "jobs", str(number))
        lab.wait_until(number, lambda job: job["progress"] and job["progress"]["step"] > 20 and len(ranks_in(directory)) == 2, timeout=120)
        return directory

    def test_ranks_by_srun(self):
        """a job of 2 ranks by Slurm has the bytes of one process, after the loss of a rank and after the signal of a time limit too"""
        scene = box(12, 20)
        scene["time"]["duration"] = 1.2e-4  # some seconds of work: the ranks must still be at it when they are found
        scene["output"]["frame_interval"] = 2e-6
        with Slurm() as engine, Lab(*OPTIONS, environment=engine.environment) as lab:
            plain = lab.submit(scene)["id"]
            lost = lab.submit({"scene": shared(scene), "executor": "slurm"})["id"]
            directory = self.running(lab, lost)
            os.kill(ranks_in(directory)[-1], signal.SIGKILL)
            warned = lab.submit({"scene": shared(scene), "executor": "slurm"})["id"]  # not before: it could end while the other is waited for
            directory = self.running(lab, warned)
            number = next(job for job, _, name in engine.queue() if f"-{warned}-" in name)
            engine.run("scancel", "--signal=USR1", "--batch", number)
            end = time.monotonic() + 60
            while "asked to stop by a signal" not in (directory / "worker.log").read_text():
                self.assertLess(time.monotonic(), end, (directory / "worker.log").read_text())
                time.sleep(0.1)
            alone = self.recorded(lab, plain)
            for shared_job in (lost, warned):
                self.assertTrue(self.recorded(lab, shared_job) == alone, f"the recording of job {shared_job} differs")
                self.assertIn("continuing from a checkpoint", Path(lab.data, "jobs", str(shared_job), "worker.log").read_text())


if __name__ == "__main__":
    unittest.main()
