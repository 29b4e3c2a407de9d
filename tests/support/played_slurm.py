#!/usr/bin/python3
"""Slurm's four programs, played for tests by files in a folder: it starts workers at once, as Slurm would, and can be told to be away, to refuse, to
hold jobs back, to print nonsense, or to lose jobs.

    with PlayedSlurm() as engine:
        Lab("--executor", "slurm", environment=engine.environment)
        engine.mode("away")

As a program it is called sbatch, squeue, scancel or sinfo, and finds its folder in TMPDIR, which the executor passes on."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("sbatch", "squeue", "scancel", "sinfo")


class PlayedSlurm:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="scree-played-slurm-"))
        for name in ("bin", "jobs"):
            (self.folder / name).mkdir()
        for name in PROGRAMS:
            program = self.folder / "bin" / name
            program.write_text(f"#!/bin/sh\nexec {sys.executable} -S -E {Path(__file__).resolve()} {name} \"$@\"\n")
            program.chmod(0o755)
        self.environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder)}
        self.mode("run")

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        for job in self.jobs():
            end_process(job["pid"], signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mode(self, word):
        (self.folder / "mode.new").write_text(word)
        (self.folder / "mode.new").rename(self.folder / "mode")

    def jobs(self):
        return [json.loads(path.read_text()) for path in sorted((self.folder / "jobs").glob("*.json"), key=lambda p: int(p.stem))]

    def calls(self, name):
        """How often a program was run."""
        path = self.folder / f"{name}.calls"
        return len(path.read_text()) if path.exists() else 0

    def change(self, number, **values):
        change(self.folder, number, **values)

    def forget(self, number):
        (self.folder / "jobs" / f"{number}.json").unlink()


def write(path, job):
    new = path.with_suffix(f".new{os.getpid()}")
    new.write_text(json.dumps(job))
    new.rename(path)


def change(folder, number, **values):
    path = folder / "jobs" / f"{number}.json"
    write(path, json.loads(path.read_text()) | values)


def end_process(pid, number):
    if pid:
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            pass


def is_alive(pid):
    try:
        return pid > 0 and Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def launch(job):
    """A process of its own session, which outlives this program; its parent is gone at once."""
    with open(job["output"], "ab") as log:
        return subprocess.Popen(job["command"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=job["chdir"]).pid


def sbatch(folder, mode, arguments):
    options = {}
    while arguments and arguments[0].startswith("--"):
        key, _, value = arguments.pop(0)[2:].partition("=")
        options[key] = value
    if mode == "refuse":
        sys.exit("sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid partition name specified")
    numbers = [int(path.stem) for path in (folder / "jobs").glob("*.json")]
    number = max(numbers, default=0) + 1
    job = {"number": number, "name": options["job-name"], "comment": options["comment"], "options": options, "state": "PENDING", "reason": "Priority",
           "chdir": options["chdir"], "output": options["output"], "command": ["/bin/sh", *arguments], "pid": 0}
    path = folder / "jobs" / f"{number}.json"
    write(path, job)
    if mode != "hold":
        write(path, job | {"pid": launch(job), "state": "RUNNING", "reason": "None"})
    if mode == "mute":  # it is taken, and the answer is lost
        sys.exit("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
    print(number)


def squeue(folder, mode, _):
    if mode == "nonsense":
        sys.stdout.buffer.write(bytes(range(256)) * 40 + b"|" * 100 + b"\n" + b"9" * 400 + b"|RUNNING|x|y|z|scree--1\n")
        return
    for path in (folder / "jobs").glob("*.json"):
        job = json.loads(path.read_text())
        if job["state"] == "RUNNING" and not is_alive(job["pid"]):
            job["state"] = "COMPLETED"
        print(f"{job['number']}|{job['state']}|n1|{job['reason']}|{job['name']}|{job['comment']}")


def scancel(folder, _, arguments):
    number = signal.SIGTERM
    batch = "--batch" in arguments
    name = next(a.partition("=")[2] for a in arguments if a.startswith("--name="))
    for argument in (a for a in arguments if a.isdigit()):
        job = json.loads((folder / "jobs" / f"{argument}.json").read_text())
        if job["name"] != name:
            continue
        if batch:
            end_process(job["pid"], number)
            continue
        change(folder, job["number"], state="CANCELLED")
        end_process(job["pid"], number)
        for _ in range(100):
            if not is_alive(job["pid"]):
                break
            time.sleep(0.02)
        end_process(job["pid"], signal.SIGKILL)


def sinfo(_, mode, arguments):
    print("played 1.0" if arguments == ["--version"] else "main*|up|1:00:00|2/6/0/8|1|4000\nlong|down|infinite|0/0/8/8|2|8000+")


def main(name, arguments):
    folder = Path(os.environ["TMPDIR"])
    mode = (folder / "mode").read_text()
    with open(folder / f"{name}.calls", "a", encoding="ascii") as calls:
        calls.write(".")
    if mode == "away" and arguments != ["--version"]:
        sys.exit(f"{name}: error: Unable to contact slurm controller (connect failure)")
    if mode == "hang":
        time.sleep(3600)
    {"sbatch": sbatch, "squeue": squeue, "scancel": scancel, "sinfo": sinfo}[name](folder, mode, arguments)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
