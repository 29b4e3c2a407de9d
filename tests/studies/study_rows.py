#!/usr/bin/env python3
"""A study of many rows whose daemon is killed again and again: does every row run once, is none lost, does memory stay bounded?

    study_rows.py REPORT [ROWS [KILLS [SEED]]]

A block slides for some steps, each row with a speed of its own. The daemon is killed with SIGKILL at random moments, its workers being left to notice it.
Afterwards every row must have succeeded with the distance that belongs to its speed and with a job of its own, and there may be no other jobs.
Exit code 1 when not."""
import json
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from lab import ROOT, Lab  # noqa: E402

STEPS, STEP = 4, 1e-3  # the block slides so long


def document(rows):
    scene = json.loads((ROOT / "api/gallery/sliding-block.json").read_text(encoding="utf-8"))
    duration = STEPS * STEP
    scene["time"] = {"duration": duration, "time_step": STEP}
    scene["output"] = {"frame_interval": duration, "sample_interval": STEP}
    return {"scree_study": 1, "name": "rows", "scene": scene, "limits": {"at_once": 32},
            "factors": {"speed": {"pointer": "/specimens/0/velocity/0", "distribution": {"kind": "uniform", "from": 1, "to": 3}}},
            "design": {"kind": "sobol", "runs": rows}, "results": {"x": "final(first.x)"}}


def memory(lab):
    """Peak resident memory of the daemon, MB."""
    text = Path(f"/proc/{lab.process.pid}/status").read_text(encoding="ascii")
    return int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def table(lab, number):
    rows, after = [], 0
    while after is not None:
        page = lab.json("GET", f"/api/v1/studies/{number}/rows?limit=1000&after={after}", expect=200)
        rows += page["rows"]
        after = page["next"]["after"] if page["next"] else None
    return rows


def faults(lab, number, rows):
    found = table(lab, number)
    wrong = []
    if [row["number"] for row in found] != list(range(1, rows + 1)):
        wrong.append(f"the table has {len(found)} rows of {rows}")
    bad = [row["number"] for row in found if row["state"] != "succeeded"]
    if bad:
        wrong.append(f"{len(bad)} rows did not succeed, the first of them row {bad[0]}")
    off = [row["number"] for row in found if row["results"] and abs(row["results"]["x"] / (STEPS * STEP * row["factors"]["speed"]) - 1) > 0.01]
    if off:
        wrong.append(f"{len(off)} rows have another row's distance, the first of them row {off[0]}")
    jobs = {row["job"] for row in found}
    totals = lab.json("GET", "/api/v1/jobs?limit=1", expect=200)["totals"]
    if len(jobs) != rows or sum(totals.values()) != rows:
        wrong.append(f"{rows} rows have {len(jobs)} jobs, and there are {sum(totals.values())}")
    return wrong


def main():
    rows, kills, seed = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((2, 10000), (3, 20), (4, 1)))
    chance = random.Random(seed)
    begun, peak = time.monotonic(), 0.0
    lab = Lab("--slots", os.cpu_count() or 1, "--threads", 1).start()
    try:
        number = lab.json("POST", "/api/v1/studies", document(rows), expect=201)["id"]
        at = sorted(chance.sample(range(rows // 50, rows - rows // 50), kills))
        answers = []
        for moment in at + [rows]:
            while True:
                asked = time.monotonic()
                state = lab.json("GET", f"/api/v1/studies/{number}", expect=200)
                answers.append(time.monotonic() - asked)
                peak = max(peak, memory(lab))
                if state["rows"]["succeeded"] >= moment or state["state"] == "finished":
                    break
                time.sleep(0.05)
            if moment < rows:
                time.sleep(chance.uniform(0, 0.2))
                lab.kill()
                lab.start()
        seconds = time.monotonic() - begun
        wrong = faults(lab, number, rows)
    finally:
        lab.close()
    answers.sort()
    text = f"""# A study of {rows} rows

`make study-rows ROWS={rows} KILLS={kills}`, seed {seed}: {rows} rows of a block that slides for {STEPS} steps, the daemon killed with SIGKILL {kills} times at random moments, in
{seconds:.0f} s on {os.cpu_count()} cores: {rows / seconds:.1f} rows a second, worker processes started and recordings written included. The daemon's resident memory reached {peak:.0f} MB. Asked
for the study's state meanwhile, {len(answers)} times, it answered within {1000 * answers[len(answers) // 2]:.0f} ms in the median and {1000 * answers[int(0.99 * (len(answers) - 1))]:.0f} ms in 99 of 100 cases.

{'**Every row ran once and none was lost:** each succeeded with the result of its own factors and a job of its own, and there are no other jobs.' if not wrong else 'What is wrong:'}
""" + "".join(f"- {line}\n" for line in wrong)
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
