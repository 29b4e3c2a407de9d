"""Runs the rows of the bonded DEM paper's table 1 and writes TABLE1.md: explicit against implicit steps, ours and theirs.

    python3 study_table1.py PROGRAM FOLDER CACHE [ROW ...]

PROGRAM is study_table1, FOLDER receives TABLE1.md, CACHE keeps what each row measured, so that one row can be run again by itself. The
scenes lie in table1/ and run with `scree run` as they are; the cloth is the gallery's, at the paper's size. Standard library only.
"""

from __future__ import annotations

import copy
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
GALLERY = HERE.parents[1] / "api" / "gallery"
THREADS = 2
EXPLICIT_SMALL, EXPLICIT_LARGE, IMPLICIT, DEFAULT = "explicit 0.2 T", "explicit 0.8 T", "implicit", "implicit at 20 T"


class Row(NamedTuple):
    """A row of the paper's table and how it is measured here."""

    name: str
    title: str
    spheres: str         # the paper's
    explicit: float      # the paper's seconds per frame
    implicit: float
    frame: float         # s of the scene
    lead: int            # implicit steps before the clock starts; explicit runs have ten times as many
    span: float          # s of the scene to measure at most; a fracture's runs all cover it whole
    seconds: tuple[float, float, float]  # wall-clock for an explicit run, the implicit one, the one of default steps (0: none)
    fracture: bool = False


ROWS = [
    Row("stretch", "Beam Stretch", "19K", 34.6, 3.52, 1 / 60, 2, 1.0, (5, 20, 0)),
    Row("twist", "Beam Twist", "19K", 34.6, 14.76, 1 / 60, 4, 1.0, (5, 15, 15)),
    Row("drape-64k", "Beam Drape, E 1e9", "64K", 2230.9, 711.7, 1 / 60, 2, 1.0, (6, 40, 0)),
    Row("drape-124k", "Beam Drape, E 1e6", "124K", 255.2, 121.9, 1 / 60, 3, 1.0, (6, 25, 25)),
    Row("chocolate", "Chocolate", "58K", 857.8, 343.8, 1 / 480, 0, 1 / 480, (60, 60, 0), True),
    Row("plate", "Plate", "219K", 4564.6, 1911.8, 1 / 480, 0, 1 / 1920, (60, 60, 0), True),
    Row("cloth", "Cloth", "165K", 1299.6, 394.2, 1 / 480, 2, 1 / 480, (8, 30, 0)),
]


class Run(NamedTuple):
    """What one variant printed."""

    spheres: int
    bonds: int
    bound: float
    step: float
    lead: int
    steps: int
    physical: float
    wall: float
    processor: float
    newton: int
    cg: int
    substeps: int
    broken: int

    def frame(self, length: float) -> float:
        return self.wall / self.physical * length


def cloth() -> dict[str, Any] | None:
    """The gallery's cloth with as many yarns as 165 thousand spheres are."""
    path = GALLERY / "cloth-pull.json"
    if not path.exists():
        return None
    scene = json.loads(path.read_text(encoding="utf-8"))
    shape = scene["specimens"][0]["shape"]
    margin = 0.5 * shape["warps"] * shape["pitch"] - scene["rig"]["high_start"]
    yarns = 166
    shape["slit"] = round(shape["slit"] * yarns / shape["wefts"])
    shape["wefts"] = shape["warps"] = yarns
    end = 0.5 * yarns * shape["pitch"] - margin
    scene["rig"]["low_end"], scene["rig"]["high_start"] = -end, end
    scene["options"] = {"integrator": "implicit-euler"}
    scene["time"]["time_step"] = 1.74e-5
    return scene


def scene_of(row: Row) -> dict[str, Any] | None:
    if row.name == "cloth":
        return cloth()
    return json.loads((HERE / "table1" / f"{row.name}.json").read_text(encoding="utf-8"))


def variants(row: Row, scene: dict[str, Any]) -> dict[str, tuple[dict[str, Any], int, float]]:
    """Scene, lead and seconds of each variant."""
    out = {}
    for label, factor in ((EXPLICIT_SMALL, 0.2), (EXPLICIT_LARGE, 0.8)):
        explicit = copy.deepcopy(scene)
        explicit["options"] = {**scene["options"], "integrator": "explicit"}
        explicit["time"].update(time_step=None, safety_factor=factor)
        out[label] = (explicit, 10 * row.lead, row.seconds[0])
    out[IMPLICIT] = (scene, row.lead, row.seconds[1])
    if row.seconds[2]:
        default = copy.deepcopy(scene)
        default["time"]["time_step"] = None
        out[DEFAULT] = (default, row.lead, row.seconds[2])
    return out


