"""Steps of 1,000 and 10,000 balls in a drum: our solvers against Debian's siconos on the same recorded problems. Prints Markdown.

    /usr/bin/python3 contact_steps.py [--tolerance 1e-3] [--limit 20] [--steps 101] [--every 10] [--last 3] [SIDE...]

SIDE^3 balls of 9.5 to 10 mm (10 without), a block that falls together in a drum that turns, as in bench_rigid. Method rigid runs it in steps of 2 ms and
keeps every tenth step's problem; the last few are given to each solver from zero, one after the other, judged as in contact_siconos.py, and given up after `limit`
seconds. Where siconos is absent that is said and nothing is measured."""
import argparse
import json
import math
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "comparisons"))
import contact_siconos as peer  # noqa: E402

CORNERS = 32


def drum(side):
    """A scene: side^3 balls in a ring of 32 faces that turns by 1 rad/s between two walls."""
    half, radius = 0.005 * side, 0.005 * side * math.sqrt(2) * 1.03 + 0.01
    low = 0.005 - half
    ring = [[r * math.cos(a), y, r * math.sin(a)] for y in (-half, half) for r in (radius, 1.15 * radius)
            for a in (2 * math.pi * k / CORNERS for k in range(CORNERS))]
    triangles = []
    for k in range(CORNERS):
        n, e = (k + 1) % CORNERS, 2 * CORNERS
        a, b, c, d = k, n, CORNERS + k, CORNERS + n
        for q in ((e + d, d, c, e + c), (e + a, a, b, e + b), (d, b, a, c), (e + c, e + a, e + b, e + d)):
            triangles += [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]
    return {"scree": 1, "name": f"drum-{side ** 3}", "method": "rigid", "materials": [{"name": "m", "density": 2400}],
            "contact": {"friction_coefficient": 0.5},
            "specimens": [{"name": "balls", "material": "m", "shape": {"type": "sphere", "radius": 0.005}, "smallest_scale": 0.95, "largest_scale": 1,
                           "placement": {"type": "lattice", "origin": [low] * 3, "pitch": [0.01] * 3, "count": [side] * 3}}],
            "rig": {"type": "box", "minimum": [-9, -half, -9], "maximum": [9, half, 9], "gravity": [0, 0, -9.81]},
            "obstacles": [{"name": "drum", "shape": {"type": "mesh", "vertices": ring, "triangles": triangles}, "axis": [0, 1, 0],
                           "turn": [{"type": "constant", "angular_velocity": 1}]}]}


def record(side, steps, every, tolerance, folder):
    """Runs it. Returns the files of its problems and seconds of the whole run."""
    scene = drum(side) | {"time": {"duration": 0.002 * steps, "time_step": 0.002}, "output": {"frame_interval": 1, "sample_interval": 1},
                          "options": {"tolerance": tolerance, "recorded_problems": steps, "recorded_every": every}}
    (folder / "scene.json").write_text(json.dumps(scene))
    begun = time.time()
    done = subprocess.run([peer.SCREE, "run", folder / "scene.json", "-o", folder / "run", "-q", "--threads", "1"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 8):
        raise SystemExit(done.stderr.strip())
    files = sorted((folder / "run").rglob("problems/*.hdf5"))
    if not files:
        raise SystemExit(f"{side}^3 balls touch nothing within {steps} steps: give more")
    return files, time.time() - begun


def limited(work, limit):
    """What work() returns, of a process of its own; None when it takes longer."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=lambda: queue.put(work()))
    process.start()
    try:
        return queue.get(timeout=limit)
    except multiprocessing.queues.Empty:
        return None
    finally:
        process.terminate()
        process.join()


def row(name, problem, results, tolerance):
    """A line of the table: of all steps, how many solved; mean seconds a step of those."""
    solved = [seconds for seconds, residual in (r for r in results if r) if residual <= tolerance]
    given_up = sum(r is None for r in results)
    mean = np.mean(solved) if solved else float("nan")
    print(f"| {problem.bodies} | {len(problem.friction)} | {name} | {len(solved)} of {len(results)}{f', {given_up} given up' if given_up else ''} | {mean:.3g} | "
          f"{problem.bodies / mean:.3g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--steps", type=int, default=101)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--last", type=int, default=3)
    parser.add_argument("sides", nargs="*", type=int, default=[10])
    given = parser.parse_intermixed_args()
    solvers = {"auto": lambda p: peer.ours(p, "auto", given.tolerance), "Gauss-Seidel": lambda p: peer.ours(p, "gauss-seidel", given.tolerance),
               "siconos NSGS": lambda p: peer.siconos(p, peer.sn.SICONOS_FRICTION_3D_NSGS, given.tolerance),
               "siconos ADMM": lambda p: peer.siconos(p, peer.sn.SICONOS_FRICTION_3D_ADMM, given.tolerance)}
    print(f"## Steps of balls in a drum\n\nThe last {given.last} of every {given.every}th of {given.steps} steps of 2 ms, to {given.tolerance:g} by our yardstick, each solver from zero on "
          f"the same problems, at most {given.limit:g} s a problem; load {os.getloadavg()[0]:.0f}.\n\n"
          "| balls | contacts | solver | solved | seconds a step | bodies x steps a second |\n|---|---|---|---|---|---|")
    for side in given.sides:
        with tempfile.TemporaryDirectory() as name:
            files, whole = record(side, given.steps, given.every, given.tolerance, pathlib.Path(name))
            problems = [peer.Problem(path) for path in files[-given.last:]]
            results = {key: [] for key in solvers}
            for problem in problems:
                for key, solve in solvers.items():
                    hopeless = results[key] and results[key][-1] is None
                    results[key].append(None if hopeless else limited(lambda p=problem, s=solve: s(p), given.limit))
            for key in solvers:
                row(key, problems[-1], results[key], given.tolerance)
            print(f"| {problems[-1].bodies} | {len(problems[-1].friction)} | method rigid, mean of all steps, everything in one | | {whole / given.steps:.3g} | "
                  f"{problems[-1].bodies * given.steps / whole:.3g} |", flush=True)


if __name__ == "__main__":
    main()
