"""Runs the bonded beam of the gallery at three resolutions, with the body's constants as the gallery has them, with each bond's as the paper
has them, and with the energy-scaled strength, and writes TABLE2.md: first break and what comes after it, beside the paper's table 2.

    python3 study_scale.py SCREE REPORT.md [low|middle ...]

SCREE is the command line program. Without names all three resolutions are run, which takes some minutes. Standard library only.
"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
RESOLUTIONS = ["low", "middle", "high"]
PAPER = {"low": ("532", "2.0E-5", "0.9", "23"), "middle": ("1.8K", "9.1E-6", "7.3", "25"), "high": ("18K", "5.8E-5", "137.1", "25")}
STRENGTH, MODULUS, POISSON = 3e4, 1e7, 0.3  # Pa, Pa, 1: the paper's
FACTOR = math.sqrt(8 / (math.pi * 6 * math.sqrt(2)) / 1.62)  # of the energy-scaled strength, close packing, pulled along its rows
FRAMES = 60  # per second
# m: the rig where the regular lattice's spheres are, for contact by spheres
SPHERES_HEIGHT = {"low": {"position": [0, 0, -0.0379209], "opening": 0.0754978}, "middle": {"position": [0, 0, -0.0374548], "opening": 0.0747177},
                  "high": {"position": [0, 0, -0.0370568], "opening": 0.0740707}}


class Run(NamedTuple):
    spheres: int
    time_step: float
    seconds: float  # per frame
    frame: float  # of the first break
    load: float  # N, at it
    deflection: float  # m, at it
    beam: float  # N, at which beam theory has the strength at the lowest fibre
    stiffness: float  # N/m, before it
    peak: float  # N
    broken: int
    released: float  # J
    area: float  # m^2, of the section
    cut: float  # bonds that a straight cut across the rows crosses
    path: float  # m, standard deviation of the broken bonds' x about their mean
    middle: float  # m, that mean
    parted: Optional[float]  # s from the first break until the beam was in two; None: it was not


def fracture_energy() -> float:
    """The energy at which the middle resolution's bonds have the given strength: sigma = factor sqrt(E Gc / r)."""
    radius = 0.5 * scene_of("middle")["specimens"][0]["spacing"]
    return (STRENGTH / FACTOR) ** 2 * radius / MODULUS


def scene_of(resolution: str) -> Dict:
    return json.loads((ROOT / f"api/gallery/three-point-bend-{resolution}.json").read_text())


def columns(path: Path) -> Dict[str, List[str]]:
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    return {name.split(" [")[0]: [row[k] for row in rows] for k, name in enumerate(names)}


def run(scree: str, resolution: str, variant: str, folder: Path) -> Run:
    scene = scene_of(resolution)
    spacing = scene["specimens"][0]["spacing"]
    scene["time"]["duration"] = 0.85
    if variant != "body":
        scene["materials"][0].update(poisson_ratio=POISSON, shear_strength=STRENGTH)
        scene["options"].update(constants_of="bonds", contact_surface="spheres", contact_stiffness_factor=10)
        scene["rig"].update(SPHERES_HEIGHT[resolution])
    if variant == "scaled":
        scene["materials"][0]["fracture_energy"] = fracture_energy()
        scene["options"]["strength"] = "energy-scaled"
    file, out = folder / "scene.json", folder / f"{resolution}-{variant}"
    file.write_text(json.dumps(scene))
    estimate = json.loads(subprocess.run([scree, "check", str(file), "--json"], check=True, capture_output=True, text=True).stdout)["estimate"]
    begun = time.monotonic()
    subprocess.run([scree, "run", str(file), "-o", str(out)], check=True, capture_output=True)
    passed = time.monotonic() - begun
    curves = {name: [float(v) for v in values] for name, values in columns(out / "curves.csv").items()}
    subprocess.run([scree, "export", str(out), "--table", "breaks", "-o", str(out / "breaks.csv")], check=True)
    breaks = columns(out / "breaks.csv")
    force = [abs(v) for v in curves["roller.load.force_z"]]
    way, time_of = curves["roller.load.displacement"], curves["time"]
    first = next(k for k, v in enumerate(curves["broken_bonds"]) if v > 0)
    # The log has the break's own time, between two samples: there the force goes on as it grew over the ten samples before.
    stiffness = (force[first - 1] - force[first - 11]) / (way[first - 1] - way[first - 11])
    passed_by = (float(breaks["time"][0]) - time_of[first - 1]) / (time_of[first] - time_of[first - 1])
    deflection = way[first - 1] + passed_by * (way[first] - way[first - 1])
    x = [float(v) for v in breaks["x"]]
    middle = sum(x) / len(x)
    parted = next((t for t, n in zip(curves["time"], curves["fragments"]) if n > 1.5), None)
    size = scene["specimens"][0]["shape"]["size"]
    rows, layers = math.floor(size[1] / (math.sqrt(0.75) * spacing)), math.floor(size[2] / (math.sqrt(2 / 3) * spacing))
    area = rows * math.sqrt(0.75) * spacing * layers * math.sqrt(2 / 3) * spacing
    return Run(
        spheres=estimate["node_count"], time_step=estimate["time_step"], seconds=passed / (curves["time"][-1] * FRAMES),
        frame=curves["time"][first] * FRAMES, load=force[first - 1] + stiffness * (deflection - way[first - 1]), deflection=deflection,
        beam=2 * size[1] * size[2] ** 2 * STRENGTH / (3 * scene["rig"]["span"]), stiffness=stiffness,
        peak=max(force), broken=int(curves["broken_bonds"][-1]), released=curves["energy.fracture"][-1],
        area=area, cut=area * 3 / (2 * math.sqrt(2)) / (0.5 * spacing) ** 2,
        path=math.sqrt(sum((v - middle) ** 2 for v in x) / len(x)), middle=middle,
        parted=None if parted is None else parted - curves["time"][first])


