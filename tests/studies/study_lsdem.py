"""Writes tests/reports/validation/LSDEM.md and its pictures: the paper's two figures drawn again, with absolute forces beside normalised ones, and the comparison of the five ways
in which level sets follow modes.

    python3 study_lsdem.py SCREE BENCH_LSDEM_FOLLOW       the program, and build/tests/bench/bench_lsdem_follow; about a minute

Standard library only."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "tests" / "reports" / "validation"
COLOURS = ("#1b6ca8", "#c8553d", "#3b8b5f", "#8e5ea2", "#d19a2a")
WALLS = ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")
Points = List[Tuple[float, float]]


class Line(NamedTuple):
    """One curve of a picture."""
    name: str
    points: Points
    dashed: bool = False


# ── pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 470, 340, 66, 14, 34, 46


def ticks(most: float) -> List[float]:
    """Round steps from 0 to about `most`."""
    step = 10 ** math.floor(math.log10(most / 4))
    step *= next(f for f in (1, 2, 5, 10) if most / (step * f) <= 6)
    return [k * step for k in range(int(most / step + 1e-9) + 1)]


def panel(title: str, x_label: str, y_label: str, lines: Sequence[Line]) -> str:
    """A pair of linear axes from zero."""
    most_x, most_y = (max(p[a] for line in lines for p in line.points) * 1.02 for a in (0, 1))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(p: Tuple[float, float]) -> str:
        return f"{LEFT + p[0] / most_x * (right - LEFT):.1f},{bottom - p[1] / most_y * (bottom - TOP):.1f}"

    out = [f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" stroke="#888"/>',
           f'<text x="{(LEFT + right) / 2}" y="20" text-anchor="middle" font-weight="bold">{escape(title)}</text>',
           f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>',
           f'<text x="14" y="{(TOP + bottom) / 2}" text-anchor="middle" transform="rotate(-90 14 {(TOP + bottom) / 2})">{escape(y_label)}</text>']
    for t in ticks(most_x):
        x = LEFT + t / most_x * (right - LEFT)
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}" stroke="#888"/><text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{t:.4g}</text>')
    for t in ticks(most_y):
        y = bottom - t / most_y * (bottom - TOP)
        out.append(f'<line x1="{LEFT - 4}" x2="{LEFT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#888"/><text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{t:.4g}</text>')
    for k, line in enumerate(lines):
        colour, dash = COLOURS[k % len(COLOURS)], ' stroke-dasharray="5 3"' if line.dashed else ""
        path = " ".join(place(p) for p in line.points if p[0] >= 0 and p[1] >= 0)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
        y = TOP + 16 + 15 * k
        out.append(f'<line x1="{LEFT + 8}" x2="{LEFT + 30}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dash}/><text x="{LEFT + 35}" y="{y}">{escape(line.name)}</text>')
    return "\n".join(out)


def bars(title: str, names: Sequence[str], values: Sequence[float], unit: str) -> str:
    """Bars on a logarithmic scale."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    left, right, step = 190, WIDTH - 60, (HEIGHT - TOP - 20) / len(names)
    out = [f'<text x="{WIDTH / 2}" y="20" text-anchor="middle" font-weight="bold">{escape(title)}</text>']
    for k, (name, value) in enumerate(zip(names, values)):
        y, length = TOP + k * step, max(2.0, (math.log10(value) - low) / (high - low) * (right - left))
        out.append(f'<text x="{left - 6}" y="{y + step / 2 + 4:.1f}" text-anchor="end">{escape(name)}</text>'
                   f'<rect x="{left}" y="{y + 2:.1f}" width="{length:.1f}" height="{step - 4:.1f}" fill="{COLOURS[0]}"/>'
                   f'<text x="{left + length + 4:.1f}" y="{y + step / 2 + 4:.1f}">{value:.3g}{escape(unit)}</text>')
    return "\n".join(out)


def picture(name: str, panels: Sequence[str]) -> None:
    """Writes panels in two columns."""
    rows = (len(panels) + 1) // 2
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {rows * HEIGHT}" font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for k, p in enumerate(panels):
        out.append(f'<g transform="translate({k % 2 * WIDTH} {k // 2 * HEIGHT})">{p}</g>')
    (OUT / name).write_text("\n".join(out) + "\n</svg>\n")


# ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def run(scree: str, name: str, change: Callable[[Dict[str, Any]], None]) -> Dict[str, List[float]]:
    """Curves of a scene of the gallery, changed, by name without units."""
    with tempfile.TemporaryDirectory(prefix="scree-study-") as folder:
        scene = json.loads((ROOT / "api" / "gallery" / f"{name}.json").read_text())
        change(scene)
        (Path(folder) / "scene.json").write_text(json.dumps(scene))
        done = subprocess.run([scree, "run", str(Path(folder) / "scene.json"), "-o", str(Path(folder) / "out"), "-q"], capture_output=True, text=True, check=False)
        if done.returncode != 0:  # 8: done, but doubted, as when a step is too large for the contacts there were
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        with open(Path(folder) / "out" / "curves.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    names = [title.split(" [")[0] for title in rows[0]]
    return {title: [float(row[k]) for row in rows[1:]] for k, title in enumerate(names)}


def table() -> Points:
    """The paper's table 2 in m and N, of balls of 10 mm."""
    text = json.loads((ROOT / "api" / "gallery" / "compact1.json").read_text())["specimens"][0]["mode_table"]
    return [(float(a), float(b)) for a, b in (pair.split() for pair in text.split(","))]


def force_at(points: Points, x: float) -> float:
    """F(x), linear between the points."""
    for (a, f), (b, g) in zip(points, points[1:]):
        if x <= b:
            return f + (g - f) * (x - a) / (b - a)
    (a, f), (b, g) = points[-2:]
    return g + (g - f) / (b - a) * (x - b)


def walls(curves: Dict[str, List[float]]) -> List[float]:
    """The sum of the sizes of the forces on the six walls."""
    return [sum(abs(curves[f"wall.{w}.force_{w[0]}"][k]) for w in WALLS) for k in range(len(curves["time"]))]


def walls_over_way(curves: Dict[str, List[float]]) -> Points:
    """That sum over the way of the walls."""
    return list(zip(curves["wall.z_max.displacement"], walls(curves)))


def slowly(scene: Dict[str, Any]) -> None:
    """The bend as slow as the paper's, without friction, nodes 0.5 voxels apart."""
    scene["contact"]["friction_coefficient"] = 0
    scene["specimens"][0]["spacing"] = 0.5
    scene["obstacles"][2]["program"] = [{"type": "constant", "velocity": 0.0196}]
    scene["time"] = {"duration": 256, "time_step": 0.02}
    scene["output"].update(sample_interval=0.5, frame_interval=10)


def meant(kind: str, step: float = 5e-7, duration: float = 0) -> Callable[[Dict[str, Any]], None]:
    """What the table's forces are; contacts stiff beside the balls, and damping that lets little swing. Half the step of 1e-6 that is stable at the start: as balls shrink,
    more nodes press, and at 4.2 mm of 27 balls a step of 1e-6 is no longer stable."""
    def change(scene: Dict[str, Any]) -> None:
        scene["specimens"][0]["table_is"] = kind
        scene["contact"]["contact_stiffness"] = 1e14
        scene["time"]["time_step"] = step
        if duration:
            scene["time"]["duration"] = duration
        scene["specimens"][0]["mode_damping_ratio"] = 0.5
        scene["options"] = {"local_damping": 0.5}
    return change


def quarter_speed(scene: Dict[str, Any]) -> None:
    """The beginning of 27 balls' compaction, balls by the table of all six, walls at a quarter of the speed."""
    meant("total", 2.5e-7, 0.0132)(scene)
    for wall in scene["rig"]["walls"].values():
        for step in wall["program"]:
            step["velocity"] /= 4
            if "duration" in step:
                step["duration"] *= 4


def near(curve: Points, x: float) -> float:
    """The mean of the samples within 3 % of x, on both sides, which levels out what swings; F ~ x^1.7 makes that 2e-4 too large."""
    found = [value for at, value in curve if abs(at - x) <= 0.03 * x]
    if not found or max(at for at, _ in curve) < 1.03 * x:
        sys.exit(f"a curve does not go 3 % beyond {x:.4g}")
    return sum(found) / len(found)


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────────────


def bend(scree: str) -> List[str]:
    """The paper's figure 4."""
    curves = run(scree, "bend3", slowly)
    points = [(d, abs(f)) for d, f in zip(curves["obstacle.load.displacement"], curves["obstacle.load.force_z"]) if 0 <= d <= 5]
    picture("lsdem-bend3.svg", [
        panel("Bend: absolute force", "displacement of the roller, voxels", "force on the roller", [Line("run", points), Line("K delta, K = 1e4", [(0, 0), (5, 5e4)], True)]),
        panel("Bend: as the paper draws it", "displacement over 5", "force over 5 K", [Line("run", [(d / 5, f / 5e4) for d, f in points]), Line("F = delta", [(0, 0), (1, 1)], True)])])
    used = [p for p in points if p[0] > 0.5]
    n, sx, sy = len(used), sum(p[0] for p in used), sum(p[1] for p in used)
    slope = (n * sum(p[0] * p[1] for p in used) - sx * sy) / (n * sum(p[0] ** 2 for p in used) - sx * sx) / 1e4
    return ["## Figure 4: three-point bend", "", "![bend](lsdem-bend3.svg)", "",
            f"Slope of force over displacement beyond 0.5, over K: **{slope:.4f}**. The paper says \"excellent agreement\" with 1. Force and K both hold the same input K, so the "
            "figure tests that contacts project onto the mode, no more. That it is above 1 is right: contacts wander in under the sagging bar (specification, 4.4), and "
            "contacts of a finite stiffness take some of it back. `validate_lsdem_press` holds both against integrals.", ""]


def compaction(scree: str) -> List[str]:
    """The paper's figures 5 and 6."""
    points = table()
    one = {kind: run(scree, "compact1", meant(kind)) for kind in ("per_wall", "total")}
    end = 0.009  # walls are 4.8 mm in then, the end of the table for three balls in a row
    # 27 balls begin with what their facets overlap, 0.6 J at this stiffness; steps of 5e-7 lose 1.4 % of that where no curve accounts for it
    many = {kind: run(scree, "compact27", meant(kind, 2.5e-7, end)) for kind in ("per_wall", "total")}
    finer = walls_over_way(run(scree, "compact27", meant("per_wall", 1.25e-7, end)))
    last = force_at(points, 1.6e-3)
    slow = walls_over_way(run(scree, "compact27", quarter_speed))
    sums = {kind: walls_over_way(c) for kind, c in one.items()}
    sums27 = {kind: walls_over_way(c) for kind, c in many.items()}
    sums = {k: [p for p in v if p[0] <= 1.6e-3] for k, v in sums.items()}
    sums27 = {k: [p for p in v if p[0] <= 4.8e-3] for k, v in sums27.items()}
    six = {"per_wall": 6.0, "total": 1.0}
    label = {"per_wall": "table is of one wall", "total": "table is of all six"}
    picture("lsdem-compact.svg", [
        panel("One ball: force on each wall, N", "way of each wall, mm", "N", [Line(label[k], [(1e3 * x, f / 6) for x, f in sums[k]]) for k in sums]
              + [Line("F of the table", [(1e3 * x, f) for x, f in points], True), Line("F/6", [(1e3 * x, f / 6) for x, f in points], True)]),
        panel("One ball: as the paper draws it", "way over 1.6 mm", "all walls over U'(1.6 mm)", [Line(label[k], [(x / 1.6e-3, f / (six[k] * last)) for x, f in sums[k]]) for k in sums]
              + [Line("F(way)/F(1.6 mm)", [(x / 1.6e-3, f / last) for x, f in points], True)]),
        panel("27 balls: force on each wall, N", "way of each wall, mm", "N", [Line(label[k], [(1e3 * x, f / 6) for x, f in sums27[k]]) for k in sums27]
              + [Line("9 F(way/3)", [(3e3 * x, 9 * f) for x, f in points], True), Line("9 F(way/3)/6", [(3e3 * x, 1.5 * f) for x, f in points], True)]),
        panel("27 balls: as the paper draws it", "way over 4.8 mm", "all walls over 9 U'(1.6 mm)", [Line(label[k], [(x / 4.8e-3, f / (9 * six[k] * last)) for x, f in sums27[k]]) for k in sums27]
              + [Line("F(way/3)/F(1.6 mm)", [(x / 1.6e-3, f / last) for x, f in points], True)])])
    out = ["## Figures 5 and 6: one ball and 27 balls between six walls", "", "![compaction](lsdem-compact.svg)", "",
           "**The factor of six.** Table 2 of the paper does not say whose force it lists. Finite elements of a ball between six walls give its numbers as the force of **one** "
           "wall when Young's modulus is 1.00e4, a round number, and as that of all six together only when it is 1.67e3 (specification, 4.12). All six walls move by "
           "eps, so what the mode feels is the sum over them: U' = 6 F. With U' = F every contact is six times too soft. In normalised figures the two look alike, as they "
           "divide by their own U'; in newtons per wall they differ by six. `table_is` says which is meant; one wall's is the default. So also for 27 balls (4.15): all six walls together carry 9 U'(way/3), "
           "one wall 9 F(way/3); to set the total of one beside the single force of the other errs by six.", "",
           "| walls in by, mm | each wall, N: table of one wall | table of all six | ratio | F of the table, N | all walls over U', of one | of all six |", "|---|---|---|---|---|---|---|"]
    for way in (0.4e-3, 0.8e-3, 1.2e-3, 1.4e-3, 1.54e-3):
        a, b, f = near(sums["per_wall"], way), near(sums["total"], way), force_at(points, way)
        out.append(f"| {1e3 * way:.2f} | {a / 6:.1f} | {b / 6:.2f} | {a / b:.2f} | {f:.1f} | {a / (6 * f):.3f} | {b / f:.3f} |")
    out += ["", "| walls in by, mm, 27 balls | each wall, N: table of one wall | table of all six | ratio | 9 F(way/3), N | all walls over 9 U', of one | of all six |", "|---|---|---|---|---|---|---|"]
    drift = 0.0
    for way in (1.2e-3, 2.4e-3, 3.6e-3, 4.6e-3):
        drift = max(drift, abs(near(sums27["per_wall"], way) / near(finer, way) - 1))
        a, b, f = near(sums27["per_wall"], way), near(sums27["total"], way), 9 * force_at(points, way / 3)
        out.append(f"| {1e3 * way:.2f} | {a / 6:.1f} | {b / 6:.2f} | {a / b:.2f} | {f:.1f} | {a / (6 * f):.3f} | {b / f:.3f} |")
    return out + ["", f"The step is 5e-7 s; with half of it the forces of the 27 balls' table of one wall are the same to {100 * drift:.2f} %. With 1e-6 s, which is stable at first, the more nodes that press from 4.2 mm on are not: "
                  "wall forces then alternate by a fifth from sample to sample, and the run is reported as doubtful. "
                  "Walls move at 0.6 m/s, which at first is quick for the softer balls, whose layers still swing: "
                  f"at 1.20 mm the last column's {near(sums27['total'], 1.2e-3) / (9 * force_at(points, 0.4e-3)):.3f} is {near(slow, 1.2e-3) / (9 * force_at(points, 0.4e-3)):.3f} at a quarter of the speed.",
                  "", "The ratio of the two is not quite six, as contacts of a finite stiffness take more of the way where balls are stiffer, and as the walls move: what swings and what damping holds back are in these forces, means over 3 % of the way on both sides. What else is missing to 1 is the field: ours shrinks alike in all directions, so that the "
                  "ball's caps press by less than their poles; the paper's field is flat where the wall presses, and is not published. `validate_lsdem_press` holds the forces against the balance of that "
                  "ball by integrals (1 %), and 27 balls against 9 U'(way/3) with stiff contacts (0.5 %).", ""]


def following(bench: str) -> List[str]:
    """The comparison of five ways."""
    done = subprocess.run([bench], capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    out = ["## Five ways to follow a deformation", "", "![ways](lsdem-lsupdate.svg)", "",
           "A bar of 160 x 4 x 4 grid spacings bent by 5, and a ball of radius 10 squeezed by 1.6 along one axis and swelling by 0.7 and 0.9 along the others (three modes). Errors of the distance as contacts take it, "
           "phi over its slope, at places up to 3/4 of a grid spacing below the deformed surface, in grid spacings; the exact one is of its triangles at a quarter of the nodes' spacing. "
           "Precomputed shapes are asked half way between two of them. One thread; times vary by some ten percent with the machine's load.", ""]
    panels = []
    for grain, title in (("bar", "Bar"), ("ball", "Ball")):
        mine = [row for row in rows if row[0] == grain]
        out += [f"### {title}", "", "| way | largest error | rms error | ns a query | ms an update | bytes a grain | bytes a template, besides the reference shape's |", "|---|---|---|---|---|---|---|"]
        for row in mine:
            out.append(f"| {row[1].replace(',', ':')} | {row[2]} | {row[3]} | {row[4]} | {row[5] if float(row[5]) else '-'} | {int(row[6]):,} | {int(row[7]):,} |".replace(",", " "))
        out.append("")
        names = [row[1] for row in mine]
        panels += [bars(f"{title}: rms error, grid spacings", names, [float(row[3]) for row in mine], ""), bars(f"{title}: time of a query, ns", names, [float(row[4]) for row in mine], "")]
    picture("lsdem-lsupdate.svg", panels)
    return out + ["**Why `pull_back` is the default.** On the bar it has the least error of all ways, on the ball too; it keeps nothing per grain; its query costs about what the others' do, five times less than `remap`'s, which "
                  "is the same idea with eight places instead of one. `recompute` and `advect` keep a level set per grain and take tens of milliseconds an update; "
                  "between updates the surface of a master stands still for its contacts, so stored energy jumps at each: in the gallery's `lsupdate` the "
                  "balance of energy is off by 4e-3 and 7e-3 with a tolerance of 0.004 grid spacings, and by 0.1 with 0.1, where the other three have 2e-4 to 6e-4. `precomputed` is off by a quarter of the way between its "
                  "shapes where the bar's medial axis passes, and knows nothing of modes that act together.", "",
                  "The specification's errors (5.4) are against `recompute` at grid points and leave interpolation at edges out; these are against the surface itself.", ""]


def main() -> None:
    """Writes all of it."""
    scree, bench, path = sys.argv[1:4]
    lines = ["# Deformable level-set grains: figures and comparisons", "", "Made by `make study-lsdem` (tests/studies/study_lsdem.py). Units: the bend in the paper's voxels; balls of 10 mm in m and N, which are the paper's voxels in mm.", ""]
    lines += bend(scree) + compaction(scree) + following(bench)
    Path(path).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
