"""Crushes 400, 600, 800 and 1000 irregular grains in cubes of equal packing and compares the pressure on the lid, as the PeriDEM paper's section 7.5 does.

    python3 study_aggregate.py SCREE REPORT.md [--grains 400,600,...] [--folder DIR] [--threads N]

Writes one scene and one recording per number into DIR (kept, so that a number that is there is not run again), and the report. Standard library and
numpy. Grains are drawn by a fixed seed: bumpy ellipsoids of largest radius 1 mm, sixteen forms, each turned by its own angle; their circumscribed
balls are spread without overlap at a solid fraction of 0.55 in a cube, by pushing apart what overlaps. Nodes are 0.3 mm apart, far fewer than the
paper has.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

RADIUS, SPACING, FRACTION, FORMS, SPEED = 1e-3, 0.3e-3, 0.55, 16, 10.0
STRAIN = 0.25  # of the cube's height, at the end of a run
LEVELS = (0.05, 0.1, 0.15, 0.2, 0.23)


def icosphere(levels: int) -> Tuple[np.ndarray, List[List[int]]]:
    """Vertices on the unit sphere, and triangles facing outwards."""
    g = (1 + 5**0.5) / 2
    points = [np.array(p) / np.hypot(1, g) for p in
              [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]]
    faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
             [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]]
    for _ in range(levels):
        middle: Dict[Tuple[int, int], int] = {}

        def between(a: int, b: int) -> int:
            key = (min(a, b), max(a, b))
            if key not in middle:
                points.append((points[a] + points[b]) / np.linalg.norm(points[a] + points[b]))
                middle[key] = len(points) - 1
            return middle[key]

        faces = [t for a, b, c in faces for ab, bc, ca in [(between(a, b), between(b, c), between(c, a))] for t in ([a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca])]
    return np.array(points), faces


def grain(random: np.random.Generator, levels: int = 1) -> Dict[str, Any]:
    """A mesh in millimetres, its farthest vertex at 1 mm from the origin."""
    points, faces = icosphere(levels)
    bumps = sum(0.06 * np.cos(points @ random.normal(0, 2.5, 3) + random.uniform(0, 2 * np.pi)) for _ in range(6))
    points = points * np.exp(bumps)[:, None] * np.array([1, random.uniform(0.75, 1), random.uniform(0.65, 0.9)])
    points /= np.linalg.norm(points, axis=1).max()
    return {"type": "mesh", "scale": 1e-3, "vertices": [[round(float(c), 4) for c in p] for p in points], "triangles": faces}


def spread(count: int, random: np.random.Generator) -> Tuple[np.ndarray, float]:
    """Centres of balls of RADIUS that don't overlap, in a cube about the origin, and half its edge."""
    half = 0.5 * (count * 4 / 3 * np.pi * RADIUS**3 / FRACTION) ** (1 / 3)
    room, wanted = half - RADIUS, 2.0 * RADIUS
    centre = random.uniform(-room, room, (count, 3))
    for sweep in range(20000):
        if sweep % 20 == 0:  # pairs that may meet before they are looked for again
            square = squares(centre)
            first, second = np.nonzero(np.triu(square < (1.5 * wanted) ** 2, 1))
            if np.all(square[first, second] >= wanted**2):
                return centre, half
        apart = centre[first] - centre[second]
        distance = np.sqrt((apart**2).sum(1))
        push = apart * (0.5 * np.clip(1.01 * wanted - distance, 0, None) / np.maximum(distance, 1e-12))[:, None]
        for axis in range(3):
            centre[:, axis] += np.bincount(first, push[:, axis], count) - np.bincount(second, push[:, axis], count)
        centre = np.clip(centre, -room, room)
    raise RuntimeError(f"{count} balls at a fraction of {FRACTION} still overlap")


def squares(centre: np.ndarray) -> np.ndarray:
    """Squared distances of all pairs, m^2, to rounding."""
    length = (centre**2).sum(1)
    return np.maximum(length[:, None] + length[None] - 2 * centre @ centre.T, 0)


