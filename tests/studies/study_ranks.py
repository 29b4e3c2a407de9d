#!/usr/bin/env python3
"""Peridem over several ranks, large enough to mean something: bytes of recordings for 1, 2, 3, 4, 8 ranks of 1 and 2 threads, and time a step of one
process, two threads and two ranks, measured in turns. Writes tests/reports/bench/SCALE.md.

    study_ranks.py [--report FILE] [--rounds N]       ends with 1 where bytes differ"""
import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import ranks  # noqa: E402

PATIENCE = 3600
TEAMS = [(count, threads) for count in (1, 2, 3, 4, 8) for threads in (1, 2)]


def cube(size, speed, steps):
    """A cube of size^3 nodes that strikes the floor."""
    spacing = 1e-3 / size
    step = 5e-9 * 24 / size
    return {"scree": 1, "name": "cube", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 60}],
            "contact": {"friction_coefficient": 0.5, "damping_ratio": 0.4},
            "specimens": [{"name": "cube", "material": "polymer", "spacing": spacing, "velocity": [1.5, 0, -speed],
                           "shape": {"type": "box", "size": [1e-3, 1e-3, 1e-3]}, "placement": {"type": "single", "position": [0, 0, 0.5005e-3]}}],
            "rig": {"type": "box", "minimum": [-2e-3, -2e-3, 0], "maximum": [2e-3, 2e-3, 2e-3], "gravity": [0, 0, -9.81]},
            "time": {"duration": steps * step, "time_step": step},
            "output": {"frame_interval": steps * step / 2, "sample_interval": steps * step / 10},
            "options": {"self_contact": True, "horizon": 3.015 * spacing}}


def thick_spheres(edge, speed, steps):
    """edge^3 hollow spheres half as thick as their radius, of 1896 nodes and 92,920 bonds each, crushed by the lid of a box."""
    scene = spheres(edge, 8, speed, steps)
    scene["specimens"][0]["shape"]["inner_radius"] = 0.5e-3
    scene["options"]["horizon"] = 3.3333e-4
    return scene


def spheres(edge, cells, speed, steps):
    """edge^3 hollow spheres, crushed by the lid of a box."""
    radius, spacing, step = 1e-3, 1e-3 / cells, 2e-8 * 8 / cells
    half = 1.01 * radius * edge
    return {"scree": 1, "name": "spheres", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 60}],
            "contact": {"friction_coefficient": 0.9, "damping_ratio": 0.9},
            "specimens": [{"name": "grain", "material": "polymer", "spacing": spacing,
                           "shape": {"type": "hollow_sphere", "radius": radius, "inner_radius": 0.7e-3},
                           "placement": {"type": "lattice", "count": [edge] * 3, "pitch": [2.02e-3] * 3, "origin": [-1.01e-3 * (edge - 1)] * 3}}],
            "rig": {"type": "box", "minimum": [-half - 1e-4] * 2 + [-half], "maximum": [half + 1e-4] * 2 + [half], "gravity": [0, 0, -9.81],
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -speed}]}}},
            "time": {"duration": steps * step, "time_step": step},
            "output": {"frame_interval": steps * step / 2, "sample_interval": steps * step / 10},
            "options": {"self_contact": True}}


def run(scene, count, threads):
    """SHA-256 of the recording, bonds that broke, seconds from start to end, how often work was shared out anew."""
    with tempfile.TemporaryDirectory(prefix="scree-scale-") as folder:
        directory = ranks.prepare(Path(folder) / "run", scene)
        begun = time.monotonic()
        code = ranks.begin(directory, count, threads=threads).wait(PATIENCE)
        seconds = time.monotonic() - begun
        if code != 0:
            raise SystemExit(f"{scene['name']} on {count} ranks ended with {code}: {(directory / 'log').read_text()[-2000:]}")
        return hashlib.sha256((directory / "recording.scree").read_bytes()).hexdigest(), ranks.last(directory, "broken_bonds"), seconds, ranks.moves(directory)


