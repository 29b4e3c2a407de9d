"""Grains in a box: what their floor carries, without friction on the walls and with it."""
from __future__ import annotations

import math
import random
from typing import Any, Dict, List, Tuple

import numpy

from .experiment import Expected, Experiment, Measures, Scene, Way
from .running import Outcome

DIAMETER, DENSITY, YOUNG, GRAVITY = 0.01, 1000.0, 1e6, 9.81
COUNT = (3, 3, 6)
PITCH, JITTER = 1.12, 0.05  # of the diameter
SIDE = 3.4 * DIAMETER  # m, of the box
FRICTION = 0.3
BALLS = COUNT[0] * COUNT[1] * COUNT[2]
WEIGHT = BALLS * DENSITY * math.pi * DIAMETER**3 / 6 * GRAVITY
DURATION, SETTLED, LOWERED = 0.4, 0.3, 0.02  # s, s, m/s: in rough boxes the floor goes down from SETTLED on

BOX_TEXT = """{balls} balls of 10 mm (E 1 MPa where they yield) fall a little and come to rest in a box of 34 x 34 mm. {rest} Weight: of
the shapes, so that material that a lattice leaves out is seen."""
SMOOTH_TEXT = "Nothing rubs, so the floor carries all of the weight (equilibrium)."
ROUGH_TEXT = """Friction coefficient 0.3, between balls and on walls. What the floor does not carry hangs on the walls: both together are
the weight (equilibrium). Janssen (1895) takes friction on the walls as fully mobilised: the friction coefficient times their normal forces;
for that the floor is lowered by 2 mm at 20 mm/s in the end, as in experiments (Ovarlez, Fond and Clement 2003)."""


def places() -> List[List[float]]:
    """Centres on a jittered lattice, the same for all methods."""
    drawn = random.Random(7)
    return [[(axis - (count - 1) / 2) * PITCH * DIAMETER + drawn.uniform(-JITTER, JITTER) * DIAMETER if count < COUNT[2]
             else (0.56 + axis * PITCH) * DIAMETER + drawn.uniform(0, JITTER) * DIAMETER for axis, count in zip((i, j, k), COUNT)]
            for k in range(COUNT[2]) for j in range(COUNT[1]) for i in range(COUNT[0])]


def box_scene(method: str, resolution: float, friction: float) -> Scene:
    law: Dict[str, Any] = {"friction_coefficient": friction}
    made: Dict[str, Any] = {"name": "grain", "density": DENSITY}
    body: Dict[str, Any] = {"name": "grain", "material": "grain", "shape": {"type": "sphere", "radius": DIAMETER / 2},
                            "placement": {"type": "list", "positions": places()}}
    clock = {"duration": DURATION}
    program = [{"type": "hold", "duration": SETTLED}, {"type": "constant", "velocity": -LOWERED}]
    if method == "rigid":
        clock["time_step"] = DURATION / resolution
    else:
        made["young_modulus"] = YOUNG
        body["spacing"] = DIAMETER / resolution
    if method in ("peridem", "lsdem"):
        made["poisson_ratio"] = 0.25
    if method in ("peridem", "bdem"):
        law["damping_ratio"] = 0.5
    elif method == "lsdem":
        law["damping_time"] = 1e-3
    return {"scree": 1, "name": "box", "method": method, "materials": [made], "specimens": [body], "contact": law,
            "rig": {"type": "box", "minimum": [-SIDE / 2, -SIDE / 2, 0], "maximum": [SIDE / 2, SIDE / 2, 0.08], "gravity": [0, 0, -GRAVITY],
                    "walls": {"z_min": {"program": program}} if friction else {}},
            "time": clock, "output": {"frame_interval": DURATION / 10, "sample_interval": DURATION / 50}}


