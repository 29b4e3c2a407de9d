"""Heaps of four balls: the steepest that stands, by friction alone."""
from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy

from .experiment import Expected, Experiment, Measures, Scene, Way
from .frames import pictures
from .running import Outcome

DIAMETER, DENSITY, YOUNG, GRAVITY = 0.01, 1000.0, 1e6, 9.81
FRICTION = 0.5
STEEPEST = 2 * math.atan(FRICTION)  # rad
STEEPNESS = (0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 1.03, 1.06, 1.1, 1.15)  # of the heaps, over STEEPEST
APART = 4 * DIAMETER
DURATION, LATE, MOVED = 0.2, 0.7, 0.02  # s; of it, from where on what stands moves by less than so much of a diameter

TEXT = """A ball of 10 mm lies on three that stand apart from each other on a floor; friction coefficient 0.5 everywhere. A lower ball is
touched at two points, by the upper one and the floor, and its weight acts on the line through the latter. So the force of the upper ball
points at the point on the floor, half as steep against the line of centres as that is against the vertical: the heap stands while
tan(a/2) is below the friction coefficient, a the angle between line of centres and vertical (balance of moments; for three cylinders in any
text on statics), whatever the balls weigh. The floor needs a quarter of that. Ten such heaps stand beside each other, with a from 0.7 to 1.15
of 2 atan(0.5); the value lies half way between the steepest that stands and the next. A heap stands whose upper ball moves by less
than 2 % of its diameter in the last 60 of 200 ms. bdem: each ball is one sphere. A heap of many balls has no closed form: the
gallery's calibration `angle-of-repose` makes those."""


def places() -> List[List[float]]:
    """Three lower balls and the upper one of each heap."""
    found = []
    for k, steepness in enumerate(STEEPNESS):
        angle, x = steepness * STEEPEST, k * APART
        aside = DIAMETER * math.sin(angle)
        turns = [2 * math.pi * j / 3 + 0.1 for j in range(3)]
        found += [[x + aside * math.cos(turn), aside * math.sin(turn), DIAMETER / 2] for turn in turns]
        found.append([x, 0, DIAMETER / 2 + DIAMETER * math.cos(angle)])
    return found


def heap_scene(method: str, resolution: float) -> Scene:
    law: Dict[str, Any] = {"friction_coefficient": FRICTION}
    made: Dict[str, Any] = {"name": "ball", "density": DENSITY}
    body: Dict[str, Any] = {"name": "ball", "material": "ball", "shape": {"type": "sphere", "radius": DIAMETER / 2},
                            "placement": {"type": "list", "positions": places()}}
    clock = {"duration": DURATION}
    if method == "rigid":
        clock["time_step"] = DURATION / resolution
    else:
        made["young_modulus"] = YOUNG
        body["spacing"] = DIAMETER / resolution
    if method == "lsdem":
        made["poisson_ratio"] = 0.25
        law["damping_time"] = 1e-3
    elif method == "bdem":
        law["damping_ratio"] = 0.5
    room = len(STEEPNESS) - 0.5
    return {"scree": 1, "name": "heaps", "method": method, "materials": [made], "specimens": [body], "contact": law,
            "rig": {"type": "box", "minimum": [-APART / 2, -APART / 2, 0], "maximum": [room * APART, APART / 2, 3 * DIAMETER],
                    "gravity": [0, 0, -GRAVITY]},
            "time": clock, "output": {"frame_interval": DURATION / 10, "sample_interval": DURATION / 50}}


def heap_measures(outcome: Outcome, method: str) -> Measures:
    shown = list(pictures(outcome.recording))
    balls = 4 * len(STEEPNESS)

    def heights(k: int) -> List[float]:
        found = [one[None] for one in shown[k].bodies(1)[0]] if method == "bdem" else shown[k].bodies(balls)
        return [float(one[:, 2].mean()) for one in found[3::4]]

    late = next(k for k, picture in enumerate(shown) if picture.time >= LATE * DURATION * (1 - 1e-9))
    stands = [abs(then - now) < MOVED * DIAMETER for then, now in zip(heights(late), heights(len(shown) - 1))]
    # A heap that has fallen rests as well, on the floor.
    stands = [one and now > 0.5 * (DIAMETER / 2 + before) for one, now, before in zip(stands, heights(len(shown) - 1), heights(0))]
    first = stands.index(False) if False in stands else len(stands)
    if first in (0, len(stands)):
        return {}
    return {"steepest": (STEEPNESS[first - 1] + STEEPNESS[first]) / 2}


FACETS = "its balls are faceted: at a node of a small contact the normal is off by half of a facet's angle, and what slides a little at each creeps"
EXPERIMENTS = [
    Experiment("heap", "Heap of four balls", TEXT, "lsdem: spacings across a ball; rigid: steps; bdem: spheres across a ball", heap_scene,
               lambda outcome, method, n: heap_measures(outcome, method),
               {"bdem": Way((1,), (1,)), "lsdem": Way((10, 14, 20), (14,)), "rigid": Way((50, 100, 200), (50,))},
               {"peridem": "a lattice is not round enough to tell a threshold: single balls are not what it is for",
                "fem": "meshed balls are not round enough to tell a threshold"},
               {"steepest": "steepness, as an angle, between the last heap that stands and the first that falls, over 2 atan(0.5)"},
               {("steepest", "bdem"): Expected(0.03), ("steepest", "lsdem"): Expected(0.03, FACETS, least=14),
                ("steepest", "rigid"): Expected(0.03)})]
