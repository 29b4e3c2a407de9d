"""Crushes 400 to 1000 irregular grains in cubes of equal packing and compares the pressure on the lid, as the PeriDEM paper's section 7.5 does.

    python3 study_aggregate.py SCREE REPORT.md [--packings 400:3,600:1,...] [--folder DIR] [--threads N]

--packings: numbers of grains, each with how many packings of it are crushed; 400:2,1000:1 unless told, an hour on one processor.

Writes one scene and one recording per number and seed into DIR (kept, so that a run that is there is not made again), and the report from what is
there. Standard library and numpy. Grains are random ones of spherical harmonics (shape `grain`), sixteen forms of the volume of a ball of 1 mm radius,
and are packed by the scene's own placement (`packed`) to fill 0.36 of the cube, less
what the placement shrinks them by until none are nearer than 20 um (3 to 7 %); the seed draws forms, turns and places. As packings so begin at other solid fractions,
they are compared at equal ones: volume of all nodes over what the lid leaves of the cube. Nodes are 0.4 mm apart, 5 across
a grain, far fewer than the paper has, so that 1000 grains take minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

RADIUS, SPACING, FRACTION, FORMS, SPEED = 1e-3, 0.4e-3, 0.36, 16, 10.0
STRAIN = 0.48  # of the cube's height, at the end of a run
LEVELS = (0.4, 0.44, 0.46, 0.48, 0.5, 0.52, 0.54, 0.56)  # solid fractions
DOUBTED = 8  # what `scree run` ends with
HALF_WINDOW = 0.006  # values are means this far about each level, as single samples still swing

Result = Dict[str, Any]


def scene(count: int, seed: int) -> Dict[str, Any]:
    """The crush of `count` grains."""
    half = 0.5 * (count * 4 / 3 * np.pi * RADIUS**3 / FRACTION) ** (1 / 3)
    duration = STRAIN * 2 * half / SPEED
    box = {"minimum": [-half] * 3, "maximum": [half] * 3}
    shape = {"type": "grain", "radius": RADIUS, "elongation": 0.85, "flatness": 0.85, "roundness": 0.93, "cuts": 8}
    return {"scree": 1, "name": f"aggregate-{count}-{seed}", "method": "peridem", "seed": seed,
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135}],
            "contact": {"friction_coefficient": 0.5, "damping_ratio": 0.5},
            "specimens": [{"name": "grains", "material": "polymer", "spacing": SPACING, "shape": shape,
                           "placement": {"type": "packed", "count": count, "variants": FORMS, "gap": 2e-5, **box}}],
            "rig": {"type": "box", "walls": {"z_max": {"program": [{"type": "constant", "velocity": -SPEED}]}}, **box},
            "time": {"duration": duration}, "output": {"frame_interval": duration / 4, "sample_interval": duration / 1000, "pressure_time": 2e-5},
            "options": {"horizon": 2.4 * SPACING}}


def curves(folder: Path, count: int, nodes: int) -> Result:
    """What the tables show of one run: pressures on lid and floor at each level, Pa, and numbers of the end."""
    with open(folder / "curves.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    column = {name.split(" [")[0]: name for name in rows[0]}
    height = json.loads((folder / "scene.json").read_text())["rig"]["maximum"][2] * 2
    filled = nodes * SPACING**3 / height**3
    pick = lambda name: np.array([float(row[column[name]]) for row in rows])
    solid = filled / (1 - np.abs(pick("wall.z_max.displacement")) / height)
    at = lambda name: np.array([pick(name)[np.abs(solid - level) < HALF_WINDOW].mean() for level in LEVELS])
    return {"count": count, "filled": filled, "lid": at("wall.z_max.pressure_average"), "floor": at("wall.z_min.pressure_average"),
            "pieces": at("fragments")[-1] / count, "balance": np.abs(pick("energy.balance_error")).max(),
            "doubts": (folder / "doubts.txt").read_text() or "none"}


def nodes_of(scree: Path, out: Path) -> int:
    """Nodes of the scene of a recording, by its check."""
    said = subprocess.run([scree, "check", out / "scene.json", "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)["estimate"]["node_count"]


def run(scree: Path, count: int, seed: int, folder: Path, threads: int) -> Tuple[Path, float]:
    """The recording's folder, and the seconds that the run took (0: it was there)."""
    out = folder / f"aggregate-{count}-{seed}"
    if (out / "curves.csv").exists():
        return out, 0.0
    file = folder / f"aggregate-{count}-{seed}.json"
    file.write_text(json.dumps(scene(count, seed)))
    began = time.monotonic()
    done = subprocess.run([scree, "run", file, "-o", out, "-q", "-t", str(threads)], check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, DOUBTED):
        sys.exit(f"{file}: the run ended with {done.returncode}")
    (out / "doubts.txt").write_text(", ".join(re.findall(r"doubt \((\w+)\)", done.stdout)))
    return out, time.monotonic() - began


