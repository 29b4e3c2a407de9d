#!/usr/bin/env python3
"""Compares the speed of two builds of Scree on whole runs, to some 3 % on a shared machine.

  compare.py OLD NEW [SCENE.json ...] [--turns N]     OLD, NEW: the programs `scree` of two builds

Without scenes: a crush of each method from the gallery, and those of contact_scenes.py, whose time goes into contact and friction.

Each scene is run to its end by both, in turns: old new new old old new new old ... A machine's speed drifts by a tenth and more within minutes, but
hardly within a pair; so what counts is the processor time (user and system) of the new build over the old one's in each pair of neighbours. Printed
are the median of these ratios and the range that holds it with about 95 % (the ordered ratios around the middle: a sign test). A whole run is timed,
with its crush, its debris and its recording: the cheapest of three stretches says nothing about the dearest. Where the range is wider than
3 %, give more turns. Compare builds with the same results where physics did not change: a run that breaks other bonds takes another time.

Ends with 1 when a scene is slower by more than 3 % with the whole range above 1.03, else with 0.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from math import comb
from pathlib import Path

from contact_scenes import contact_scenes

GALLERY = Path(__file__).resolve().parents[2] / "api" / "gallery"
SCENES = [GALLERY / "hollow-sphere-crush.json", GALLERY / "chocolate-drop.json"]
DOUBTS = 8  # what `scree run` ends with when a run succeeded with doubts


def run_seconds(program, scene):
    """Processor time of one whole run, s."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([program, "run", str(scene), "-o", folder + "/out", "--threads", "1"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        message = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
    if process.returncode not in (0, DOUBTS):
        sys.exit(f"compare.py: {program} run {scene} ended with {process.returncode}: {message.decode(errors='replace').strip()}")
    return usage.ru_utime + usage.ru_stime


def middle_range(ratios):
    """Lowest and highest of the ordered ratios that hold the median with at least 95 %; all of them when there are too few."""
    ordered, n = sorted(ratios), len(ratios)
    cut = 0
    while sum(comb(n, k) for k in range(cut + 1)) / 2**n <= 0.025:
        cut += 1
    return ordered[max(cut - 1, 0)], ordered[n - 1 - max(cut - 1, 0)]


def written(folder):
    """The scenes of contact_scenes.py as files in a folder."""
    files = []
    for name, scene in contact_scenes():
        files.append(folder / f"{name}.json")
        files[-1].write_text(json.dumps(scene), encoding="utf-8")
    return files


def compare(arguments, scenes):
    """Runs both builds in turns and prints a row for each scene. Whether one has got slower by more than 3 %."""
    slower = False
    print("| scene | old, s | new, s | new / old, median | 95 % |\n|---|---|---|---|---|", flush=True)
    for scene in scenes:
        old, new = [], []
        for turn in range(arguments.turns):
            order = [(arguments.old, old), (arguments.new, new)]
            for program, seconds in order if turn % 2 == 0 else order[::-1]:
                seconds.append(run_seconds(program, scene))
        ratios = [b / a for a, b in zip(old, new)]
        low, high = middle_range(ratios)
        print(f"| {scene.stem} | {statistics.median(old):.2f} | {statistics.median(new):.2f} | {statistics.median(ratios):.3f} | {low:.3f} to "
              f"{high:.3f} |", flush=True)
        slower = slower or low > 1.03
    return slower


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("scenes", nargs="*", type=Path)
    parser.add_argument("--turns", type=int, default=8, help="pairs of runs for each scene, default 8")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 1 if compare(arguments, arguments.scenes or SCENES + written(Path(folder))) else 0


if __name__ == "__main__":
    sys.exit(main())
