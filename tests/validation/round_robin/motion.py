"""Bodies that slide and hit: a block on a slope, a bar that hits a wall."""
from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy

from .experiment import Expected, Experiment, Measures, Scene, Way
from .frames import pictures
from .running import Outcome

# ── block on a slope ────────────────────────────────────────────────────────────────────────────────────────────────

GRAVITY, ANGLE = 9.81, math.radians(25)
SLIPS, STICKS = 0.3, 0.6  # friction coefficients; the tangent of the angle is 0.466
EDGE = 0.02  # m
SLIDE = 0.1  # s
DRIVE = GRAVITY * math.sin(ANGLE)
COULOMB = GRAVITY * (math.sin(ANGLE) - SLIPS * math.cos(ANGLE))

SLOPE_TEXT = """Blocks of 20 mm, E 1 MPa, on a slope of 25 degrees (the floor is level, gravity is turned), for 0.1 s. By Coulomb's law
one with friction 0.3 slides with g (sin a - mu cos a) = 1.479 m/s^2, one with 0.6 stays where it is."""


def damping(method: str) -> Dict[str, float]:
    """Half of critical damping in contacts where they have springs; in lsdem of the block on its floor, by the time that takes."""
    return {"peridem": {"damping_ratio": 0.5}, "bdem": {"damping_ratio": 0.5}, "lsdem": {"damping_time": 3e-4}}.get(method, {})


def slope_scene(method: str, resolution: float) -> Scene:
    """Contacts are damped: gravity begins at once, and on springs alone the load would swing between nothing and twice the weight, and
    friction with it."""
    materials, pairs, bodies = [], [], []
    for name, friction, side in (("slips", SLIPS, -1), ("sticks", STICKS, 1)):
        made: Dict[str, Any] = {"name": name, "density": 1000.0}
        body: Dict[str, Any] = {"name": name, "material": name, "shape": {"type": "box", "size": [EDGE, EDGE, EDGE]},
                                "placement": {"type": "single", "position": [0, side * EDGE, EDGE / 2]}}
        if method != "rigid":
            made["young_modulus"] = 1e6
            body["spacing"] = EDGE / resolution
        if method == "lsdem":
            made["poisson_ratio"] = 0.25
        materials.append(made)
        pairs.append({"between": [name, "wall"], "friction_coefficient": friction, **damping(method)})
        bodies.append(body)
    clock = {"duration": SLIDE}
    if method == "rigid":
        clock["time_step"] = SLIDE / resolution
    elif method == "fem":
        clock["time_step"] = SLIDE / 200
    return {"scree": 1, "name": "slope", "method": method, "materials": materials, "contact": {"friction_coefficient": 0, "pairs": pairs},
            "specimens": bodies, "rig": {"type": "none", "gravity": [DRIVE, 0, -GRAVITY * math.cos(ANGLE)]},
            "obstacles": [{"name": "floor", "shape": {"type": "plane", "width": 0.2}, "position": [0, 0, 0]}],
            "time": clock, "output": {"frame_interval": SLIDE / 50, "sample_interval": SLIDE / 50}}


def displacement_of(outcome: Outcome, index: int, axis: int) -> numpy.ndarray:
    """Times and displacements [n][2] of the middle of a specimen's places."""
    rows: List[List[float]] = []
    start = None
    for picture in pictures(outcome.recording):
        places = picture.bodies(len(outcome.scene["specimens"]))[index]
        start = places if start is None else start
        rows.append([picture.time, float((places - start)[:, axis].mean())])
    return numpy.array(rows)


def slope_measures(outcome: Outcome) -> Measures:
    """Fits begin after the blocks have come to rest on the floor."""
    slipping, sticking = displacement_of(outcome, 0, 0), displacement_of(outcome, 1, 0)
    late = slipping[:, 0] > 0.1 * SLIDE
    acceleration = 2 * float(numpy.polyfit(slipping[late, 0], slipping[late, 1], 2)[0])
    return {"slip": acceleration / COULOMB, "stick": 1 - float(sticking[-1, 1] - sticking[len(sticking) // 2,
                                                                                          1]) / (0.5 * DRIVE * SLIDE**2)}


# ── bar against a wall ──────────────────────────────────────────────────────────────────────────────────────────────

LENGTH, WIDTH = 0.1, 0.01  # m
YOUNG, DENSITY = 1e8, 1000.0
SPEED = 2.0  # m/s
WAVE = math.sqrt(YOUNG / DENSITY)
CONTACT_TIME = 2 * LENGTH / WAVE
MASS = DENSITY * LENGTH * WIDTH**2

BAR_TEXT = """A bar of 100 x 10 x 10 mm, E 100 MPa, 1000 kg/m^3, hits a rigid wall with its end at 2 m/s, no gravity. One-dimensional theory
(Saint-Venant; Timoshenko and Goodier, chapter 15): a compression wave runs to the free end and back, so contact lasts 2 L / c with c =
sqrt(E / rho), at the constant force rho c v A, and the bar leaves with its speed, having been given 2 m v. A square bar disperses waves
a little (Love: the front is blurred by about its width), so the time is measured between the instants at which the force passes half of
rho c v A."""