def scene(count: int) -> Dict[str, Any]:
    """The crush of `count` grains."""
    random = np.random.default_rng(2025)
    forms = [grain(random) for _ in range(FORMS)]
    turns = [(random.normal(0, 1, 3), random.uniform(0, 180)) for _ in range(FORMS)]
    centre, half = spread(count, random)
    specimens = [{"name": f"grains-{k + 1}", "material": "polymer", "spacing": SPACING, "shape": forms[k],
                  "placement": {"type": "list", "positions": centre[k::FORMS].round(9).tolist()},
                  "rotation": {"axis": turns[k][0].round(4).tolist(), "angle_deg": round(float(turns[k][1]), 3)}} for k in range(FORMS)]
    duration = STRAIN * 2 * half / SPEED
    return {"scree": 1, "name": f"aggregate-{count}", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135}],
            "contact": {"friction_coefficient": 0.5, "damping_ratio": 0.5}, "specimens": specimens,
            "rig": {"type": "box", "minimum": [-half] * 3, "maximum": [half] * 3,
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -SPEED}]}}},
            "time": {"duration": duration}, "output": {"frame_interval": duration / 4, "sample_interval": duration / 1000, "pressure_time": 2e-5}}


def curves(folder: Path) -> Tuple[np.ndarray, np.ndarray, Dict[str, float]]:
    """Strain and averaged pressure, Pa, and what is there at the end."""
    with open(folder / "curves.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    column = {name.split(" [")[0]: name for name in rows[0]}
    height = json.loads((folder / "scene.json").read_text())["rig"]["maximum"][2] * 2
    pick = lambda name: np.array([float(row[column[name]]) for row in rows])
    last = {name: pick(name)[-1] for name in ("fragments", "broken_bonds", "energy.balance_error")}
    return pick("wall.z_max.displacement") / height, pick("wall.z_max.pressure_average"), last


def run(scree: Path, count: int, folder: Path, threads: int) -> Tuple[Path, float]:
    """The recording's folder, and the seconds that the run took (0: it was there)."""
    out = folder / f"aggregate-{count}"
    if (out / "curves.csv").exists():
        return out, 0.0
    file = folder / f"aggregate-{count}.json"
    file.write_text(json.dumps(scene(count)))
    began = time.monotonic()
    subprocess.run([scree, "run", file, "-o", out, "-q", "-t", str(threads)], check=True, stdout=subprocess.DEVNULL)
    return out, time.monotonic() - began


def report(results: Dict[int, Tuple[np.ndarray, np.ndarray, Dict[str, float]]]) -> str:
    """The tables."""
    lines = ["# Crushing 400 to 1000 irregular grains", "",
             "Pressure on the lid over the lid's area, averaged over 20 us (`wall.z_max.pressure_average`), MPa, over the strain of the cube. Written by "
             "`tests/bench/study_aggregate.py`, whose head says how the grains are made and packed. Spread: largest less smallest, over the mean.", "",
             "| grains | " + " | ".join(f"{100 * level:.0f} %" for level in LEVELS) + " | pieces at the end | energy balance |",
             "|---" * (len(LEVELS) + 3) + "|"]
    table = []
    for count, (strain, pressure, last) in sorted(results.items()):
        # the mean of a tenth of the range about each level, as single samples still swing
        values = [pressure[np.abs(strain - level) < 0.015].mean() for level in LEVELS]
        table.append(values)
        lines.append(f"| {count} | " + " | ".join(f"{v / 1e6:.3g}" for v in values) + f" | {last['fragments']:.0f} | {last['energy.balance_error']:.1e} |")
    for name, rows in (("all", table), ("the two largest", table[-2:])):
        rows_ = np.array(rows)
        lines.append(f"| spread of {name} | " + " | ".join(f"{100 * s:.0f} %" for s in np.ptp(rows_, axis=0) / rows_.mean(0)) + " | | |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scree", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--grains", default="400,600,800,1000")
    parser.add_argument("--folder", type=Path, default=Path("build/aggregate"))
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for count in map(int, arguments.grains.split(",")):
        out, seconds = run(arguments.scree.resolve(), count, arguments.folder, arguments.threads)
        results[count] = curves(out)
        print(f"{count} grains: {seconds:.0f} s", flush=True)
    arguments.report.write_text(report(results), encoding="utf-8")


if __name__ == "__main__":
    main()