def measure(program: str, row: Row, cache: Path) -> None:
    scene = scene_of(row)
    if scene is None:
        print(f"{row.name}: its scene is not here, left out", flush=True)
        return
    begun, before = time.time(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        arguments = [program, str(THREADS)]
        for k, (label, (variant, lead, seconds)) in enumerate(variants(row, scene).items()):
            path = Path(folder) / f"{k}.json"
            path.write_text(json.dumps(variant), encoding="utf-8")
            arguments.append(f"{label}:{lead}:{row.span:.9g}:{seconds:g}:{path}")
        print(f"{row.name}: {row.title}, {len(arguments) - 2} variants ...", flush=True)
        done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"{row.name}: failed, see above; what it measured before is kept", flush=True)
        return
    cache.mkdir(parents=True, exist_ok=True)
    (cache / f"{row.name}.csv").write_text(f"load,{before:.2f}\n{done.stdout}", encoding="utf-8")
    print(f"{row.name}: done in {time.time() - begun:.0f} s", flush=True)


def read(row: Row, cache: Path) -> tuple[dict[str, Run], float] | None:
    path = cache / f"{row.name}.csv"
    if not path.exists():
        return None
    runs, load = {}, 0.0
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, *cells = line.split(",")
        if kind == "load":
            load = float(cells[0])
        elif kind == "variant":
            n = cells[1:]
            runs[cells[0]] = Run(int(n[0]), int(n[1]), float(n[2]), float(n[3]), int(n[4]), int(n[5]), float(n[6]), float(n[7]), float(n[8]),
                                 int(n[9]), int(n[10]), int(n[11]), int(n[12]))
    return runs, load


def best(runs: dict[str, Run]) -> str:
    """The implicit variant with the fewest seconds per frame."""
    return min((label for label in runs if label.startswith("implicit")), key=lambda label: runs[label].frame(1))


def number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(results: dict[str, tuple[dict[str, Run], float]]) -> list[str]:
    out = ["| row | spheres | bonds | T, s | implicit step / T | explicit 0.2 T, s/frame | explicit 0.8 T, s/frame | implicit, s/frame "
           "| Newton, linear iterations a step | implicit over explicit 0.2 T | over 0.8 T |", "|---" * 11 + "|"]
    for row in ROWS:
        if row.name not in results:
            continue
        runs = results[row.name][0]
        small, large = runs[EXPLICIT_SMALL].frame(row.frame), runs[EXPLICIT_LARGE].frame(row.frame)
        for label, run in runs.items():
            if not label.startswith("implicit"):
                continue
            ours = run.frame(row.frame)
            name = row.title if label == IMPLICIT else f"{row.title}, default step"
            out.append(f"| {name} | {run.spheres} | {run.bonds} | {run.bound:.3g} | {run.step / run.bound:.3g} | {number(small)} | {number(large)} "
                       f"| {number(ours)} | {run.newton / run.steps:.1f}, {run.cg / run.steps:.1f} | {small / ours:.2f} x | {large / ours:.2f} x |")
    return out


def paper_table(results: dict[str, tuple[dict[str, Run], float]]) -> list[str]:
    out = ["| row | paper: explicit, s/frame | implicit | factor | here, against explicit 0.2 T | our explicit 0.2 T is faster than theirs "
           "| our implicit is faster than theirs |", "|---" * 7 + "|"]
    for row in ROWS:
        if row.name not in results:
            continue
        runs = results[row.name][0]
        ours = runs[best(runs)].frame(row.frame)
        small = runs[EXPLICIT_SMALL].frame(row.frame)
        out.append(f"| {row.title}, {row.spheres} | {row.explicit:g} | {row.implicit:g} | {row.explicit / row.implicit:.1f} x | {small / ours:.2f} x "
                   f"| {row.explicit / small:.1f} x | {row.implicit / ours:.1f} x |")
    return out


def measured_table(results: dict[str, tuple[dict[str, Run], float]]) -> list[str]:
    out = ["| row | variant | steps measured | after | ms a step | us a sphere and step | processor s over wall s | parts a step | bonds broken |",
           "|---" * 9 + "|"]
    for row in ROWS:
        if row.name not in results:
            continue
        for label, run in sorted(results[row.name][0].items()):
            out.append(f"| {row.title} | {label}, dt {run.step:.3g} s | {run.steps} ({run.physical:.3g} s, {run.physical / row.frame:.2g} frames) "
                       f"| {run.lead} steps | {1e3 * run.wall / run.steps:.3g} | {1e6 * run.wall / run.steps / run.spheres:.3g} "
                       f"| {run.processor / run.wall:.2f} | {run.substeps / run.steps:.3g} | {run.broken} |")
    return out


