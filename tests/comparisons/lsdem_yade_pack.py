"""Run by Yade, `yade -j1 -n -x lsdem_yade_pack.py NODES STEPS`: 64 level-set balls of 10 mm in a close cubic pack between six walls, as bench_lsdem has them. Prints processor milliseconds a step, contacts and
the share of the deepest overlap that its nodes see, as JSON."""

import json
import sys
import time

from yade import utils
from yade.wrapper import *

nodes, steps = int(sys.argv[1]), int(sys.argv[2])
radius, pitch = 0.01, 0.0198
material = O.materials.append(FrictMat(density=2600, young=1e6, poisson=0.8, frictionAngle=0.4636))
for i in range(4):
    for j in range(4):
        for k in range(4):
            centre = (0.01 + pitch * i, 0.01 + pitch * j, 0.01 + pitch * k)
            O.bodies.append(utils.levelSetBody(shape="sphere", center=centre, radius=radius, spacing=0.1 * radius, nSurfNodes=nodes, nodesPath=1, material=material))
for axis in range(3):
    O.bodies.append(utils.wall(0, axis, sense=1, material=material))
    O.bodies.append(utils.wall(0.0794, axis, sense=-1, material=material))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_LevelSet_Aabb(), Bo1_Wall_Aabb()], verletDist=0),
    InteractionLoop([Ig2_LevelSet_LevelSet_ScGeom(), Ig2_Wall_LevelSet_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()], [Law2_ScGeom_FrictPhys_CundallStrack()]),
    NewtonIntegrator(gravity=(0, 0, 0), damping=0),
]
O.dt = 1e-6
O.run(5, True)
best = float("inf")
for turn in range(3):
    start = time.process_time()
    O.run(steps, True)
    best = min(best, (time.process_time() - start) / steps)
real = [i for i in O.interactions if i.isReal]
print("RESULT " + json.dumps({"ms": 1e3 * best, "contacts": len(real), "pairs": len([i for i in O.interactions]), "nodes": len(O.bodies[0].shape.surfNodes)}))
