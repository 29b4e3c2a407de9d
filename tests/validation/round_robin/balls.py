"""Balls: pressed between platens, split as a disc, and dropped."""
from __future__ import annotations

import math
from typing import Any, Dict

import numpy

from .experiment import Expected, Experiment, Measures, Scene, Way
from .motion import IMPACT, displacement_of
from .running import Outcome

RADIUS, YOUNG, POISSON, DENSITY = 0.01, 1e6, 0.25, 1000.0
STAR = YOUNG / (1 - POISSON**2)

# ── between platens ─────────────────────────────────────────────────────────────────────────────────────────────────

DEPTHS = (0.005, 0.01, 0.02, 0.04)  # of the radius, at each platen
PRESS_SPEED = 0.02  # m/s

HERTZ_TEXT = """A ball of 10 mm radius, E 1 MPa, Poisson's ratio 1/4, pressed between two platens without friction at 0.02 m/s.
Reference: Hertz, F = 4/3 E* sqrt(R) d^1.5 with d half of the platens' approach. The force is the mean of both platens', so that the
ball's bouncing between them drops out. Where the radius of contact sqrt(R d) is below a spacing, a lattice has few places or none in it.
At 4 % Hertz is itself low by some 3 % (finite ball, large strain)."""


def hertz(depth: float) -> float:
    return 4 / 3 * STAR * math.sqrt(RADIUS) * depth**1.5


def press_scene(method: str, across: float) -> Scene:
    duration = 2 * DEPTHS[-1] * RADIUS / PRESS_SPEED * 1.02
    clock = {"duration": duration}
    if method == "fem":
        clock["time_step"] = duration / 100
    body: Dict[str, Any] = {"name": "ball", "material": "soft", "spacing": 2 * RADIUS / across,
                            "shape": {"type": "sphere", "radius": RADIUS}}
    if method == "lsdem":
        body["modes"] = "affine"
    return {"scree": 1, "name": "ball", "method": method, "materials": [material(method)], "specimens": [body],
            "rig": {"type": "platens", "opening": 2 * RADIUS, "program": [{"type": "constant", "velocity": -PRESS_SPEED}]},
            "time": clock, "output": {"frame_interval": duration / 4, "sample_interval": duration / 100}}


def material(method: str, **more: float) -> Dict[str, Any]:
    made = {"name": "soft", "density": DENSITY, "young_modulus": YOUNG, **more}
    return made if method == "bdem" else {**made, "poisson_ratio": POISSON}


def press_measures(outcome: Outcome) -> Measures:
    """The force at each depth is the mean of 7 samples about it, over that of Hertz's at the same ones."""
    depth = numpy.array(outcome.curves["platen.top.displacement"]) / 2
    force = (numpy.abs(outcome.curves["platen.top.force_z"]) + numpy.abs(outcome.curves["platen.bottom.force_z"])) / 2
    found = {}
    for wanted in DEPTHS:
        middle = int(numpy.argmin(numpy.abs(depth - wanted * RADIUS)))
        near = slice(max(middle - 3, 0), middle + 4)
        found[f"force at {100 * wanted:g} %"] = float(force[near].mean()) / float(numpy.mean([hertz(d) for d in depth[near]]))
    return found


# ── dropped ─────────────────────────────────────────────────────────────────────────────────────────────────────────

DROP_SPEED = 0.2  # m/s, as from a height of 2 mm
RESTITUTION = 0.5
DASHPOT = 5e-4  # s, of lsdem's contact
STIFFNESS = 2.5 * STAR / RADIUS  # N/m^3, of lsdem's contact

DROP_TEXT = """A ball of 10 mm radius, E 1 MPa, hits a floor at 0.2 m/s, without gravity. Undamped it leaves with its speed: what
vibrations keep at this speed is below 1 % (Hunter 1957: 1 - e^2 of order (v / c)^(3/5) for a half-space that waves leave for good, but a
ball this small returns them while it still touches). With damping each method is held against its own stated law: rigid against Newton's
restitution 0.5; lsdem (rigid ball) against the motion of a ball on a bed of springs and dashpots, m d'' = -k times the integral of max(o
+ t d', 0) over the cap, where the overlap o goes from 0 to d, integrated here. Dashpots of single nodes (peridem, bdem) and Rayleigh's
(fem) state no restitution, so there is none to compare."""


def drop_scene(method: str, resolution: float, damped: bool) -> Scene:
    gap = 1e-4
    mass = DENSITY * 4 / 3 * math.pi * RADIUS**3
    contact = 2.87 * (mass**2 / (RADIUS * STAR**2 * DROP_SPEED)) ** 0.2 if method != "rigid" else 0.02  # s, of an elastic ball (Hertz)
    duration = gap / DROP_SPEED + 3.5 * contact
    clock = {"duration": duration}
    made = material(method)
    law: Dict[str, Any] = {}
    body: Dict[str, Any] = {"name": "ball", "material": "soft", "shape": {"type": "sphere", "radius": RADIUS},
                            "velocity": [0, 0, -DROP_SPEED],
                            "placement": {"type": "single", "position": [0, 0, RADIUS + gap]}}
    if method == "rigid":
        made = {"name": "soft", "density": DENSITY}
        law["restitution"] = RESTITUTION if damped else 1.0
        clock["time_step"] = duration / resolution
    else:
        body["spacing"] = 2 * RADIUS / resolution
    if method == "lsdem" and damped:
        law.update(damping_time=DASHPOT, contact_stiffness=STIFFNESS)
    if method == "fem":
        clock["time_step"] = duration / 100
    return {"scree": 1, "name": "drop", "method": method, "materials": [made], "specimens": [body], "contact": law, "rig": {"type": "none"},
            "obstacles": [{"name": "floor", "shape": {"type": "plane", "width": 0.1}, "position": [0, 0, 0]}],
            "time": clock, "output": {"frame_interval": duration / 25, "sample_interval": duration / 25}}