def judgement(row: Row, runs: dict[str, Run]) -> str:
    """One row in words: faster or not, and why."""
    label = best(runs)
    run, small, large = runs[label], runs[EXPLICIT_SMALL], runs[EXPLICIT_LARGE]
    cost, reach = run.wall / run.steps * large.steps / large.wall, run.step / large.step
    ours = run.frame(row.frame)
    wins = [name for name, other in (("0.2 T", small), ("0.8 T", large)) if ours < other.frame(row.frame)]
    word = {2: "Implicit is faster than both explicit runs", 1: f"Implicit is faster than explicit steps of {wins[0] if wins else ''} only",
            0: "Implicit is not faster than explicit here"}[len(wins)]
    text = (f"- **{row.title}.** {word}: one step of {run.step / run.bound:.3g} T costs as much as {cost:.3g} explicit steps and goes as far as "
            f"{reach:.3g} of 0.8 T. ")
    if row.fracture:
        text += (f"In the impact {run.substeps / run.steps:.3g} parts a step were done, most of them explicit: what breaks bonds has to be "
                 f"resolved in time by either. ")
    target = row.implicit / ours
    text += f"Against the paper's implicit runs: {target:.1f} times faster" + (" (the target is 10)." if target < 10 else ".")
    return text


def report(results: dict[str, tuple[dict[str, Run], float]]) -> str:
    processor = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
                     platform.machine())
    missing = [row.title for row in ROWS if row.name not in results]
    short = [f"{row.title}, {label}: {run.physical:.3g} s" for row in ROWS if row.fracture and row.name in results
             for label, run in results[row.name][0].items() if run.physical < row.span * (1 - 1e-6)]
    busy = [f"{row.title} {results[row.name][1]:.1f}" for row in ROWS if row.name in results and results[row.name][1] > THREADS + 0.7]  # a row leaves its own threads' load to the next
    return "\n".join([
        "# Table 1 of the bonded DEM paper", "",
        "Written by `make study-table1`; do not edit. One row again: `make study-table1 ROW=twist`. The scenes are those in `table1/`; each runs as",
        "it is: `scree run tests/bench/table1/stretch.json -o out`. The cloth is the gallery's `cloth-pull` with 166 yarns each way. The paper gives",
        "no sizes: radii follow from its explicit steps, 0.2 T, and sizes from its numbers of spheres; hexagonal close packings, density 1000.",
        "The chocolate is a plain slab without grooves.", "",
        f"Wall-clock time with {THREADS} threads on {processor}; curves and frames are not in it. The paper: Intel i7-13700K. A frame is 1/60 s, of",
        "chocolate, plate and cloth 1/480 s. All variants of a row run in one process and take turns of a second. Beams are measured while the",
        "grips move or gravity pulls, after the steps that the last table says; their cost a step is steady, so that a frame is the",
        "measured steps scaled to its length. Chocolate and plate are measured from the moment before the impact over the same physical time in all",
        "variants, contacts and breaking included; the cloth before it tears. Where a virtual machine's host withholds time, the last table's",
        "processor s over wall s is low for all variants alike: compare ratios within a row.",
        *([f"**The machine was busy with other work when these rows ran (load average before): {', '.join(busy)}. Their times are too long; compare",
           "ratios within a row only.**"] if busy else []),
        *([f"**Stopped by the clock before the whole impact was covered: {'; '.join(short)}. Their frames are scaled from that part.**"] if short else []),
        *([f"Not run: {', '.join(missing)}."] if missing else []), "",
        "## Seconds per frame", "", *table(results), "",
        "## Against the paper", "",
        "'Here' takes the better implicit step of ours.", "", *paper_table(results), "",
        "## In words", "", *(judgement(row, results[row.name][0]) for row in ROWS if row.name in results), "",
        "## What was measured", "", *measured_table(results), ""])


def main() -> int:
    program, folder, cache, *names = sys.argv[1:]
    unknown = set(names) - {row.name for row in ROWS}
    if unknown:
        print(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(row.name for row in ROWS)}", file=sys.stderr)
        return 2
    for row in ROWS:
        if not names or row.name in names:
            measure(program, row, Path(cache))
    results = {row.name: found for row in ROWS if (found := read(row, Path(cache)))}
    if not results:
        print("nothing was measured, TABLE1.md stays as it is", file=sys.stderr)
        return 1
    target = Path(folder) / "TABLE1.md"
    target.write_text(report(results), encoding="utf-8")
    print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
