"""The Brazilian test: a disc pressed across its diameter."""
from __future__ import annotations

import csv
import io
import math
import subprocess
from typing import Any, Dict, List, Tuple

import numpy

from .compression import NO_RIGID
from .experiment import Expected, Experiment, Measures, Scene, Way
from .running import SCREE, Outcome

RADIUS, THICKNESS, YOUNG, POISSON, DENSITY = 0.01, 0.0025, 3e9, 0.25, 1200.0
STRENGTH = 3e6  # Pa, in tension
STROKE, SPEED = 6e-5, 0.3  # m, m/s
SPLIT_STROKE = 1.2e-4  # m
HOLLOW = 1.05  # of curved jaws, over the disc's radius
LATTICE_POISSON = 0.146  # of the close packing along x

ELASTIC_TEXT = """A disc of 20 mm diameter and 2.5 mm thickness, E 3 GPa, Poisson's ratio 1/4, pressed across its diameter by 60 um
between flat jaws without friction. Reference: Johnson (Contact Mechanics, section 5.6) for a cylinder between two flats, in plane
stress: u = 4 P / (pi E) (ln(4 R / a) - 1/2) with the load P = F / t and half of the contact's width a = sqrt(4 P R / (pi E)). The slope
is the secant between 30 and 100 % of the stroke."""
STRENGTH_TEXT = """The same disc with a stated tensile strength of 3 MPa until it splits, between jaws hollowed out to 1.05 radii: flat
ones press a body that breaks by its largest strain beyond its strength over nu, so that it is crushed below them and splits from there.
Reference: in the middle the stress across the loaded diameter is s = 2 F / (pi D t) (Hertz; ISRM 1978), that along it -3 s, both less by
4 s times the mean square of the sine of the angle at which the jaws press, a^2 / (4 R^2) by Hertz's half ellipse of half width a. A bond
breaks at the strain of a pulled bar at its strength, strength / E. Taken is the largest force until the first ten bonds within half a
radius of the middle have broken. Strain on the loaded diameter is even up to half a radius from the middle, but the disc turns there, more
the nearer to the jaws, and bonds bend with it: by plane elasticity with bonds half a spacing thick it splits at 0.81 of this at 32 across,
where its diameter is strained to its strength at 0.65 radii, at 0.90 at 48, 0.93 at 64 and 0.95 at 96. The jaws press as wide as Hertz
says (rms of the pressing places over that of his half ellipse 0.95 to 1.05 at 32 across; a contact that was half as wide again hid a part of
this bending: 0.86, 0.86 and 0.82). Bonds that bend twenty times as easily (bending_factor 0.05) give 0.85, 0.92 and 0.90."""


def displacement(force: float) -> float:
    """Approach of the jaws, m."""
    load = force / THICKNESS
    half_width = math.sqrt(4 * load * RADIUS / (math.pi * YOUNG))
    return 4 * load / (math.pi * YOUNG) * (math.log(4 * RADIUS / half_width) - 0.5)


def reference_slope(start: float, end: float) -> float:
    forces = numpy.linspace(1e-3, 2000, 20000)
    ways = numpy.array([displacement(force) for force in forces])
    low, high = numpy.interp([start, end], ways, forces)
    return float(high - low) / (end - start)


def splitting_force() -> float:
    """Force at which the strain across the middle is that of a pulled bar at its strength, N."""
    force = math.pi * RADIUS * THICKNESS * STRENGTH
    for _ in range(50):
        half_width = math.sqrt(4 * force / THICKNESS / (math.pi * YOUNG * (1 - 1 / HOLLOW) / RADIUS))
        aside = half_width**2 / (4 * RADIUS**2)
        force = math.pi * RADIUS * THICKNESS * STRENGTH / (1 + 3 * LATTICE_POISSON - 4 * (1 + LATTICE_POISSON) * aside)
    return force


