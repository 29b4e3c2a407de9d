#!/usr/bin/env python3
"""Every scene of the gallery, whole: how it ends, and what it takes beside what its check foresees.

    study_gallery.py SCREE REPORT.md [--method NAME ...] [--scene NAME ...] [--limit SECONDS]

A section a method; scenes that several methods share run under each that they have options of. One thread; seconds are of the processor, the median
of five where a run takes less than half a second; memory is the most that the run ever had (small runs show no less than this program's own). A run
that takes longer than the limit (900 s of a processor) is given up. Ends with 1 when a run ends otherwise than as a plain success. Standard library
only."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

GALLERY = Path(__file__).resolve().parent.parent.parent / "api" / "gallery"
METHODS = ("peridem", "bdem", "fem", "lsdem", "rigid", "granular", "fibre")
SHORT = 0.5  # s
HEAD = """# The gallery, run whole

Made by `make study-gallery`, a method again by `make study-gallery METHOD=rigid`. One thread, processor time; bold: an estimate that is not within a
factor of 1.5, a run that is no plain success. What steps of contact take, and for how long bodies touch, break or fly, is the run's to find out.
"""


class Run(NamedTuple):
    seconds: float
    kilobytes: int
    ended: str


def scene_of(name, method):
    """A scene of the gallery under the method; None where it is of others alone."""
    scene = json.loads((GALLERY / f"{name}.json").read_text(encoding="utf-8"))
    if scene["method"] == method:
        return scene
    if method not in scene.get("options", {}):
        return None
    return {**scene, "method": method, "options": scene["options"][method]}


def how(code, said):
    """A run's end in a few words."""
    if code in (0, 8):
        doubts = [line.split("(")[1].split(")")[0] for line in said.splitlines() if line.strip().startswith("doubt (")]
        return f"**doubts: {', '.join(doubts)}**" if code == 8 else "success"
    if code < 0:
        return f"**ended by signal {-code}**"
    return f"**failed: {(said.strip().splitlines() or ['?'])[-1][:120]}**"


def taken(scree, text, limit):
    """One run. User's and system's time together: the kernel shares the two out by ticks, which short runs have few of."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([scree, "run", "-", "-q", "-t", "1", "-o", f"{folder}/run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        child.stdin.write(text)
        child.stdin.close()
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss, how(child.returncode, said))


def row(scree, name, method, limit):
    """A row of the table, and whether the run is a plain success."""
    text = json.dumps(scene_of(name, method))
    answer = json.loads(subprocess.run([scree, "check", "-", "--json"], input=text, capture_output=True, text=True, check=True).stdout)
    estimate = answer["estimate"]
    runs = [taken(scree, text, limit)]
    if runs[0].seconds < SHORT:
        runs += [taken(scree, text, limit) for _ in range(4)]
    seconds, kilobytes = median(run.seconds for run in runs), max(run.kilobytes for run in runs)
    ratio = estimate["run_seconds"] / seconds
    shown = f"{ratio:.2f}" if 1 / 1.5 <= ratio <= 1.5 else f"**{ratio:.2f}**"
    print(f"{method} {name}: {seconds:.2g} s, {runs[0].ended}", file=sys.stderr, flush=True)
    return (f"| {name} | {estimate['step_count']} | {estimate['run_seconds']:.2g} | {seconds:.2g} | {shown} "
            f"| {estimate['memory_bytes'] / (1024 * kilobytes):.2f} | {runs[0].ended} |\n"), runs[0].ended == "success"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("report", type=Path)
    parser.add_argument("--method", action="append", choices=METHODS)
    parser.add_argument("--scene", action="append")
    parser.add_argument("--limit", type=int, default=900)
    given = parser.parse_args()
    text, good = HEAD, True
    for method in given.method or METHODS:
        names = [path.stem for path in sorted(GALLERY.glob("*.json")) if (not given.scene or path.stem in given.scene) and scene_of(path.stem, method)]
        if not names:
            continue
        text += f"\n## {method}\n\n| scene | steps | estimate, s | taken, s | estimate / taken | memory: estimate / taken | ended |\n|---|---|---|---|---|---|---|\n"
        for name in names:
            line, plain = row(given.scree, name, method, given.limit)
            text, good = text + line, good and plain
    given.report.write_text(text, encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
