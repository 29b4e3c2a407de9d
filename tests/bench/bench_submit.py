#!/usr/bin/env python3
"""Submissions over HTTP: how many a second a daemon acknowledges, and what one costs it in processor time.

    bench_submit.py [SECONDS]        16 connections, each submits one small scene after another, with a tag"""
import http.client
import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from lab import Lab  # noqa: E402

CONNECTIONS = 16


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Submitter(threading.Thread):
    def __init__(self, lab, body, end):
        super().__init__(daemon=True)
        self.lab, self.body, self.end, self.taken, self.refused, self.slowest = lab, body, end, 0, 0, 0.0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.lab.port)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.lab.token}"}
        while time.monotonic() < self.end:
            begun = time.monotonic()
            connection.request("POST", "/api/v1/jobs", self.body, headers)
            answer = connection.getresponse()
            answer.read()
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self.taken += answer.status == 201
            self.refused += answer.status != 201


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    body = json.dumps({"scene": Lab.small_scene(), "tags": {"study": "bench"}}).encode()
    with Lab("--slots", 1, "--queue", 10000000) as lab:
        lab.wait_until(lab.submit(Lab.long_scene())["id"], lambda job: job["state"] == "running")
        lab.json("POST", "/api/v1/jobs/1/pause", expect=202)  # no worker takes part; what is submitted below is run, one at a time
        before, end = processor_seconds(lab.process.pid), time.monotonic() + seconds
        parts = [Submitter(lab, body, end) for _ in range(CONNECTIONS)]
        for part in parts:
            part.start()
        for part in parts:
            part.join()
        taken, cost = sum(p.taken for p in parts), processor_seconds(lab.process.pid) - before
        print(f"{taken / seconds:.0f} submissions/s over {CONNECTIONS} connections, {sum(p.refused for p in parts)} refused, "
              f"the slowest after {1e3 * max(p.slowest for p in parts):.0f} ms, {1e3 * cost / max(taken, 1):.2f} ms of processor time each")
        lab.kill()


if __name__ == "__main__":
    main()
