#!/usr/bin/env python3
"""A study of 60 runs by a real Slurm of one node, beside live viewers, while controller, node daemon and screed are killed: does every job end once, with
the bytes of a run on this machine?

    study_slurm.py REPORT [SEED]

screed is killed ten times; in between the controller is killed and comes back, and the node daemon is killed and stays away for long enough that Slurm gives up
the node, while the workers on it live on; one more job takes longer than that, and another has a time limit of a minute and needs several.
Afterwards each job must have ended once, its recording must have the bytes of the same scene run here, each record that a viewer saw must be in it, and nothing of them may be left at Slurm. Exit code 1 when not."""
import hashlib
import random
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import ws  # noqa: E402
from lab import ENDED, Lab, LabError  # noqa: E402
from slurm import Slurm  # noqa: E402

ROWS, STEPS, LIMITED_STEPS, LONG_STEPS, DAEMON_KILLS, VIEWERS = 60, 3000, 12000, 30000, 10, 3
PLACED = ("--executor", "slurm", "--slurm-poll-seconds", 0.5, "--slurm-signal-seconds", 54, "--checkpoint-seconds", 0.5, "--threads", 1, "--max-attempts", 20)
VELOCITY = "/rig/walls/z_max/program/0/velocity"


def base():
    return Lab.small_scene(steps=STEPS, frames=40, name="slurm")


def study():
    velocity = base()["rig"]["walls"]["z_max"]["program"][0]["velocity"]
    return {"scree_study": 1, "name": "slurm", "scene": base(), "results": {"force": "max(wall.z_max.force_z)"},
            "factors": {"velocity": {"pointer": VELOCITY, "values": [velocity * (1 - 0.01 * k) for k in range(ROWS)]}}}


def alone(steps):
    return Lab.small_scene(steps=steps, frames=40, name="alone")


def digest(lab, number):
    return hashlib.sha256((lab.data / "jobs" / str(number) / "recording.scree").read_bytes()).hexdigest()


def rows_of(lab, number):
    return lab.json("GET", f"/api/v1/studies/{number}/rows?limit=200", expect=200)["rows"]


def run_study(lab):
    """Runs it undisturbed. Returns digests of recordings by row."""
    number = lab.json("POST", "/api/v1/studies", study(), expect=201)["id"]
    while lab.json("GET", f"/api/v1/studies/{number}")["state"] != "finished":
        time.sleep(0.2)
    return {row["number"]: digest(lab, row["job"]) for row in rows_of(lab, number)}


class Viewer(threading.Thread):
    """Watches one job after another, through restarts of screed, and keeps what it saw of each."""

    def __init__(self, lab, numbers):
        super().__init__(daemon=True)
        self.lab, self.numbers, self.seen, self.done = lab, numbers, {}, False

    def watch(self, number):
        stream = ws.Stream(self.lab.port, timeout=20)
        try:
            stream.send(type="subscribe", stream=1, job=number)
            while not self.done:
                message = stream.message()
                if not ws.is_record(message) or message.stream != 1:
                    continue
                self.seen.setdefault(number, {})[message.seq] = ws.as_in_file(message)
                if message.type == ws.FRAME:
                    stream.send(type="ack", stream=1, seq=message.seq)
                if message.type == ws.END:
                    return True
        finally:
            stream.close()
        return False

    def run(self):
        while self.numbers and not self.done:
            try:
                if self.watch(self.numbers[0]):
                    self.numbers.pop(0)
            except (OSError, ws.Closed, ws.Refused, AttributeError, TypeError, KeyError):
                time.sleep(0.3)


def lose_node(lab, engine):
    """Kills the node daemon and waits until Slurm has given up the node, for two minutes at most."""
    before = set(lab.worker_pids())
    engine.kill_node()
    begun, state = time.monotonic(), ""
    while not state.startswith("down") and time.monotonic() - begun < 120:
        time.sleep(0.25)
        state = engine.node_state()
    left = set(lab.worker_pids()) & before
    return f"node daemon killed beside {len(before)} workers: after {time.monotonic() - begun:.0f} s Slurm called the node {state}, and {len(left)} of them lived on"


def disturb(lab, engine, chance):
    """Kills and restarts. Returns sentences of what was done."""
    told = []
    for kill in range(DAEMON_KILLS):
        time.sleep(chance.uniform(1, 5))
        if kill == 4:
            engine.kill_controller(saved=False)
            told.append("controller killed while jobs were queued and running, away for 6 s")
        lab.kill()
        time.sleep(chance.uniform(0, 2))
        lab.start()
        if kill == 4:
            time.sleep(6)
            engine.start_controller()
            engine.wait_for_node()
        if kill == 0:
            told.append(lose_node(lab, engine))
            engine.start_node()
            engine.wait_for_node()
    told.append(f"screed killed {DAEMON_KILLS} times")
    return told