def bar_scene(method: str, across: float) -> Scene:
    duration = 2.2 * CONTACT_TIME
    clock = {"duration": duration}
    if method == "fem":
        clock["time_step"] = duration / 120
    gap = 0.05 * SPEED * CONTACT_TIME
    made: Dict[str, Any] = {"name": "elastic", "density": DENSITY, "young_modulus": YOUNG}
    if method in ("peridem", "fem"):
        made["poisson_ratio"] = 0.25
    return {"scree": 1, "name": "bar", "method": method, "materials": [made],
            "specimens": [{"name": "bar", "material": "elastic", "spacing": WIDTH / across, "velocity": [0, 0, -SPEED],
                           "shape": {"type": "box", "size": [WIDTH, WIDTH, LENGTH]},
                           "placement": {"type": "single", "position": [0, 0, LENGTH / 2 + gap]}}],
            "rig": {"type": "none"}, "obstacles": [{"name": "wall", "shape": {"type": "plane", "width": 0.1}, "position": [0, 0, 0]}],
            "time": clock, "output": {"frame_interval": duration / 50, "sample_interval": duration / (120 if method == "fem" else 400)}}


def bar_measures(outcome: Outcome) -> Measures:
    time, force = numpy.array(outcome.curves["time"]), numpy.abs(outcome.curves["obstacle.wall.force_z"])
    plateau = DENSITY * WAVE * SPEED * WIDTH**2
    above = numpy.flatnonzero(force > plateau / 2)
    if not len(above):
        return {}
    begin, end = float(time[above[0]]), float(time[above[-1]])
    inside = (time > begin + 0.25 * CONTACT_TIME) & (time < begin + 0.75 * CONTACT_TIME)
    impulse = float(numpy.sum((force[1:] + force[:-1]) / 2 * numpy.diff(time)))
    way = displacement_of(outcome, 0, 2)
    after = way[:, 0] > begin + 1.4 * CONTACT_TIME
    leaves = float(numpy.polyfit(way[after, 0], way[after, 1], 1)[0]) if after.sum() > 2 else math.nan
    return {"time": (end - begin) / CONTACT_TIME, "force": float(force[inside].mean()) / plateau, "impulse": impulse / (2 * MASS * SPEED),
            "speed": leaves / SPEED}


LOVE = "a bar 10 times as long as wide: its front is blurred by its inertia sideways (Love), and it leaves ringing"
IMPACT = "the approach of nodes that touch is taken out in a step, with its energy: less the finer the mesh"
STEPS = (50, 100, 200)
NODES = (4, 6, 8)
EXPERIMENTS = [
    Experiment("slope", "Block on a slope", SLOPE_TEXT, "spacings across a block; rigid: steps in 0.1 s", slope_scene,
               lambda outcome, method, resolution: slope_measures(outcome),
               {"peridem": Way((4, 6, 8), (4,)), "bdem": Way((4, 6, 8), (4,)), "fem": Way((1, 2, 3), (1,)), "lsdem": Way((4, 6, 8), (4,)),
                "rigid": Way(STEPS, (50,))}, {},
               {"slip": "acceleration of the block that slides, by a parabola through its places, over Coulomb's",
                "stick": "1 less the way of the other block in the second half, over that of free fall along the slope in the whole"},
               {(quantity, method): Expected(tolerance)
                for method in ("peridem", "bdem", "fem", "lsdem", "rigid")
                for quantity, tolerance in (("slip", 0.02), ("stick", 1e-3))}),
    Experiment("bar-hit", "Bar against a wall", BAR_TEXT, "spacings across the bar", bar_scene, lambda outcome, method,
               across: bar_measures(outcome),
               {"peridem": Way(NODES, (4,)), "bdem": Way(NODES, (4,)), "fem": Way((1, 2, 3), (1,), limit=120)},
               {"lsdem": "a grain of a few modes carries no waves",
                "rigid": "contact takes no time; momentum by restitution: see the ball that falls"},
               {"time": "time of contact over 2 L / c", "force": "mean force in the middle half of the contact over rho c v A",
                "impulse": "impulse of the wall over 2 m v", "speed": "speed at which the bar leaves over that at which it came"},
               {("time", "peridem"): Expected(0.05, LOVE, misses=LOVE, at=(4,)), ("force", "peridem"): Expected(0.05, LOVE, misses=LOVE, at=(4,)),
                ("time", "bdem"): Expected(0.05), ("force", "bdem"): Expected(0.05),
                ("time", "fem"): Expected(0.05, IMPACT, least=2), ("force", "fem"): Expected(0.05, IMPACT, least=2),
                **{(quantity, method): Expected(0.05, IMPACT, least=2) if method == "fem" else Expected(0.03, LOVE)
                   for quantity in ("impulse", "speed") for method in ("peridem", "bdem", "fem")},
                ("speed", "peridem"): Expected(0.03, LOVE, misses=LOVE, at=(6,))})]
