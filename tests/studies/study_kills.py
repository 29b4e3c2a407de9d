#!/usr/bin/env python3
"""kill -9 of 65 workers and 25 daemons at random moments, while jobs are submitted: is anything lost, and are all bytes equal?

    study_kills.py REPORT [SEED]

Workers are killed while one daemon lives; then daemons, their workers being left to notice it or killed with them. Meanwhile another thread submits
jobs with keys and repeats what was not acknowledged. Afterwards every acknowledged job must have succeeded once, with the recording of a run that
was left alone, byte for byte, and nothing else may be in the data directory. Exit code 1 when not."""
import hashlib
import http.client
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from lab import ENDED, Lab, LabError  # noqa: E402

WORKER_KILLS, DAEMON_KILLS, JOBS = 65, 25, 24
OPTIONS = ("--slots", 2, "--threads", 1, "--checkpoint-seconds", 0.05, "--max-attempts", 100, "--lease-seconds", 20)


def scene():
    return Lab.small_scene(steps=6000, frames=60, name="kills")


def digest(lab, number):
    return hashlib.sha256((lab.data / "jobs" / str(number) / "recording.scree").read_bytes()).hexdigest()


class Submitter(threading.Thread):
    """Submits jobs one after another, each with a key, and repeats those whose answer did not come."""

    def __init__(self, lab):
        super().__init__(daemon=True)
        self.lab, self.given, self.repeated = lab, {}, 0

    def run(self):
        for k in range(JOBS):
            while True:
                try:
                    self.given[k] = self.lab.json("POST", "/api/v1/jobs", scene(), {"Idempotency-Key": f"job-{k}"})["id"]
                    break
                except (OSError, http.client.HTTPException, LabError, KeyError, ValueError, TypeError):
                    self.repeated += 1
                    time.sleep(0.05)
            time.sleep(2.0)  # so that some fall into the kills of daemons


def kill_workers(lab, chance):
    """Returns how many were killed."""
    killed, end = 0, time.monotonic() + 300
    while killed < WORKER_KILLS and time.monotonic() < end:
        time.sleep(chance.uniform(0.0, 0.25))
        pids = lab.worker_pids()
        if pids:
            try:
                os.kill(chance.choice(pids), signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
    return killed


def kill_daemons(lab, chance):
    """Returns how many were killed, and how many workers with them."""
    with_them = 0
    for _ in range(DAEMON_KILLS):
        time.sleep(chance.uniform(0.0, 0.6))
        pids = lab.worker_pids() if chance.random() < 0.5 else []
        for pid in pids:  # so that it can't save a checkpoint when the daemon goes: as in a power cut
            os.kill(pid, signal.SIGSTOP)
        lab.kill()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                with_them += 1
            except ProcessLookupError:
                pass
        lab.start()
    return DAEMON_KILLS, with_them


def look(lab, given, reference):
    """Everything that is not as it should be, as sentences."""
    wrong, attempts = [], 0
    jobs = {}
    path = "/api/v1/jobs?limit=200"
    while path:
        page = lab.json("GET", path, expect=200)
        jobs |= {job["id"]: job for job in page["jobs"]}
        path = f"/api/v1/jobs?limit=200&cursor={page['next']}" if page["next"] else None
    if sorted(jobs) != sorted(given.values()):
        wrong.append(f"acknowledged were {sorted(given.values())}, there are {sorted(jobs)}")
    for number, job in sorted(jobs.items()):
        attempts += len(lab.json("GET", f"/api/v1/jobs/{number}/attempts", expect=200)["attempts"])
        if job["state"] != "succeeded":
            wrong.append(f"job {number} is {job['state']}: {job['error']}")
        elif digest(lab, number) != reference:
            wrong.append(f"the recording of job {number} differs")
        ends = [e for e in lab.json("GET", f"/api/v1/jobs/{number}/events?limit=1000", expect=200)["events"] if e["type"] == "succeeded"]
        if len(ends) != 1:
            wrong.append(f"job {number} ended {len(ends)} times")
    folders = sorted(int(p.name) for p in (lab.data / "jobs").iterdir())
    if folders != sorted(jobs) or list((lab.data / "trash").iterdir()):
        wrong.append(f"the data directory holds the jobs {folders} and in the trash {list((lab.data / 'trash').iterdir())}")
    return wrong, attempts


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    with Lab(*OPTIONS) as lab:
        number = lab.submit(scene())["id"]
        assert lab.wait(number, timeout=120)["state"] == "succeeded"
        reference = digest(lab, number)
    begun = time.monotonic()
    with Lab(*OPTIONS) as lab:
        submitter = Submitter(lab)
        submitter.start()
        workers = kill_workers(lab, chance)
        daemons, with_them = kill_daemons(lab, chance)
        submitter.join(timeout=120)
        for number in submitter.given.values():
            lab.wait_until(number, lambda job: job["state"] in ENDED, timeout=300)
        wrong, attempts = look(lab, submitter.given, reference)
    seconds = time.monotonic() - begun
    text = f"""# kill -9

`make study-kills`, seed {seed}: {workers} workers and {daemons} daemons killed with SIGKILL at random moments in {seconds:.0f} s, {with_them} more workers
together with their daemon, while {len(submitter.given)} jobs were submitted with keys ({submitter.repeated} submissions repeated because no answer came).
The jobs took {attempts} attempts.

{'**Nothing was lost:** every acknowledged job is there, succeeded once, and its recording has the bytes of a run that was left alone.' if not wrong else 'What is wrong:'}
""" + "".join(f"- {line}\n" for line in wrong)
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)
    enough = workers == WORKER_KILLS and len(submitter.given) == JOBS
    return 1 if wrong or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
