"""Runs random scenes and looks for silent exceptions: runs that end as a plain success although their physics is wrong.

    python3 sweep.py SCREE REPORT [--seed N] [--count N] [--method NAME] [--only INDEX] [--keep FOLDER]

SCREE is the command line program, REPORT the Markdown file to write ('-': none). Every scene follows from the seed, its method and its index
alone. Small bodies of random material, size, spacing and interaction collide, fall, slide or are crushed with random friction, damping, speed and
step. A run may be refused, fail or end with doubts; it may not end as a plain success while

  - its energies, added up here from the curves, are off by more than 1 % of the largest of them,
  - a dissipated energy falls by more than a thousandth of the largest energy, or the steps' numerical loss is a gain of more than 1 %,
  - a specimen is behind a wall of the rig, or unbreakable bodies that met head-on have changed places,
  - it crashed, hung, or left no curves.

Ends with 1 when there is such a run. Standard library only.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import math
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

TOLERANCE = 0.01  # of the largest energy
FALL = 1e-3  # of the largest energy
PATIENCE = 90  # s for one run
STORED = ("energy.kinetic", "energy.elastic", "energy.contact", "energy.wall")
DISSIPATED = ("energy.damping", "energy.friction", "energy.fracture")


class Outcome(NamedTuple):
    index: int
    kind: str  # what the scene is: "collide", ...
    verdict: str  # "plain", "doubted", "failed", "refused", "slow", "silent"
    reason: str
    facts: Dict[str, float]  # what was drawn
    balance: float  # largest error found here, as a part of the largest energy; NaN without curves


# ── scenes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def log_uniform(r: random.Random, low: float, high: float) -> float:
    return 10 ** r.uniform(math.log10(low), math.log10(high))


def material(r: random.Random, name: str, method: str) -> Dict[str, Any]:
    modulus, density = log_uniform(r, 1e4, 1e10), log_uniform(r, 500, 8000)
    made: Dict[str, Any] = {"name": name, "density": density, "young_modulus": modulus, "poisson_ratio": 0.25}
    if method == "peridem":
        del made["young_modulus"], made["poisson_ratio"]
        made["bulk_modulus"] = modulus / 1.5
        made["fracture_energy"] = modulus * log_uniform(r, 1e-9, 1e-5)
    else:
        made["tensile_strength"] = made["shear_strength"] = modulus * log_uniform(r, 1e-3, 1e-1)
    return made


def shape(r: random.Random, size: float) -> Dict[str, Any]:
    kind = r.choice(["box", "box", "sphere", "cylinder"])
    if kind == "box":
        return {"type": "box", "size": [size, size, size]}
    if kind == "sphere":
        return {"type": "sphere", "radius": size / 2}
    return {"type": "cylinder", "radius": size / 2, "length": size}


def wave_speed(made: Dict[str, Any]) -> float:
    return math.sqrt(made.get("young_modulus", 1.5 * made.get("bulk_modulus", 1)) / made["density"])


def collide(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    for name, sign in (("left", -1), ("right", 1)):
        body = specimen(r, scene, name, size)
        body["placement"] = {"type": "single", "position": [sign * size * r.uniform(0.55, 0.7), 0, 0]}
        body["velocity"] = [-sign * speed / 2, 0, 0]
    scene["rig"] = {"type": "none"}


def fall(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    body = specimen(r, scene, "body", size)
    body["placement"] = {"type": "single", "position": [0, 0, size * r.uniform(0.0, 0.3)]}
    body["rotation"] = {"axis": [r.uniform(-1, 1), r.uniform(-1, 1), 0.1], "angle_deg": r.uniform(0, 45)}
    body["velocity"] = [r.uniform(-1, 1) * speed, 0, -speed]
    scene["rig"] = {"type": "box", "minimum": [-3 * size, -3 * size, -size], "maximum": [3 * size, 3 * size, 3 * size],
                    "gravity": [0, 0, -speed * speed / size]}


def crush(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    body = specimen(r, scene, "body", size)
    body["placement"] = {"type": "single", "position": [0, 0, 0]}
    scene["rig"] = {"type": "box", "minimum": [-2 * size, -2 * size, -size / 2], "maximum": [2 * size, 2 * size, size / 2 * r.choice([1, 1.05])],
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -speed}]}}}


def slide(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    body = specimen(r, scene, "body", size)
    body["placement"] = {"type": "single", "position": [0, 0, 0]}
    body["velocity"] = [speed, 0, 0]
    tilt, pull = math.radians(r.uniform(0, 45)), speed * speed / size
    scene["rig"] = {"type": "box", "minimum": [-3 * size, -3 * size, -size / 2], "maximum": [3 * size, 3 * size, 3 * size],
                    "gravity": [pull * math.sin(tilt), 0, -pull * math.cos(tilt)]}


def pierce(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    """A ball is shot at a thin plate: a specimen that is free to move, or an obstacle that is not."""
    spacing = size / 8
    ball = {"name": "ball", "material": scene["materials"][0]["name"], "spacing": spacing, "shape": {"type": "sphere", "radius": 2 * spacing},
            "placement": {"type": "single", "position": [-size * r.uniform(0.3, 0.5), 0, 0]}, "velocity": [speed, 0, 0],
            "angular_velocity": [0, r.choice([0, 1]) * speed / size, 0]}
    scene["specimens"].append(ball)
    scene["rig"] = {"type": "none"}
    if r.random() < 0.5:
        scene["specimens"].append({"name": "plate", "material": scene["materials"][1]["name"], "spacing": spacing,
                                   "shape": {"type": "box", "size": [2 * spacing, size, size]}, "placement": {"type": "single", "position": [0.2 * size, 0, 0]}})
    else:
        thickness = size * r.uniform(0.005, 0.2)
        scene["obstacles"] = [{"name": "plate", "shape": {"type": "box", "size": [thickness, 2 * size, 2 * size]}, "position": [0.2 * size, 0, 0]}]


def whirl(r: random.Random, scene: Dict[str, Any], size: float, speed: float) -> None:
    """A bar turns about its middle and hits a block beside it."""
    spacing = size / r.uniform(6, 9)
    scene["specimens"].append({"name": "bar", "material": scene["materials"][0]["name"], "spacing": spacing,
                               "shape": {"type": "box", "size": [size, 3 * spacing, 3 * spacing]}, "placement": {"type": "single", "position": [0, 0, 0]},
                               "angular_velocity": [0, 0, 2 * speed / size]})
    scene["specimens"].append({"name": "block", "material": scene["materials"][1]["name"], "spacing": spacing,
                               "shape": {"type": "box", "size": [size / 2, size / 2, size / 2]},
                               "placement": {"type": "single", "position": [0.35 * size, 0.7 * size, 0]}})
    scene["rig"] = {"type": "none"}


def specimen(r: random.Random, scene: Dict[str, Any], name: str, size: float) -> Dict[str, Any]:
    made = {"name": name, "material": r.choice(scene["materials"])["name"], "spacing": size / r.uniform(4, 7), "shape": shape(r, size)}
    scene["specimens"].append(made)
    return made


def draw_scene(seed: int, method: str, index: int) -> Tuple[str, Dict[str, Any], Dict[str, float]]:
    """A scene without its duration, and what was drawn for it."""
    r = random.Random(f"{seed} {method} {index}")
    size = log_uniform(r, 1e-3, 1e-1)
    materials = [material(r, "first", method), material(r, "second", method)]
    scene: Dict[str, Any] = {"scree": 1, "name": f"sweep-{index}", "method": method, "materials": materials, "specimens": []}
    slow = min(wave_speed(made) for made in materials)
    speed = min(slow * log_uniform(r, 1e-3, 0.5), 1000.0)
    friction, damping = r.choice([0, r.uniform(0, 1), r.uniform(0, 5)]), r.choice([0, r.uniform(0, 1), r.uniform(0, 2)])
    scene["contact"] = {"friction_coefficient": friction, "damping_ratio": damping}
    build = r.choice([collide, fall, crush, slide, pierce, whirl])
    build(r, scene, size, speed)
    spacing = max(body["spacing"] for body in scene["specimens"])
    options: Dict[str, Any] = {"breakable": r.random() < 0.7}
    facts = {"stiffness": max(wave_speed(made) ** 2 * made["density"] for made in materials), "speed": speed, "friction": friction,
             "damping": damping}
    if method == "peridem":
        options["horizon"] = r.uniform(1.5, 4) * spacing
        options["contact_radius"] = r.uniform(0.4, 2) * spacing
        options["self_contact"] = r.random() < 0.7
        options["wall_law"] = r.choice(["exact", "exact", "lumped"])
        facts["steps"] = r.choice([1, 1, 0.5, 0.1])
    else:
        options["integrator"] = r.choice(["explicit", "implicit-euler", "implicit-euler", "variational"])
        options["breaking"] = r.choice(["explicit-bursts", "explicit-bursts", "staged", "simultaneous", "worst-first"])
        options["contact_stiffness_factor"] = r.choice([1, log_uniform(r, 0.01, 100)])
        options["rolling_friction"] = r.choice([0, r.uniform(0, 1)])
        options["constants_of"] = "bonds"
        explicit = options["integrator"] == "explicit"
        facts["steps"] = r.choice([1, 1, 0.5, 0.1]) if explicit else log_uniform(r, 0.1, 500)
        if not explicit:
            options["step_ratio"] = max(facts["steps"], 0.1)
    scene["options"] = options
    return build.__name__, scene, facts


# ── running ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def ask(command: List[str], text: Optional[str] = None) -> Tuple[int, str, str]:
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def records(path: Path) -> Iterator[Tuple[int, bytes]]:
    """Type and payload of every record (core/record/FORMAT.md)."""
    data = path.read_bytes()
    at = 8
    while at + 32 <= len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        yield kind, data[at + 32 : at + 32 + size]
        at += 32 + (size + 7) // 8 * 8


def first_arrays(frame: bytes) -> Dict[int, Tuple[Tuple[float, ...], Tuple[float, ...], List[int]]]:
    """By drawable: low, high and the 16-bit data of its positions."""
    found = {}
    blocks, at = struct.unpack_from("<I", frame)[0], 8
    for _ in range(blocks):
        drawable, count, _, size = struct.unpack_from("<IIII", frame, at)
        _, encoding, components, _ = struct.unpack_from("<IIII", frame, at + 16)
        low, high = struct.unpack_from("<3d", frame, at + 32), struct.unpack_from("<3d", frame, at + 56)
        if encoding == 1 and components == 3 and count:
            found[drawable] = (low, high, list(struct.unpack_from(f"<{3 * count}H", frame, at + 80)))
        at += 16 + size
    return found


def columns(path: Path) -> Dict[str, List[float]]:
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    return {name.split(" [")[0]: [float(row[k]) for row in rows] for k, name in enumerate(names)}


def judge_energy(curves: Dict[str, List[float]], rounding: float) -> Tuple[float, str]:
    """Largest error of the balance as a part of the largest energy so far, and what is wrong ("" when nothing is). Energies below `rounding`, J, are
    rounding errors of places."""
    held_by = [curves[name] for name in STORED + DISSIPATED + ("energy.numerical",) if name in curves]
    external = curves["energy.external"]
    start = sum(curve[0] for curve in held_by) - external[0]
    scale, worst, peaks = rounding, 0.0, collections.defaultdict(float)
    fallen = ""
    numerical = curves.get("energy.numerical", [0.0] * len(external))
    for k, work in enumerate(external):
        values = [curve[k] for curve in held_by]
        scale = max(scale, abs(work), *(abs(value) for value in values))
        if scale > 0:
            worst = max(worst, abs(sum(values) - work - start) / scale)
        if numerical[k] < -TOLERANCE * scale:
            fallen = f"the steps made {-numerical[k] / scale:.2g} of the largest energy out of nothing"
        for name in DISSIPATED:
            if name not in curves:
                continue
            peaks[name] = max(peaks[name], curves[name][k])
            if peaks[name] - curves[name][k] > FALL * scale:
                fallen = f"{name} fell by {(peaks[name] - curves[name][k]) / scale:.2g} of the largest energy"
    return worst, fallen or (f"energy off by {100 * worst:.3g} %" if worst > TOLERANCE else "")


def judge_places(scene: Dict[str, Any], kind: str, frames: List[bytes]) -> str:
    """A body behind a wall that stands still, or unbreakable bodies that changed places."""
    last = first_arrays(frames[-1])
    points = {k: last[k] for k in range(len(scene["specimens"])) if k in last}
    if scene["rig"]["type"] == "box":
        minimum, maximum = scene["rig"]["minimum"], scene["rig"]["maximum"]
        slack = max(body["spacing"] for body in scene["specimens"])
        for low, high, _ in points.values():
            for axis in range(3):
                top_moves = axis == 2 and "walls" in scene["rig"]
                if low[axis] < minimum[axis] - slack or (not top_moves and high[axis] > maximum[axis] + slack):
                    return f"a specimen is behind a wall: {'xyz'[axis]} from {low[axis]:.3g} to {high[axis]:.3g} m"
    if kind in ("collide", "pierce") and not scene["options"]["breakable"]:
        middles = []
        for low, high, data in points.values():
            middles.append(low[0] + (high[0] - low[0]) * sum(data[0::3]) / (len(data) // 3) / 65535)
        middles += [obstacle["position"][0] for obstacle in scene.get("obstacles", [])]
        if middles[0] > middles[1]:
            return f"one passed through the other: middles at {middles[0]:.3g} and {middles[1]:.3g} m"
    return ""


def size_of(scene: Dict[str, Any]) -> float:
    return max(max(body["shape"].get("size", [0]) + [2 * body["shape"].get("radius", 0)]) for body in scene["specimens"])


def finish_scene(scree: str, scene: Dict[str, Any], facts: Dict[str, float]) -> Tuple[int, str]:
    """Gives the scene its step and duration from what the program says of it. @return exit code and text of the check"""
    size = size_of(scene)
    scene["time"] = {"duration": 1e-3}
    code, out, error = ask([scree, "check", "-", "--json"], json.dumps(scene))
    step = None
    try:
        said = json.loads(out)
        step = said.get("estimate", said).get("time_step")
    except ValueError:
        pass
    if code != 0 or not step:
        return code or 1, out or error
    explicit = scene["options"].get("integrator", "explicit") == "explicit"
    if explicit and facts["steps"] != 1:
        step *= facts["steps"]
        scene["time"]["time_step"] = step
    crossing = 0.8 * size / facts["speed"]
    steps = min(max(crossing / step, 20), 2500 if explicit else 120)
    scene["time"]["duration"] = step * math.ceil(steps)
    scene["output"] = {"sample_interval": step * max(1, math.floor(steps / 200)), "frame_interval": step * math.ceil(steps / 4)}
    return 0, ""


def run_one(scree: str, seed: int, method: str, index: int, keep: Optional[Path]) -> Outcome:
    kind, scene, facts = draw_scene(seed, method, index)
    folder = Path(tempfile.mkdtemp(prefix="scree-sweep-"))

    def outcome(verdict: str, reason: str, balance: float = math.nan) -> Outcome:
        return Outcome(index, kind, verdict, " ".join(reason.split()), facts, balance)

    try:
        code, said = finish_scene(scree, scene, facts)
        if code:
            return outcome("refused" if code > 0 else "silent", first_problem(said) if code > 0 else f"the check died of signal {-code}")
        (folder / "scene.json").write_text(json.dumps(scene, indent=1))
        code, _, error = ask([scree, "run", str(folder / "scene.json"), "-o", str(folder / "out"), "-t", "1", "-q"])
        if code < 0:
            return outcome("silent", f"died of signal {-code}")
        recording = folder / "out" / "recording.scree"
        ends = [json.loads(payload) for kind_, payload in records(recording) if kind_ == 7] if recording.exists() else []
        if not ends:
            return outcome("refused", first_problem(error)) if "refused" in error or code == 3 else outcome("silent", "no end: " + error[-300:])
        if ends[0]["verdict"] != "succeeded":
            return outcome("failed", ends[0]["message"])
        worst, wrong = judge_energy(columns(folder / "out" / "curves.csv"), 1e-20 * facts["stiffness"] * size_of(scene) ** 3)
        wrong = wrong or judge_places(scene, kind, [payload for kind_, payload in records(recording) if kind_ == 3])
        if ends[0].get("doubts"):
            return outcome("doubted", "; ".join(doubt["kind"] for doubt in ends[0]["doubts"]), worst)
        return outcome("silent" if wrong else "plain", wrong, worst)
    except subprocess.TimeoutExpired:
        return outcome("slow", f"not done after {PATIENCE} s")
    except (OSError, KeyError, ValueError) as reason:
        return outcome("silent", f"{type(reason).__name__}: {reason}")
    finally:
        if keep:
            shutil.rmtree(keep / f"{method}-{index}", ignore_errors=True)
            shutil.copytree(folder, keep / f"{method}-{index}")
        shutil.rmtree(folder, ignore_errors=True)


def first_problem(text: str) -> str:
    try:
        said = json.loads(text)
        problem = said["errors"][0]
        return f"{problem['pointer']}: {problem['detail']}"
    except (ValueError, KeyError, IndexError, TypeError):
        return text.strip().splitlines()[0] if text.strip() else "refused without a word"


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────────────

HEAD = """# Random scenes