def percent(values: np.ndarray) -> str:
    return " | ".join(f"{100 * v:.0f} %" for v in values)


def report(results: List[Result]) -> str:
    """The tables."""
    lines = ["# Crushing 400 to 1000 irregular grains", "",
             "Pressure on the lid: force over the lid's area, averaged over 20 us (`wall.z_max.pressure_average`), MPa, over the solid fraction of what the lid leaves of the cube, mean of "
             f"+-{HALF_WINDOW:g} about each. Written by `make study-aggregate` (tests/studies/study_aggregate.py), whose head says how the grains are made and packed. "
             "One row a packing; pieces are fragments over grains at the last fraction.", "",
             "| grains | at the start | " + " | ".join(f"{level:g}" for level in LEVELS) + " | pieces | energy balance | doubts |",
             "|---" * (len(LEVELS) + 5) + "|"]
    for r in results:
        lines.append(f"| {r['count']} | {r['filled']:.3f} | " + " | ".join(f"{v / 1e6:.3g}" for v in r["lid"]) + f" | {r['pieces']:.1f} | {r['balance']:.1e} | {r['doubts']} |")
    counts = sorted({r["count"] for r in results})
    of = {count: np.array([r["lid"] for r in results if r["count"] == count]) for count in counts}
    means = np.array([of[count].mean(0) for count in counts])
    everything = np.array([r["lid"] for r in results])
    lines += ["", "Spread: largest less smallest over the mean. Floor over lid says how far from rest the aggregate is: 1 is quasi-static.", "",
              "| | " + " | ".join(f"{level:g}" for level in LEVELS) + " |", "|---" * (len(LEVELS) + 1) + "|"]
    lines.append("| mean of all packings, MPa | " + " | ".join(f"{v / 1e6:.3g}" for v in everything.mean(0)) + " |")
    lines.append("| floor over lid, mean | " + " | ".join(f"{v:.2f}" for v in np.mean([r["floor"] for r in results], axis=0) / everything.mean(0)) + " |")
    lines.append(f"| spread of all {len(results)} packings | {percent(np.ptp(everything, axis=0) / everything.mean(0))} |")
    for count in counts:
        if len(of[count]) > 1:
            lines.append(f"| spread of {len(of[count])} packings of {count} | {percent(np.ptp(of[count], axis=0) / of[count].mean(0))} |")
    lines.append(f"| spread of the means of {', '.join(map(str, counts))} | {percent(np.ptp(means, axis=0) / means.mean(0))} |")
    lines += [f"| mean of {count} over that of {counts[-1]}, less 1 | {percent(means[k] / means[-1] - 1)} |" for k, count in enumerate(counts[:-1])]
    lines += ["", "The lid sweeps grains up first, and its pressure is that of a front, of which little arrives at the floor; where the floor bears a good part of what the lid does, the aggregate bears. "
              "The scatter is that of packings and forms together, as the seed draws both. Nodes are 5 across a grain and the horizon nearly a grain's radius, so strengths are those of coarse "
              "grains; the lid is as quick as the paper's, 10 m/s, and so the floor always bears less than the lid."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scree", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--packings", default="400:2,1000:1")
    parser.add_argument("--folder", type=Path, default=Path("build/aggregate"))
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for count, packings in (map(int, word.split(":")) for word in arguments.packings.split(",")):
        for seed in range(1, packings + 1):
            out, seconds = run(arguments.scree.resolve(), count, seed, arguments.folder, arguments.threads)
            results.append(curves(out, count, nodes_of(arguments.scree.resolve(), out)))
            print(f"{count} grains, seed {seed}: {seconds:.0f} s", flush=True)
    results.sort(key=lambda r: r["count"])
    arguments.report.write_text(report(results), encoding="utf-8")


if __name__ == "__main__":
    main()
