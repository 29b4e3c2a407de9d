#!/usr/bin/env python3
"""Viewers of one live run: delays, frames a second, memory per viewer. Rewrites tests/reports/bench/VIEWERS.md.

    bench_viewers.py BENCH_PROGRAM [REPORT] [--viewers 1,30,300,1000] [--seconds 10]

SCREE_SCREED names another screed to be measured. The clients run on the same machine as the server and the run.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from lab import Lab  # noqa: E402


def resident(pid):
    """Resident memory of a process, bytes, and its processor time, s."""
    status = Path(f"/proc/{pid}/status").read_text()
    times = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return kib * 1024, (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def measure(program, viewers, seconds):
    """One run with so many viewers. A fresh screed each, so that memory tells."""
    with Lab("--slots", 1, "--threads", 1, "--viewers", max(viewers, 1)) as lab:
        # More frames than a viewer takes, of 67 kB: a small real run.
        job = lab.submit(Lab.long_scene(steps=2_000_000, frames=100_000, spacing=1e-4))["id"]
        lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 100)
        recording = lab.data / "jobs" / str(job) / "recording.scree"
        before, cpu = resident(lab.process.pid)
        first = lab.json("GET", f"/api/v1/jobs/{job}/frames")["frames"]
        begun = time.monotonic()
        client = subprocess.Popen([program, str(lab.port), str(job), str(recording), str(viewers), str(seconds)], stdout=subprocess.PIPE, text=True,
                                  env=os.environ | {"SCREE_TOKEN": getattr(lab, "token", None) or ""})
        most = before
        while client.poll() is None:
            most = max(most, resident(lab.process.pid)[0])
            time.sleep(0.05)
        passed = time.monotonic() - begun
        if client.returncode != 0:
            raise SystemExit(f"{program} ended with {client.returncode}")
        result = json.loads(client.stdout.read())
        last = lab.json("GET", f"/api/v1/jobs/{job}/frames")["frames"]
        result["memory_bytes"] = most - before
        result["processor"] = (resident(lab.process.pid)[1] - cpu) / passed
        result["recorded_per_second"] = (len(last) - len(first)) / passed
        result["frame_bytes"] = last[-1]["bytes"]
        lab.request("POST", f"/api/v1/jobs/{job}/cancel")
        lab.wait(job)
        return result


HEAD = """# Viewers of one live run

Made by `make bench-viewers`; the program is `bench_viewers.c`, its head says what is measured. Server, run and all clients share one
machine. A run with one thread records {recorded:.0f} frames a second of {bytes:.0f} kB each; every viewer asks for
everything at up to 30 frames a second and acknowledges at once. Delays count from the record's being whole in the file to its last byte's arrival.
The worker announces records at most 20 times a second, which alone makes up to 50 ms.

| viewers | curve delay, median | 99 % | worst | frame delay, 99 % | frames a second, each | samples lost | server's memory, each | server's processors |
|---|---|---|---|---|---|---|---|---|
"""


def row(r):
    curves, frames = r["curves"], r["frames"]
    return (f"| {r['viewers']} | {curves['median_ms']:.0f} ms | {curves['p99_ms']:.0f} ms | {curves['worst_ms']:.0f} ms | {frames['p99_ms']:.0f} ms "
            f"| {r['frames_per_second']:.1f} | {r['lost_samples']} | {r['memory_bytes'] / r['viewers'] / 1e3:.0f} kB | {r['processor']:.2f} |\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("report", nargs="?")
    parser.add_argument("--viewers", default="1,30,300,1000")
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    results = []
    for viewers in options.viewers.split(","):
        results.append(measure(options.program, int(viewers), options.seconds))
        print(row(results[-1]), end="", flush=True)
        print("  " + json.dumps(results[-1]), flush=True)
    if options.report:
        head = HEAD.format(recorded=results[0]["recorded_per_second"], bytes=results[0]["frame_bytes"] / 1e3)
        Path(options.report).write_text(head + "".join(row(r) for r in results))


if __name__ == "__main__":
    main()
