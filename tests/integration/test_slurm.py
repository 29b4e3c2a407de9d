"""A handful of jobs by a real Slurm of one node, while controller, node daemon and screed are killed and come back: every job ends once, and its recording
has the bytes of a run on this machine. The slow form, a study of 60 jobs beside viewers, is `make study-slurm`."""
import time
import unittest

from lab import ENDED, PATIENCE, Lab
from slurm import Slurm

STEPS, LONG = 800, 4000
OPTIONS = ("--executor", "slurm", "--slurm-poll-seconds", 0.3, "--checkpoint-seconds", 0.3, "--threads", 1)


def scene(steps, **changes):
    return Lab.small_scene(steps=steps, frames=30, **changes)


def recording(lab, number):
    return (lab.data / "jobs" / str(number) / "recording.scree").read_bytes()


def stage(job):
    return (job["progress"] or {}).get("stage") or ""


@unittest.skipIf(Slurm.missing(), Slurm.missing())
class SlurmTest(unittest.TestCase):
    def ends_of(self, lab, number):
        """How often the job ended, as its events tell: attempts that were stopped are none."""
        events = lab.json("GET", f"/api/v1/jobs/{number}/events?limit=1000", expect=200)["events"]
        return [event["type"] for event in events if event["type"] in ENDED]

    def test_jobs_end_once_with_the_same_bytes_whatever_is_killed(self):
        """jobs at a real Slurm end once, with the bytes of runs on this machine, whatever is killed meanwhile"""
        with Lab("--threads", 1, "--slots", 2) as here:
            references = {steps: here.submit(scene(steps))["id"] for steps in (STEPS, LONG)}
            references = {steps: recording(here, here.wait(number)["id"]) for steps, number in references.items()}
        with Slurm() as engine, Lab(*OPTIONS, "--slurm-signal-seconds", 54, environment=engine.environment) as lab:
            limited = lab.submit({"scene": scene(LONG), "executor_options": {"time_limit": 60}})["id"]
            plain = [lab.submit(scene(STEPS))["id"] for _ in range(3)]
            endless = lab.submit(scene(10_000_000))["id"]
            impossible = lab.submit({"scene": scene(STEPS), "executor_options": {"partition": "short", "time_limit": 3600}})["id"]
            refused = lab.submit({"scene": scene(STEPS), "executor_options": {"partition": "none"}})["id"]
            lab.wait_until(limited, lambda job: job["progress"] and job["progress"]["step"] > 0, timeout=60 * PATIENCE)
            engine.kill_controller()
            engine.kill_node()
            lab.kill()
            engine.start_node()
            lab.start()
            plain.append(lab.submit(scene(STEPS))["id"])
            lab.wait_until(plain[-1], lambda job: "does not answer" in stage(job), timeout=60 * PATIENCE)
            engine.start_controller()
            engine.wait_for_node()
            for number in plain:
                job = lab.wait(number, timeout=120 * PATIENCE)
                self.assertEqual(job["state"], "succeeded", job["error"])
                self.assertEqual(recording(lab, number), references[STEPS])
            self.assertIn("Invalid partition name", lab.wait(refused)["error"])
            lab.wait_until(impossible, lambda job: "will never start" in stage(job), timeout=60 * PATIENCE)
            shown = lab.json("GET", "/api/v1/executors", expect=200)["executors"][0]
            self.assertTrue(shown["available"])
            self.assertIn("slurm", shown["engine"])
            self.assertEqual([p["name"] for p in shown["partitions"]], ["main", "short"])
            lab.wait_until(endless, lambda job: job["progress"]["step"] > 0, timeout=60 * PATIENCE)
            for number in (endless, impossible):
                lab.json("POST", f"/api/v1/jobs/{number}/cancel", expect=202)
                self.assertEqual(lab.wait(number, timeout=60 * PATIENCE)["state"], "cancelled")
            job = lab.wait(limited, timeout=120 * PATIENCE)
            self.assertEqual(job["state"], "succeeded", job["error"])
            self.assertEqual(recording(lab, limited), references[LONG])
            for number in (*plain, limited, endless, refused):
                self.assertEqual(len(self.ends_of(lab, number)), 0 if number == refused else 1, lab.job(number))
            end = time.monotonic() + 30
            while any(state in ("RUNNING", "PENDING") for _, state, _ in engine.queue()) and time.monotonic() < end:
                time.sleep(0.2)
            names = [name for _, _, name in engine.queue() if f"-{plain[0]}-" in name]
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual([line for line in engine.queue() if line[1] in ("RUNNING", "PENDING")], [])


if __name__ == "__main__":
    unittest.main()