Written by `make sweep` (tests/validation/sweep.py, seed {seed}): {count} random scenes for each method. Stiffness 1e4 to 1e10 Pa, bodies of 1 mm to 10 cm
with 4 to 7 spacings across, friction 0 to 5, damping ratio 0 to 2, speeds up to half the wave speed, steps of 0.1 to 1 times the explicit bound
or 0.1 to 500 times it in implicit runs, peridem's horizon 1.5 to 4 and contact radius 0.4 to 2 spacings. A run may be refused, fail, or end with doubts; it
may not end as a plain success with an energy balance, added up from its curves, beyond 1 %, with dissipated energy that comes back, or with
bodies that passed through walls or each other.
"""


def tell(method: str, outcomes: List[Outcome]) -> str:
    counts = collections.Counter(outcome.verdict for outcome in outcomes)
    balances = sorted(outcome.balance for outcome in outcomes if outcome.verdict == "plain")
    lines = [f"\n## {method}\n", "| outcome | runs |", "|---|---|"]
    words = {"plain": "succeeded, nothing wrong", "doubted": "succeeded, with doubts", "failed": "failed with a reason", "refused": "refused with a reason",
             "slow": f"not done after {PATIENCE} s", "silent": "**silent exceptions**"}
    lines += [f"| {words[verdict]} | {counts[verdict]} |" for verdict in words]
    if balances:
        lines.append(f"\nBalance of the plain successes: median {balances[len(balances) // 2]:.1e}, largest {balances[-1]:.1e} of the largest energy.")
    for verdict, title in (("silent", "Silent exceptions"), ("doubted", "Doubts"), ("failed", "Failures"), ("refused", "Refusals"), ("slow", "Not done")):
        chosen = [outcome for outcome in outcomes if outcome.verdict == verdict]
        if not chosen:
            continue
        lines.append(f"\n### {title}\n")
        if verdict in ("silent", "failed"):
            lines += [f"- {outcome.index} ({outcome.kind}): {outcome.reason[:220]}" for outcome in chosen]
        else:
            grouped: Dict[str, List[int]] = collections.defaultdict(list)
            for outcome in chosen:
                grouped[outcome.reason.split(":")[0][:100]].append(outcome.index)
            lines += [f"- {reason}: {len(indices)} ({', '.join(map(str, indices[:12]))}{', ...' if len(indices) > 12 else ''})"
                      for reason, indices in sorted(grouped.items(), key=lambda item: -len(item[1]))]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("scree")
    parser.add_argument("report")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--method", action="append")
    parser.add_argument("--only", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    text = HEAD.format(seed=given.seed, count=given.count)
    silent = 0
    for method in given.method or ["peridem", "bdem"]:
        indices = given.only or range(given.count)
        with ThreadPoolExecutor(given.jobs) as pool:
            outcomes = list(pool.map(lambda index: run_one(given.scree, given.seed, method, index, given.keep), indices))
        silent += sum(outcome.verdict == "silent" for outcome in outcomes)
        section = tell(method, outcomes)
        print(section)
        if given.only:
            for outcome in outcomes:
                print(outcome)
        text += section
    if given.report != "-":
        Path(given.report).write_text(text)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