def disc_scene(method: str, across: float, breaks: bool) -> Scene:
    stroke, ramp = (SPLIT_STROKE if breaks else STROKE), 1e-4
    duration = stroke / SPEED + ramp / 2
    made: Dict[str, Any] = {"name": "elastic", "density": DENSITY, "young_modulus": YOUNG}
    if method != "bdem":
        made["poisson_ratio"] = POISSON
    if breaks:
        made["tensile_strength"] = STRENGTH
    jaws = {"jaw": "curved", "jaw_radius": HOLLOW * RADIUS} if breaks else {}
    clock = {"duration": duration}
    if method == "fem":
        clock["time_step"] = duration / 60
    return {"scree": 1, "name": "disc", "method": method, "materials": [made],
            "specimens": [{"name": "disc", "material": "elastic", "spacing": 2 * RADIUS / across,
                           "shape": {"type": "cylinder", "radius": RADIUS, "length": THICKNESS},
                           "rotation": {"axis": [1, 0, 0], "angle_deg": 90}}],
            "rig": {"type": "brazilian", "opening": 2 * RADIUS, "width": 0.008, **jaws,
                    "program": [{"type": "ramp", "velocity": -SPEED, "duration": ramp}, {"type": "constant", "velocity": -SPEED}]},
            "time": clock, "output": {"frame_interval": duration / 4, "sample_interval": duration / (400 if breaks else 60)}}


def elastic_measures(outcome: Outcome) -> Measures:
    way, force = numpy.array(outcome.curves["jaw.top.displacement"]), numpy.abs(outcome.curves["jaw.top.force_z"])
    late = way >= 0.3 * STROKE
    slope, at_zero = numpy.polyfit(way[late], force[late], 1)
    return {"slope": float(slope) / reference_slope(0.3 * STROKE, STROKE)}


def breaks_in_the_middle(outcome: Outcome) -> List[float]:
    """Times at which bonds within half a radius of the middle broke, s."""
    table = subprocess.run([SCREE, "export", outcome.recording, "--table", "breaks"], capture_output=True, text=True, check=True).stdout
    names, *rows = csv.reader(io.StringIO(table))
    at = {name.split(" [")[0]: k for k, name in enumerate(names)}
    found = [(float(row[at["time"]]), math.hypot(float(row[at["x"]]), float(row[at["z"]]))) for row in rows]
    return [time for time, distance in found if distance < RADIUS / 2]


def strength_measures(outcome: Outcome) -> Measures:
    times = breaks_in_the_middle(outcome)
    if len(times) < 10:
        return {}
    time, force = numpy.array(outcome.curves["time"]), numpy.abs(outcome.curves["jaw.top.force_z"])
    return {"strength": float(force[time <= times[9]].max()) / splitting_force()}


ACROSS = (16, 24, 32)
RIM = ("the lattice ends in steps at the rim, which carries less than a smooth one there: contact is as wide as Hertz's (rms of the pressing "
       "places), but the body below it is softer; discs of two layers of spheres most")
NARROW = "the contact is half a millimetre wide, less than an element"
EXPECTED: Dict[Tuple[str, str], Expected] = {
    ("slope", "peridem"): Expected(0.1, RIM, misses=RIM, at=(32,)), ("slope", "bdem"): Expected(0.1, RIM, misses=RIM, at=(16, 24, 32)),
                                             ("slope", "fem"): Expected(0.25, NARROW)}
BENT = "bonds are bent where the disc turns, between its middle and the jaws, less the finer they are: it splits from there"
SPLIT = Expected(0.2, BENT, misses=BENT)
EXPERIMENTS = [
    Experiment("disc-press", "Brazilian disc, elastic", ELASTIC_TEXT, "spacings across the disc", lambda method,
               n: disc_scene(method, n, False),
               lambda outcome, method, n: elastic_measures(outcome),
               {"peridem": Way(ACROSS, (16,)), "bdem": Way(ACROSS, (16,)), "fem": Way((8, 12, 18), (8,))},
               {"lsdem": "a grain of few modes has not the strains of a disc between jaws", "rigid": NO_RIGID},
               {"slope": "slope of force over displacement, least squares over the last 70 % of the stroke, over the reference's"},
               EXPECTED),
    Experiment("disc-split", "Brazilian disc, strength", STRENGTH_TEXT, "spacings across the disc", lambda method,
               n: disc_scene(method, n, True),
               lambda outcome, method, n: strength_measures(outcome), {"bdem": Way(ACROSS)},
               {"peridem": "its bonds break by a fracture energy: it states no strength", "fem": "bodies do not break",
                "lsdem": "single grains do not break",
                "rigid": NO_RIGID},
               {"strength": "largest force until the disc splits over that of plane elasticity"},
               {("strength", "bdem"): SPLIT})]
