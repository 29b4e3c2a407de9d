"""The Slurm executor against an engine that is played (tests/support/played_slurm.py), so that what a real one does rarely happens here each time: it is
away, it refuses, it takes a job and its answer is lost, it prints nonsense, it loses a node whose worker lives on. What counts is the same each time:
a job ends once, and its recording has the bytes of a run on this machine."""
import json
import os
import signal
import time
import unittest

from command import scree
from lab import ENDED, Lab, LabError
from played_slurm import PlayedSlurm, end_process, is_alive

SHORT, LONG = 200, 3000  # steps: done at once; long enough to be met in the middle
OPTIONS = ("--executor", "slurm", "--slurm-poll-seconds", 0.2, "--checkpoint-seconds", 0.2, "--threads", 1)


def scene(steps=SHORT):
    return Lab.small_scene(steps=steps, frames=30)


def recording(lab, number):
    return (lab.data / "jobs" / str(number) / "recording.scree").read_bytes()


def outcomes(lab, number):
    return [a["outcome"] for a in lab.json("GET", f"/api/v1/jobs/{number}/attempts", expect=200)["attempts"]]


def stage(job):
    return (job["progress"] or {}).get("stage") or ""


class PlayedSlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Lab("--threads", 1) as lab:
            cls.reference, cls.long_reference = (recording(lab, lab.wait(lab.submit(scene(steps))["id"])["id"]) for steps in (SHORT, LONG))

    def setUp(self):
        self.engine = PlayedSlurm()
        self.addCleanup(self.engine.__exit__)

    def lab(self, *options, **named):
        return Lab(*OPTIONS, *options, environment=self.engine.environment, **named)

    def assert_as_here(self, lab, number, reference=None):
        job = lab.wait(number, timeout=60)
        self.assertEqual(job["state"], "succeeded", job["error"])
        self.assertEqual(recording(lab, number), reference or self.reference)
        return job

    def wait_for_stage(self, lab, number, word):
        return lab.wait_until(number, lambda job: word in stage(job) or job["state"] in ENDED, timeout=30)

    def test_a_job_runs_there_with_what_it_asked_for(self):
        with self.lab("--slurm-partition", "main") as lab:
            body = {"scene": scene(), "executor": "slurm", "threads": 2,
                    "executor_options": {"account": "physics", "constraint": "avx512&ssd", "gres": "gpu:a100:1", "time_limit": 3600}}
            number = lab.submit(body)["id"]
            job = self.assert_as_here(lab, number)
            self.assertEqual(job["executor"], "slurm")
            self.assertEqual(job["executor_options"], body["executor_options"])
            options = self.engine.jobs()[0]["options"]
            self.assertEqual([options[k] for k in ("partition", "account", "constraint", "gres", "time", "cpus-per-task", "signal")],
                             ["main", "physics", "avx512&ssd", "gpu:a100:1", "60", "2", "B:USR1@60"])
            self.assertIn("no-requeue", options)
            refused = lab.json("POST", "/api/v1/jobs", {"scene": scene(), "executor": "local"}, expect=400)
            self.assertIn("'local' is not configured", json.dumps(refused))
            refused = lab.json("POST", "/api/v1/jobs", {"scene": scene(), "executor_options": {"partition": "-x", "time_limit": 2}}, expect=400)
            self.assertIn("partition", json.dumps(refused))

    def test_what_this_machine_lacks_a_node_may_have(self):
        """A device that this machine lacks is warned of where a job goes to Slurm, and refused where it stays here; so are ranks"""
        with self.lab("--executor", "local,slurm") as lab:
            away = dict(scene(), run={"device": "gpu:77"})
            [refused] = lab.json("POST", "/api/v1/scenes/check", away, expect=422)["errors"]
            self.assertEqual(refused["pointer"], "/run/device")
            warnings = lab.json("POST", "/api/v1/scenes/check?executor=slurm", away, expect=200)["warnings"]
            [warned] = [one for one in warnings if one["pointer"] == "/run/device"]
            self.assertIn("a node of slurm may", warned["detail"])
            lab.json("POST", "/api/v1/scenes/check?executor=nowhere", away, expect=400)
            job = lab.json("POST", "/api/v1/jobs", {"scene": away, "executor": "slurm"}, expect=201)
            self.assertEqual(job["run"]["device"], "gpu:77")
            self.assertIn("/run/device", [one["pointer"] for one in job["warnings"]])
            ended = lab.wait(job["id"])
            self.assertEqual(ended["state"], "failed")
            self.assertIn("run.device is 'gpu:77'", ended["error"])

    def test_without_slurm_it_does_not_start_and_local_jobs_take_no_options(self):
        with self.assertRaisesRegex(Exception, "sbatch is not in PATH"):
            Lab("--executor", "slurm", environment={"PATH": "/nonexistent"}).start()
        with Lab() as lab:
            refused = lab.json("POST", "/api/v1/jobs", {"scene": scene(), "executor_options": {"partition": "main"}}, expect=400)
            self.assertIn("batch engine", json.dumps(refused))

    def linked_data(self):
        """A data directory whose jobs and assets lie elsewhere, as deploy/slurm has it with a file system that nodes share."""
        shared, data = self.engine.folder / "shared", self.engine.folder / "data"
        data.mkdir()
        for name in ("jobs", "trash", "assets"):
            (shared / name).mkdir(parents=True)
            (data / name).symlink_to(shared / name)
        return shared, data

    def test_both_executors_work_side_by_side(self):
        """both executors work side by side, with jobs in a shared file system"""
        shared, data = self.linked_data()
        with Lab("--executor", "local,slurm", *OPTIONS[2:], environment=self.engine.environment, data=data) as lab:
            self.engine.mode("hold")
            there = lab.submit({"scene": scene(), "executor": "slurm"})["id"]
            here = lab.submit(scene())["id"]
            self.assertEqual(self.assert_as_here(lab, here)["executor"], "local")
            self.wait_for_stage(lab, there, "behind others")
            lab.json("POST", f"/api/v1/jobs/{there}/cancel", expect=202)
            self.assertEqual(lab.wait(there)["state"], "cancelled")
            self.assertEqual(self.engine.jobs()[0]["state"], "CANCELLED")
            self.assertEqual(self.engine.jobs()[0]["chdir"], str(shared / "jobs" / str(there)))
            self.assertEqual(lab.request("DELETE", f"/api/v1/jobs/{here}")[0], 204)
            self.assertFalse((shared / "jobs" / str(here)).exists())

    def test_an_engine_that_is_away_is_waited_for(self):
        self.engine.mode("away")
        with self.lab() as lab:
            number = lab.submit(scene())["id"]
            self.wait_for_stage(lab, number, "does not answer")
            self.engine.mode("run")
            self.assert_as_here(lab, number)
            self.assertEqual(len(self.engine.jobs()), 1)

    def test_a_job_whose_answer_was_lost_is_not_sent_twice(self):
        self.engine.mode("mute")
        with self.lab() as lab:
            self.assert_as_here(lab, lab.submit(scene())["id"])
            self.assertEqual(len(self.engine.jobs()), 1)

    def test_a_refusal_fails_the_job_with_the_engines_words(self):
        self.engine.mode("refuse")
        with self.lab() as lab:
            job = lab.wait(lab.submit(scene())["id"])
            self.assertEqual(job["state"], "failed")
            self.assertIn("Invalid partition name specified", job["error"])
            self.assertEqual(outcomes(lab, job["id"]), ["refused"])

    def test_a_job_that_will_never_start_says_so(self):
        self.engine.mode("hold")
        with self.lab() as lab:
            number = lab.submit(scene())["id"]
            self.wait_for_stage(lab, number, "behind others")
            self.engine.change(1, reason="PartitionConfig")
            self.wait_for_stage(lab, number, "will never start")
            shown = lab.json("GET", "/api/v1/executors", expect=200)["executors"][0]
            words = scree("executors", server=lab.url).out
            self.assertRegex(words, r"(?s)^slurm: played 1.0, answers, at most 64 jobs at once, 0 running, 1 waiting\n  partition main \(default\): up, 6 of 8 ")
            self.assertIn(f"job {number} will never start", words)
            self.assertTrue(shown["available"])
            self.assertEqual([(w["job"], w["for_ever"]) for w in shown["waiting"]], [(number, True)])
            self.assertEqual([(p["name"], p["up"], p["idle_processors"]) for p in shown["partitions"]], [("main", True, 6), ("long", False, 0)])
            lab.json("POST", f"/api/v1/jobs/{number}/pause", expect=202)
            lab.wait_until(number, lambda job: job["state"] == "paused", timeout=30)
            self.engine.mode("run")
            lab.json("POST", f"/api/v1/jobs/{number}/resume", expect=202)
            self.assert_as_here(lab, number)

    def frozen(self, lab, steps=LONG):
        """A job whose worker was stopped as it was stepping: it holds its directory, and hears nothing until `thaw`. Returns its number and its process."""
        for _ in range(10):
            number = lab.submit(scene(steps))["id"]
            path = lab.data / "jobs" / str(number) / "recording.scree"
            lab.wait_until(number, lambda job: job["state"] in ENDED or (path.exists() and path.stat().st_size > 0), timeout=60)
            pid = self.engine.jobs()[-1]["pid"]
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                continue
            if is_alive(pid) and lab.job(number)["state"] not in ENDED:
                return number, pid
            end_process(pid, signal.SIGCONT)
        raise LabError("ten runs were over before they could be stopped")

    @staticmethod
    def thaw(pid):
        os.kill(pid, signal.SIGCONT)

    def test_a_daemon_that_dies_finds_its_jobs_again(self):
        """a daemon that dies finds its jobs again and sends none twice, whatever Slurm's queue prints"""
        with self.lab() as lab:
            number, pid = self.frozen(lab)
            sent = len(self.engine.jobs())
            lab.kill()
            self.engine.mode("nonsense")
            lab.start()
            self.assertEqual(lab.job(number)["state"], "running")
            self.engine.mode("run")
            self.thaw(pid)
            job = self.assert_as_here(lab, number, self.long_reference)
            self.assertEqual((len(self.engine.jobs()), job["attempt"]), (sent, 1))

    def test_a_job_that_ends_while_no_daemon_is_there_is_taken_as_it_ended(self):
        with self.lab() as lab:
            number, pid = self.frozen(lab)
            lab.stop()
            self.thaw(pid)
            while is_alive(pid):
                time.sleep(0.05)
            self.engine.forget(self.engine.jobs()[-1]["number"])
            lab.start()
            self.assertEqual(lab.wait(number)["state"], "succeeded")
            self.assertEqual(outcomes(lab, number), ["succeeded"])

    def test_a_lost_node_whose_worker_lives_on_makes_no_second_writer(self):
        with self.lab() as lab:
            number, pid = self.frozen(lab)
            sent = len(self.engine.jobs())
            self.engine.change(sent, state="NODE_FAIL")
            end = time.monotonic() + 30
            while len(self.engine.jobs()) == sent and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(1.5)
            self.assertNotIn(lab.job(number)["state"], ENDED)
            self.thaw(pid)
            self.assert_as_here(lab, number, self.long_reference)
            self.assertFalse(is_alive(pid))
            self.assertIn("another attempt has taken over", (lab.data / "jobs" / str(number) / "worker.log").read_text())
            self.assertEqual(outcomes(lab, number)[1:], ["succeeded"])

    def test_what_ends_a_worker_is_told_apart(self):
        with self.lab() as lab:
            number = lab.submit(scene(200000))["id"]
            lab.wait_until(number, lambda job: job["progress"] and job["progress"]["step"] > 0, timeout=60)
            os.kill(self.engine.jobs()[0]["pid"], signal.SIGUSR1)  # as Slurm does before the time limit
            lab.wait_until(number, lambda job: len(outcomes(lab, number)) == 2 and job["progress"]["stage"] is None, timeout=60)
            self.assertEqual(outcomes(lab, number)[0], "stopped")
            job = lab.wait_until(number, lambda job: job["progress"]["steps_per_second"], timeout=60)
            self.assertEqual(job["attempt"], 1)
            end_process(self.engine.jobs()[1]["pid"], signal.SIGKILL)
            self.engine.change(2, state="OUT_OF_MEMORY")
            lab.wait_until(number, lambda job: len(outcomes(lab, number)) == 3, timeout=60)
            self.assertEqual(outcomes(lab, number)[1], "died")
            lab.wait_until(number, lambda job: job["attempt"] == 2 and job["progress"]["steps_per_second"], timeout=60)
            self.engine.change(3, state="CANCELLED")  # somebody's scancel
            end_process(self.engine.jobs()[2]["pid"], signal.SIGTERM)
            job = lab.wait(number, timeout=60)
            self.assertEqual(job["state"], "cancelled")
            self.assertIn("scancel", job["error"])
            self.assertEqual(len(self.engine.jobs()), 3)


if __name__ == "__main__":
    unittest.main()