def records_of(lab, number):
    """Bytes of the records of a recording, by seq."""
    data, records, at = (lab.data / "jobs" / str(number) / "recording.scree").read_bytes(), {}, 8
    while at < len(data):
        size = 32 + (ws.RECORD.unpack_from(data, at)[0] + 7) // 8 * 8
        record = ws.parse_record(data[at:at + size])
        records[record.seq] = record.raw
        at += size
    return records


def look(lab, engine, jobs, references, viewers):
    """Everything that is not as it should be, as sentences; and numbers."""
    wrong, attempts, outcomes = [], 0, {}
    for key, number in jobs.items():
        job = lab.job(number)
        tries = lab.json("GET", f"/api/v1/jobs/{number}/attempts", expect=200)["attempts"]
        attempts += len(tries)
        for one in tries:
            outcomes[one["outcome"]] = outcomes.get(one["outcome"], 0) + 1
        ends = [e for e in lab.json("GET", f"/api/v1/jobs/{number}/events?limit=1000", expect=200)["events"] if e["type"] in ENDED]
        if job["state"] != "succeeded":
            wrong.append(f"job {number} is {job['state']}: {job['error']}")
        elif digest(lab, number) != references[key]:
            wrong.append(f"the recording of job {number} differs from that of the same scene run here")
        if len(ends) != 1:
            wrong.append(f"job {number} ended {len(ends)} times")
    seen = 0
    for viewer in viewers:
        for number, records in viewer.seen.items():
            held = records_of(lab, number)
            seen += len(records)
            if any(held.get(seq) != raw for seq, raw in records.items()):
                wrong.append(f"a viewer saw something of job {number} that its recording does not hold")
    taken_over = sum("another attempt has taken over" in (lab.data / "jobs" / str(number) / "worker.log").read_text(errors="replace") for number in jobs.values())
    if seen == 0:
        wrong.append("the viewers saw nothing")
    names = [name for _, state, name in engine.queue() if state in ("RUNNING", "PENDING")]
    if names:
        wrong.append(f"left at Slurm: {names}")
    return wrong, attempts, outcomes, seen, taken_over


def wait_for(lab, number, limit):
    """The study's jobs by row, when all have ended; through restarts of nobody any more."""
    end = time.monotonic() + limit
    while lab.json("GET", f"/api/v1/studies/{number}")["state"] != "finished":
        if time.monotonic() > end:
            raise LabError(f"the study has not finished after {limit} s: {lab.json('GET', f'/api/v1/studies/{number}')}")
        time.sleep(0.5)
    return {row["number"]: row["job"] for row in rows_of(lab, number)}


def main():
    if Slurm.missing():
        sys.exit(f"study_slurm: {Slurm.missing()}")
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    with Lab("--threads", 1, "--slots", 2) as here:
        references = run_study(here)
        references |= {steps: digest(here, here.wait(here.submit(alone(steps))["id"])["id"]) for steps in (LIMITED_STEPS, LONG_STEPS)}
    with Slurm() as engine, Lab(*PLACED, environment=engine.environment) as lab:
        begun = time.monotonic()
        number = lab.json("POST", "/api/v1/studies", study(), expect=201)["id"]
        others = {LONG_STEPS: lab.submit({"scene": alone(LONG_STEPS), "priority": 10})["id"],
                  LIMITED_STEPS: lab.submit({"scene": alone(LIMITED_STEPS), "executor_options": {"time_limit": 60}, "priority": 10})["id"]}
        while len(known := [row["job"] for row in rows_of(lab, number) if row["job"]]) < ROWS:
            time.sleep(0.2)
        sent = time.monotonic() - begun
        viewers = [Viewer(lab, known[k::VIEWERS]) for k in range(VIEWERS)]
        for viewer in viewers:
            viewer.start()
        told = disturb(lab, engine, chance)
        jobs = wait_for(lab, number, 1200) | others
        for one in others.values():
            lab.wait(one, timeout=600)
        seconds = time.monotonic() - begun
        for viewer in viewers:
            viewer.join(timeout=60)
            viewer.done = True
        time.sleep(5)
        version = engine.run("sinfo", "--version").strip()
        wrong, attempts, outcomes, seen, taken_over = look(lab, engine, jobs, references, viewers)
    counted = ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
    text = f"""# A study by Slurm

`make study-slurm`, seed {seed}: {version} with one node, a study of {ROWS} runs, a job that takes longer than they, one with a time limit of a minute, {VIEWERS} live
viewers, two cores shared with others. {'; '.join(told)}. All {ROWS} were queued after {sent:.1f} s; the whole took {seconds:.0f} s and {attempts} attempts ({counted}).
{taken_over} workers ended because another attempt had taken over their directory. The viewers saw {seen} records.

{'**Every job ended once,** and each recording has the bytes of the same scene run here; what viewers saw is what the recordings hold; nothing is left at Slurm.' if not wrong else 'What is wrong:'}
""" + "".join(f"- {line}\n" for line in wrong)
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