def rebound_of_dashpots() -> float:
    """Restitution of a rigid ball on lsdem's springs and dashpots; fourth-order Runge-Kutta in 20000 steps."""
    mass = DENSITY * 4 / 3 * math.pi * RADIUS**3

    def force(d: float, v: float) -> float:
        least = min(max(-DASHPOT * v, 0), d)  # overlaps below this are pulled on by their dashpot, so they carry nothing
        a = -DASHPOT * v
        return 2 * math.pi * STIFFNESS * ((RADIUS - d) * ((d**2 - least**2) / 2 - a * (d - least))
                                                + (d**3 - least**3) / 3 - a * (d**2 - least**2) / 2)

    depth, speed, step = 0.0, DROP_SPEED, 1e-6
    for _ in range(200000):
        def rate(d: float, v: float) -> Any:
            return v, -force(max(d, 0), v) / mass
        k1 = rate(depth, speed)
        k2 = rate(depth + step / 2 * k1[0], speed + step / 2 * k1[1])
        k3 = rate(depth + step / 2 * k2[0], speed + step / 2 * k2[1])
        k4 = rate(depth + step * k3[0], speed + step * k3[1])
        depth += step / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        speed += step / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
        if depth <= 0:
            break
    return -speed / DROP_SPEED


def drop_measures(outcome: Outcome, method: str, damped: bool) -> Measures:
    """The speed after the impact, from the last quarter of the run, of all places together."""
    way = displacement_of(outcome, 0, 2)
    late = way[:, 0] > 0.75 * way[-1, 0]
    rebound = float(numpy.polyfit(way[late, 0], way[late, 1], 1)[0]) / DROP_SPEED
    reference = 1.0 if not damped else RESTITUTION if method == "rigid" else rebound_of_dashpots()
    return {"rebound": rebound / reference}


ACROSS = (12, 16, 24)
MESH = (6, 8, 10)
COARSE = "the contact's radius is about a spacing: the lattice has few places in it"
def pressed_expected() -> Dict[Any, Expected]:
    """A quarter of Hertz where the contact is wider than a spacing."""
    expected = {}
    for depth in DEPTHS:
        name, wide = f"force at {100 * depth:g} %", math.sqrt(depth)  # radius of contact over that of the ball
        expected[name, "peridem"] = Expected(0.25, COARSE, misses=COARSE, at={0.005: (24,), 0.01: (16,)}.get(depth, ()) or (0,))
        expected[name, "bdem"] = Expected(0.25, COARSE, misses="" if wide > 2 / ACROSS[-1] else COARSE, least=ACROSS[-1])
        expected[name, "fem"] = Expected(0.25, COARSE, misses="" if wide > 2 / MESH[-1] else COARSE, least=MESH[-1])
        expected[name, "lsdem"] = Expected(0.25, "few of its surface's nodes lie in a narrow contact", least=ACROSS[1])
    return expected


EXPERIMENTS = [
    Experiment("ball-press", "Ball between platens", HERTZ_TEXT, "spacings across the ball", press_scene, lambda outcome, method,
               across: press_measures(outcome),
               {"peridem": Way(ACROSS, (12,)), "bdem": Way(ACROSS, (12,)), "fem": Way(MESH), "lsdem": Way(ACROSS, (12,))},
               {"rigid": "bodies of the method do not deform"},
               {f"force at {100 * depth:g} %": f"mean force of both platens at a depth of {100 * depth:g} % of the radius over Hertz's"
                for depth in DEPTHS},
               pressed_expected()),
    Experiment("ball-drop", "Ball dropped, undamped", DROP_TEXT, "spacings across the ball; rigid: steps", lambda method,
               n: drop_scene(method, n, False),
               lambda outcome, method, n: drop_measures(outcome, method, False),
               {"peridem": Way((8, 12, 16), (8,)), "bdem": Way((8, 12, 16), (8,)), "fem": Way((4, 6, 8), (4,)),
                "lsdem": Way((8, 12, 16), (8,)),
                "rigid": Way((25, 50, 100), (25,))}, {}, {"rebound": "speed after the impact over the speed before"},
               {("rebound", "peridem"): Expected(0.03), ("rebound", "bdem"): Expected(0.03),
                ("rebound", "fem"): Expected(0.06, IMPACT, least=6),
                ("rebound", "lsdem"): Expected(2e-3), ("rebound", "rigid"): Expected(1e-3)}),
    Experiment("damped-drop", "Ball dropped, with stated damping", "The same with the damping that is said there.",
               "spacings across the ball; rigid: steps",
               lambda method, n: drop_scene(method, n, True), lambda outcome, method, n: drop_measures(outcome, method, True),
               {"lsdem": Way((8, 12, 16), (8,)), "rigid": Way((25, 50, 100), (25,))},
               {"peridem": "dashpots of single nodes state no restitution", "bdem": "dashpots of single spheres state no restitution",
                "fem": "Rayleigh damping states no restitution"},
               {"rebound": "speed after the impact over that of the stated law"},
               {("rebound", "lsdem"): Expected(0.03, "nodes on the surface are few within the contact"),
                ("rebound", "rigid"): Expected(1e-3)})]