def first_rows(runs: Dict[str, Run]) -> List[str]:
    lines = ["| resolution | spheres (paper) | dt, s (paper) | s per frame (paper) | first break, frame (paper) | load, N | deflection, mm | N/mm |",
             "|---|---|---|---|---|---|---|---|"]
    for name, r in runs.items():
        spheres, step, seconds, frame = PAPER[name]
        lines.append(f"| {name} | {r.spheres} ({spheres}) | {r.time_step:.2g} ({step}) | {r.seconds:.3g} ({seconds}) | {r.frame:.1f} ({frame}) | "
                     f"{r.load:.1f} | {1e3 * r.deflection:.3f} | {1e-3 * r.stiffness:.1f} |")
    return lines + ["", f"Largest over smallest: load {spread([r.load for r in runs.values()])}, "
                        f"deflection {spread([r.deflection for r in runs.values()])}."]


def later_rows(runs: Dict[str, Run]) -> List[str]:
    lines = ["| resolution | first break, N, mm | largest force, N | broken bonds (straight cut) | released, mJ | per section, J/m² | crack from x, mm, ± | in two after, ms |",
             "|---|---|---|---|---|---|---|---|"]
    for name, r in runs.items():
        parted = "not in 0.85 s" if r.parted is None else f"{1e3 * r.parted:.0f}"
        lines.append(f"| {name} | {r.load:.1f}, {1e3 * r.deflection:.3f} | {r.peak:.1f} | {r.broken} ({r.cut:.0f}) | {1e3 * r.released:.2f} | "
                     f"{r.released / r.area:.3f} | {1e3 * r.middle:+.1f} ± {1e3 * r.path:.1f} | {parted} |")
    return lines


def spread(values: List[float]) -> str:
    """Largest over smallest, as people write it."""
    return f"{max(values) / min(values):.2f}"


def report(body: Dict[str, Run], given: Dict[str, Run], scaled: Dict[str, Run]) -> str:
    beam = next(iter(body.values())).beam
    lines = ["# Three-point bending at three resolutions", "",
             "Written by `make study-scale`; do not edit. The gallery's `three-point-bend-low`, `-middle` and `-high`: implicit Euler, E = 1e7 Pa,",
             "3e4 Pa, roller at 1.75 mm/s, 60 frames per second. The paper gives neither its beam's size nor its density; ours is 0.4 m long on",
             "supports 0.311 m apart, so frames compare in their order only. Its rows are printed as they stand (the dt of its last row is probably",
             "ten times too large). Seconds per frame are wall-clock on one thread of a machine that others may have used, over the whole run, the",
             "explicit steps of breaking included.", "",
             "## First break, the gallery's way: modulus and strength of the body", "", *first_rows(body), "",
             f"Beam theory: {beam:.1f} N. A virtual test finds the bonds that give the body its constants, at each resolution its own, with what its",
             "faces and its section lack. What is left is the bending stiffness of few layers, 1/n² less than a solid's.", "",
             "## First break, the paper's way: modulus, Poisson's ratio 0.3 and strength of each bond", "", *first_rows(given), "",
             "Bodies of such bonds are 1.6 times as stiff and strong, less what coarse ones lack at their faces. Static solutions differ with",
             "resolution by like amounts (test_bars_bend_and_first_break_alike_at_every_resolution).", "",
             "Rollers meet spheres there, and faces above. Supports whose line falls between two rows of spheres make the span uncertain by half a",
             "row: 0.3 m apart, the coarsest beam stood 0.293 m apart, by beam theory 7 % stiffer. Rows of the regular lattice stand on the lines of",
             "these supports at every resolution.", "",
             "## After it: constants of the body", "", *later_rows(body), "",
             "## After it: bonds of one strength", "", *later_rows(given), "",
             f"## After it: energy-scaled strength, Gc = {fracture_energy():.4g} J/m² (the middle resolution's bonds are as strong as in the table before)", "",
             *later_rows(scaled), "",
             f"Released per section, largest over smallest: {spread([r.released / r.area for r in body.values()])} with constants of the body, "
             f"{spread([r.released / r.area for r in given.values()])} with bonds of one strength,",
             f"{spread([r.released / r.area for r in scaled.values()])} energy-scaled.",
             "More broken bonds than a straight cut crosses are branches and dust: a beam without a notch holds more energy at its first break than one",
             "crack takes. What one crack takes by itself is in validate_bdem_fracture.c.", ""]
    return "\n".join(lines)


def main() -> None:
    scree, path = sys.argv[1], Path(sys.argv[2])
    chosen = sys.argv[3:] or RESOLUTIONS
    with tempfile.TemporaryDirectory(prefix="scree-study-") as work:
        runs = {variant: {name: run(scree, name, variant, Path(work)) for name in chosen} for variant in ("body", "bonds", "scaled")}
    path.write_text(report(runs["body"], runs["bonds"], runs["scaled"]))


if __name__ == "__main__":
    main()