def box_measures(outcome: Outcome, rough: bool) -> Measures:
    """Means of the last fifth of the run."""
    def late(name: str) -> float:
        curve = numpy.array(outcome.curves[name])
        return float(curve[-len(curve) // 5:].mean())

    floor = abs(late("wall.z_min.force_z"))
    if not rough:
        return {"floor": floor / WEIGHT}
    sides: List[Tuple[str, str]] = [("x_min", "x"), ("x_max", "x"), ("y_min", "y"), ("y_max", "y")]
    hanging = -sum(late(f"wall.{wall}.force_z") for wall, _ in sides)
    pressing = sum(abs(late(f"wall.{wall}.force_{axis}")) for wall, axis in sides)
    return {"floor and walls": (floor + hanging) / WEIGHT, "mobilised": hanging / (FRICTION * pressing)}


SMALL_LATTICE = "a lattice of few nodes across has not the ball's volume"
LATTICES = {"peridem": Way((3, 4, 5), limit=60), "bdem": Way((3, 4, 5), limit=90), "lsdem": Way((5, 7, 10), (5,)),
            "rigid": Way((50, 100, 200), (50,), limit=90)}
ABSENT = {"fem": "implicit steps with exact contact of ninety elastic bodies take hours"}
SOLVER = "steps of balls that are wedged with friction take a second and more of the contact solvers, so that the run does not end in time"
BOUNCING = ("without friction the balls still bounce: what the floor carries more or less than the weight speeds up the centre of mass, and 7 % of "
            "it over the last 80 ms are 58 mm/s")
WEDGED = "balls wedge between walls three diameters apart, and push both ways along them: a wider silo is needed for Janssen's state"
GIVES_BACK = "dampers or friction of wedged balls give back a thousandth of all energy, and the run ends there"
UNDETERMINED = ("rigid balls that are wedged press on opposite walls by forces that no equation determines, at contacts that stick; only those that "
                "slide have all of their friction")
TOLERANCES = (("peridem", 0.02), ("bdem", 0.02), ("lsdem", 0.01), ("rigid", 0.01))
COUNTED = "spacings across a ball; rigid: steps"
EXPERIMENTS = [
    Experiment("box-weight", "Grains in a smooth box", BOX_TEXT.format(balls=BALLS, rest=SMOOTH_TEXT), COUNTED,
               lambda method, n: box_scene(method, n, 0.0), lambda outcome, method, n: box_measures(outcome, False),
               {**LATTICES, "lsdem": Way(LATTICES["lsdem"].resolutions)}, ABSENT,
               {"floor": "force on the floor in the last fifth of the run over the weight"},
               {**{("floor", method): Expected(tolerance, misses=SMALL_LATTICE if method == "peridem" else "") for method,
                   tolerance in TOLERANCES}, ("floor", "bdem"): Expected(0.02, misses=BOUNCING, at=(4,))}),
    Experiment("box-janssen", "Grains in a rough box: Janssen", BOX_TEXT.format(balls=BALLS, rest=ROUGH_TEXT), COUNTED,
               lambda method, n: box_scene(method, n, FRICTION), lambda outcome, method, n: box_measures(outcome, True),
               {**LATTICES, "rigid": Way(LATTICES["rigid"].resolutions, limit=90)}, ABSENT,
               {"floor and walls": "force on the floor and friction on the walls over the weight",
                "mobilised": "friction on the walls over friction coefficient times their normal forces"},
               {**{("floor and walls", method): Expected(tolerance, misses=SMALL_LATTICE if method == "peridem" else "") for method,
                   tolerance in TOLERANCES},
                ("floor and walls", "rigid"): Expected(0.01, misses=SOLVER, at=(100, 200)),
                ("floor and walls", "peridem"): Expected(0.02, misses=GIVES_BACK, at=(5,)),
                ("mobilised", "peridem"): Expected(0.25, misses=GIVES_BACK, at=(5,)), ("mobilised", "bdem"): Expected(0.25),
                ("mobilised", "lsdem"): Expected(0.25, misses=WEDGED, at=(10,)),
                ("mobilised", "rigid"): Expected(0.25, misses=UNDETERMINED)})]