def same_bytes(name, scene, lines):
    first, broken, _, _ = run(scene, 0, 1)
    wrong, moves = [], []
    for count, threads in TEAMS:
        digest, _, _, moved = run(scene, count, threads)
        wrong += [f"{count} x {threads}"] if digest != first else []
        moves += [moved] if count > 1 else []
    lines.append(f"| {name} | {broken:.0f} | {min(moves)} to {max(moves)} | {'all equal' if not wrong else 'differ: ' + ', '.join(wrong)} |")
    print(lines[-1], flush=True)
    return not wrong


def step_times(name, scene_of, steps, rounds, lines):
    """Least ms a step of each team: the difference of a run of 3 `steps` and one of `steps`, so that building and starting fall out."""
    best = {}
    for _ in range(rounds):
        for team in ((0, 1), (0, 2), (2, 1)):
            short, long = run(scene_of(steps), *team)[2], run(scene_of(3 * steps), *team)[2]
            best[team] = min(best.get(team, 1e9), (long - short) / (2 * steps) * 1e3)
    one, two, shared = best[0, 1], best[0, 2], best[2, 1]
    lines.append(f"| {name} | {one:.2f} | {two:.2f} | {shared:.2f} | {one / two:.2f} | {one / shared:.2f} |")
    print(lines[-1], flush=True)


def stamp():
    """Of what the numbers are."""
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"Commit `{commit}`, {time.strftime('%Y-%m-%d', time.gmtime())}."


LARGEST = "\n## The largest run\n"


def section(report):
    """What the report says of the largest run, which has a target of its own."""
    text = report.read_text() if report.exists() else ""
    return LARGEST + text.split(LARGEST, 1)[1] if LARGEST in text else ""


