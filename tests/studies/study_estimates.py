#!/usr/bin/env python3
"""Measures what `scree check` says that runs of bonded spheres take against what they take.

  study_estimates.py SCREE [REPORT] [--scene NAME] [--breaking WORD]     SCREE: the program; REPORT: the file to write, else printed only

Three scenes of the gallery, under method bdem, once in explicit steps and once in large ones with each way of breaking: the ring that falls on a
ball (an impact), the beam in three-point bending (slow loading until it breaks), the disc between jaws (slow loading, and its pieces are
pressed on). Seconds are processor time, user and system, of one thread and a whole run, recording included. The work is the solver's own count:
parts of steps, of which bursts make many, and Newton iterations, summed over samples that are as frequent as steps. The estimate should be
within a factor of 1.5; rows beyond it are marked. Ends with 1 when there is one."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GALLERY = Path(__file__).resolve().parents[2] / "api" / "gallery"
SCENES = ("ring-drop", "three-point-bend-low", "brazilian-disc")
BREAKING = ("explicit", "explicit-bursts", "staged", "simultaneous", "worst-first")
RATIO = 50  # of a large step to T
FACTOR = 1.5
HEAD = """# Estimated and measured run times

Written by `make study-estimates` (tests/studies/study_estimates.py, whose head says what is measured). Implicit Euler in steps of {ratio} T, or as the
scene has it; `explicit` is the explicit integrator. Bold: not within a factor of {factor}.

| scene | breaking | parts of steps | Newton iterations | estimate, s | taken, s | estimate / taken |
|---|---|---|---|---|---|---|
"""


def variant(name, breaking):
    """A scene of the gallery under bdem with one way of breaking."""
    scene = json.loads((GALLERY / f"{name}.json").read_text(encoding="utf-8"))
    options = scene.get("options", {})
    options = dict(options.get("bdem", {} if "peridem" in options else options))
    scene["method"], scene["options"] = "bdem", options
    scene["time"].pop("stop", None)  # the estimate is of the whole duration
    if breaking == "explicit":
        options["integrator"] = "explicit"
        scene["time"].pop("time_step", None)
        options.pop("step_ratio", None)
    else:
        options.update(integrator="implicit-euler", breaking=breaking)
        options.pop("local_damping", None)
        if "time_step" not in scene["time"]:
            options["step_ratio"] = RATIO
    return scene


def estimate(scree, scene):
    """What the check says: a dict. Ends the program with what it refuses."""
    done = subprocess.run([scree, "check", "-", "--json"], input=json.dumps(scene), capture_output=True, text=True)
    said = json.loads(done.stdout or "{}")
    if done.returncode != 0 or "estimate" not in said:
        sys.exit(f"study_estimates: {scene['name']} is refused: {(done.stdout or done.stderr)[:600]}")
    return said["estimate"]


def measure(scree, scene):
    """Processor seconds, and sums of the curves substeps and newton_iterations."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([scree, "run", "-", "-o", folder + "/out", "--threads", "1", "-q"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        process.stdin.write(json.dumps(scene).encode())
        process.stdin.close()
        said = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode not in (0, 8):  # 8: with doubts
            return None, 0, 0, said.strip().splitlines()[-1:]
        with open(folder + "/out/curves.csv", newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        titles = [name.split(" [")[0] for name in names]
        sums = [sum(float(row[titles.index(name)]) for row in rows[1:]) if name in titles else 0 for name in ("substeps", "newton_iterations")]
        return usage.ru_utime + usage.ru_stime, *sums, []


def row(scree, name, breaking):
    """A row of the table, and whether its estimate is within the factor."""
    scene = variant(name, breaking)
    told = estimate(scree, scene)
    if breaking != "explicit":
        scene["output"] = {**scene.get("output", {}), "sample_interval": told["time_step"]}
        told = estimate(scree, scene)
    taken, parts, newton, said = measure(scree, scene)
    if taken is None:
        return f"| {name} | {breaking} | | | {told['run_seconds']:.2g} | failed: {' '.join(said)[:160]} | |", False
    ratio = told["run_seconds"] / taken
    good = 1 / FACTOR <= ratio <= FACTOR
    parts = f"{parts:.0f}" if breaking != "explicit" else f"{told['step_count']}"
    return f"| {name} | {breaking} | {parts} | {newton:.0f} | {told['run_seconds']:.2g} | {taken:.2g} | {f'{ratio:.2f}' if good else f'**{ratio:.2f}**'} |", good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("report", nargs="?", type=Path)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--breaking", choices=BREAKING, action="append")
    given = parser.parse_args()
    text, all_good = HEAD.format(ratio=RATIO, factor=FACTOR), True
    print(text, end="", flush=True)
    for name in given.scene or SCENES:
        for breaking in given.breaking or BREAKING:
            line, good = row(given.scree, name, breaking)
            print(line, flush=True)
            text += line + "\n"
            all_good = all_good and good
    if given.report:
        given.report.write_text(text, encoding="utf-8")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
