"""Packs of `make bench-packs` in Yade (soft spheres, linear springs), as rows of a Markdown table: `packs_yade.py [COUNT YOUNG SECONDS]...`.

Without Yade on the path it prints that, and nothing else. With it, it runs itself by `yade -j1 -n -x`: balls of 8 to 10 mm at like places, density
2500, friction 0.5, in a box of the same width; the step is half of Yade's critical one, restitution by Cundall's damping of 0.2. A run is
stopped after SECONDS of processor time."""

import json
import random
import shutil
import subprocess
import sys
import time

RADIUS, ENDS, WEIGHED = 0.01, (0.5, 1.5, 2.0), 0.1
ROWS = ((300, 1e7, 60), (1000, 1e7, 90), (1000, 1e9, 60), (10000, 1e7, 60))


def run_inside(count: int, young: float, limit: float) -> None:
    from yade import utils
    from yade.wrapper import (Bo1_Sphere_Aabb, Bo1_Wall_Aabb, ForceResetter, FrictMat, Ig2_Sphere_Sphere_ScGeom, Ig2_Wall_Sphere_ScGeom,
                              InsertionSortCollider, InteractionLoop, Ip2_FrictMat_FrictMat_FrictPhys, Law2_ScGeom_FrictPhys_CundallStrack,
                              NewtonIntegrator, O)
    material = O.materials.append(FrictMat(density=2500, young=young, poisson=0.3, frictionAngle=0.46364761))
    side, pitch = round(count ** (1 / 3)), 2.4 * RADIUS
    draw = random.Random(7)
    for k in range(count):
        cell = (k % side, k // side % side, k // side // side)
        centre = [(c + 0.5) * pitch + 0.15 * RADIUS * draw.uniform(-1, 1) for c in cell]
        O.bodies.append(utils.sphere(centre, RADIUS * draw.uniform(0.8, 1), material=material))
    floor = O.bodies.append(utils.wall(0, 2, sense=1, material=material))
    for axis in range(2):
        O.bodies.append(utils.wall(0, axis, sense=1, material=material))
        O.bodies.append(utils.wall(side * pitch, axis, sense=-1, material=material))
    O.engines = [ForceResetter(), InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.05 * RADIUS),
                 InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()],
                                 [Law2_ScGeom_FrictPhys_CundallStrack()]), NewtonIntegrator(gravity=(0, 0, -9.81), damping=0.2)]
    O.dt = 0.5 * utils.PWaveTimeStep()
    seconds, began = [], time.process_time()
    for end in ENDS:
        start, since = time.process_time(), O.time
        while O.time < end and time.process_time() - began < limit:
            O.run(200, True)
        seconds.append((time.process_time() - start) / max(O.time - since, 1e-9))
    balls = [b for b in O.bodies if hasattr(b.shape, "radius")]
    weight = sum(b.state.mass for b in balls) * 9.81
    overlap = max([i.geom.penetrationDepth for i in O.interactions if i.isReal], default=0) / RADIUS
    fastest = max(b.state.vel.norm() for b in balls)
    print("RESULT " + json.dumps({"seconds": seconds, "step": O.dt, "time": O.time, "overlap": overlap, "speed": fastest,
                                  "load": -O.forces.f(floor)[2] / weight}))


def main(given) -> None:
    rows = [(int(given[k]), float(given[k + 1]), float(given[k + 2])) for k in range(0, len(given) - 2, 3)] or ROWS
    print("\n## Yade\n")
    if not shutil.which("yade"):
        print("Not installed here.")
        return
    version = subprocess.run(["yade", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"Soft spheres, {version}, one thread, processor time; the same balls at like places.\n\n| balls | Young's modulus, Pa | step, us | moving, s | "
          "settling, s | settled, s | overlap at the end | speed at the end, m/s | floor's load over weight | reached |\n" + "|---" * 10 + "|")
    for count, young, limit in rows:
        done = subprocess.run(["yade", "-j1", "-n", "-x", __file__, "inside", str(count), str(young), str(limit)], capture_output=True, text=True, check=False)
        found = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not found:
            print(f"| {count} | {young:g} | it failed: {done.stderr.strip()[-200:]} |")
            continue
        r = json.loads(found[0][7:])
        phases = " | ".join(f"{s:.3g}" if r["time"] > (0, *ENDS)[k] else "" for k, s in enumerate(r["seconds"]))
        print(f"| {count} | {young:g} | {1e6 * r['step']:.3g} | {phases} | {r['overlap']:.1e} | {r['speed']:.1e} | {r['load']:.4f} | {r['time']:.2f} s |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "inside":
        run_inside(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
    else:
        main(sys.argv[1:])