def opened(directory):
    """A sentence on how the dashboard opens a run."""
    done = subprocess.run(["node", str(ROOT / "tests" / "studies" / "study_page.mjs"), str(directory)], capture_output=True, text=True, timeout=PATIENCE, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return f"The dashboard opens it, in a laboratory of the usual limits that has adopted it: {found['seconds']:.0f} s until the last frame is drawn, {found['elements']:,} nodes of it."


def large_run(edge, steps, frames, count, page=None):
    """Bytes of each process, seconds from start to end, bytes recorded of edge^3 spheres of 20 nodes' radius; frames beside the first.
    `page` is called with the run's folder."""
    scene = spheres(edge, 20, 1, 10)
    duration = steps * scene["time"]["time_step"]
    scene["time"]["duration"] = duration
    scene["output"] = {"frame_interval": duration / frames, "sample_interval": duration}
    with tempfile.TemporaryDirectory(prefix="scree-scale-", dir=os.environ.get("TMPDIR")) as folder:
        directory = ranks.prepare(Path(folder) / "run", scene)
        begun = time.monotonic()
        process = ranks.begin(directory, count)
        most = ranks.memory(process, count)
        seconds = time.monotonic() - begun
        if process.returncode != 0:
            raise SystemExit(f"{edge}^3 spheres on {count} ranks ended with {process.returncode}: {(directory / 'log').read_text()[-2000:]}")
        size = (directory / "recording.scree").stat().st_size
        return most, seconds, size, page(directory) if page else ""


def largest(report):
    """Memory and time of 1000 hollow spheres, and of 125 for one process and two."""
    nodes, frames = 21942, 8
    lines = ["", f"`make study-large`. {stamp()} {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start. Hollow spheres of {nodes} nodes each, whole,",
             "self-contact on, between the walls of a box. Bytes are the most that a process had, over the nodes of all. Seconds a step: the difference between runs",
             f"of {frames} steps and of more; of the recording: between {frames} steps with {frames + 1} frames and with 2.", "",
             "| nodes | processes | GB of each | bytes a node, all processes | s a step | s from start to the first step | GB a frame | s a frame | MB/s recorded |",
             "|---|---|---|---|---|---|---|---|---|"]
    for edge, count, steps in ((5, 0, 60), (5, 2, 60), (10, 2, 20)):
        few, more = large_run(edge, frames, 1, count), large_run(edge, frames + steps, 1, count)
        shown = large_run(edge, frames, frames, count, opened)
        each, frame, size = (more[1] - few[1]) / steps, (shown[1] - few[1]) / (frames - 1), (shown[2] - few[2]) / (frames - 1)
        lines.append(f"| {edge ** 3 * nodes:,} | {max(count, 1)} | {', '.join(f'{one / 1e9:.2f}' for one in shown[0])} | {sum(shown[0]) / (edge ** 3 * nodes):.0f} |"
                     f" {each:.2f} | {few[1] - frames * each - 2 * frame:.0f} | {size / 1e9:.3f} | {frame:.2f} | {size / frame / 1e6:.0f} |")
        print(lines[-1], flush=True)
    lines += ["", shown[3]]
    text = report.read_text() if report.exists() else ""
    report.write_text(text.split(LARGEST, 1)[0].rstrip("\n") + "\n" + LARGEST + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, default=ROOT / "tests" / "reports" / "bench" / "SCALE.md")
    parser.add_argument("--rounds", type=int, default=3, help="of measuring times; 0: not at all")
    parser.add_argument("--large", action="store_true", help="measure the largest run instead, and put that section into the report")
    options = parser.parse_args()
    if ranks.missing():
        raise SystemExit(f"study_ranks: {ranks.missing()}")
    if options.large:
        largest(options.report)
        return 0
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="ascii", errors="replace") if line.startswith("model name")), platform.machine())
    lines = ["# Scale: one run of peridem over several ranks", "",
             "    \"run\": { \"ranks\": 4 }", "",
             "in a scene shares its run among four processes, in jobs of screed and in `scree run`; a job's `threads` are then of each of them. By hand:", "",
             "    mpirun -n 4 scree-worker-mpi --directory DIR [--threads 2]", "",
             "runs DIR/scene.json, where DIR is the run's directory. It takes Open MPI (Debian: libopenmpi-dev to build, openmpi-bin to run). Work is shared,",
             "by counts of bonds and near nodes, anew when it has become uneven; so is memory: each process has the nodes that it works on, those near",
             "them, and the bonds of their grains once one has broken. The first also has what is drawn. A lone body's bonds are whole in each.", "",
             f"`make study-ranks`. {stamp()} {os.cpu_count()} cores of {processor},"
             f" load {os.getloadavg()[0]:.1f} at the start: a load above 0 means that others computed beside it.", "",
             "## The same bytes", "", f"Recordings on 1, 2, 3, 4, 8 ranks of 1 and 2 threads against that of one process. {stamp()}", "",
             "| scene | bonds that broke | work shared out anew | recordings |", "|---|---|---|---|"]
    good = same_bytes("eight hollow spheres, 700 steps", spheres(2, 8, 100, 700), lines)
    good = same_bytes("cube 24^3, 250 steps", cube(24, 60, 250), lines) and good
    if options.rounds == 0:
        lines += ["", "Times were not measured (`--rounds 0`)."]
        options.report.write_text("\n".join(lines) + "\n" + section(options.report))
        return 0 if good else 1
    lines += ["", "## Time", "", f"{stamp()} ms a step, the least of {options.rounds} rounds in turns; the last two columns: how many times one thread's pace. The spheres",
              "lie in a box and touch each other and its walls, by their faces.", "",
              "| scene | one thread | two threads | two ranks | two threads | two ranks |", "|---|---|---|---|---|---|"]
    step_times("cube 32^3", lambda steps: cube(32, 1, steps), 300, options.rounds, lines)
    step_times("27 hollow spheres, 2.5 million bonds", lambda steps: thick_spheres(3, 1, steps), 150, options.rounds, lines)
    step_times("27 thin ones, 0.5 million bonds", lambda steps: spheres(3, 6, 1, steps), 300, options.rounds, lines)
    options.report.write_text("\n".join(lines) + "\n" + section(options.report))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
