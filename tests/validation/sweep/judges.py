"""What is wrong with a run, by its curves, its frames and textbook formulas. Each judge returns a sentence, "" when it finds nothing wrong."""

from __future__ import annotations

import collections
import math
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .record import Body, Frame

BALANCE = 0.01  # of the largest energy
FALL = 1e-3  # of the largest energy; of friction under fem, whose law is of velocities at the ends of steps, BALANCE
DEPTH = 0.1  # of the least thickness of two bodies
PRESS = 0.1  # of the force of an elastic body
FORESEEN = 3.0  # between what is foreseen and what is measured
DISSIPATED = ("energy.damping", "energy.friction", "energy.fracture")
NUMERICAL = ("energy.numerical", "energy.impact")
Curves = Dict[str, List[float]]
Json = Dict[str, Any]


def held_energies(curves: Curves) -> List[List[float]]:
    """All curves whose sum is the work put in: what modes share of the elastic energy is in it already."""
    return [curve for name, curve in curves.items() if name.startswith("energy.") and not name.startswith("energy.mode.")
            and name not in ("energy.external", "energy.balance_error")]


def energy(curves: Curves, rounding: float) -> Tuple[float, str]:
    """Largest error of the balance as a part of the largest energy so far, and what is wrong. Energies below `rounding`, J, are errors of places, those
    below a tenth of the run's largest what first touches are off by in a step."""
    held, external = held_energies(curves), curves["energy.external"]
    start = sum(curve[0] for curve in held) - external[0]
    scale = max(rounding, 0.1 * max(max(map(abs, curve)) for curve in held + [external]))
    worst, fallen = 0.0, ""
    peaks: Dict[str, float] = collections.defaultdict(float)
    for k, work in enumerate(external):
        values = [curve[k] for curve in held]
        scale = max(scale, abs(work), abs(sum(values)), *(abs(value) for value in values))
        if scale > 0:
            worst = max(worst, abs(sum(values) - work - start) / scale)
        for name in NUMERICAL:
            if name in curves and curves[name][k] < -BALANCE * scale:
                fallen = f"{name} is a gain of {-curves[name][k] / scale:.2g} of the largest energy"
        for name in DISSIPATED:
            if name not in curves:
                continue
            peaks[name] = max(peaks[name], curves[name][k])
            if peaks[name] - curves[name][k] > (BALANCE if name == "energy.friction" and "energy.impact" in curves else FALL) * scale:
                fallen = f"{name} fell by {(peaks[name] - curves[name][k]) / scale:.2g} of the largest energy"
    return worst, fallen or (f"energy off by {100 * worst:.3g} %" if worst > BALANCE else "")


def falling(scene: Json, curves: Curves) -> float:
    """Energy, J, of which 1 % would move what gravity holds by a hundredth of the speed that it would have by the end had nothing held it. What rests sags
    by a billionth of its size: the energies of that are as small as what solvers leave of their equations times the sag, and say nothing of the motion."""
    gravity = math.hypot(*scene["rig"].get("gravity", [0]))
    return 0.01 * sum(0.5 * mass * (gravity * curves["time"][-1]) ** 2 for mass in masses(scene))


def pushing(scene: Json) -> float:
    """Energy, J, that all bodies have at the rig's largest speed: what its parts mean to put in by their first touch, which steps book to some percent."""
    def speeds(value: Any) -> Iterator[float]:
        if isinstance(value, dict):
            yield from (abs(value["velocity"]) for key in ("velocity",) if isinstance(value.get(key), (int, float)))
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            yield from speeds(inner)
    return 0.5 * sum(masses(scene)) * max(speeds(scene["rig"]), default=0.0) ** 2


def finite(curves: Curves) -> str:
    for name, values in curves.items():
        if not all(map(math.isfinite, values)):
            return f"{name} is not finite"
    return ""


def solved(curves: Curves) -> str:
    count = max(curves.get("unsolved_steps", [0]))
    return f"{count:.0f} steps were not solved" if count else ""


# ── masses and momenta ──────────────────────────────────────────────────────────────────────────────────────────────


def volume(shape: Json) -> float:
    if shape["type"] == "box":
        return math.prod(shape["size"])
    if shape["type"] == "sphere":
        return 4 / 3 * math.pi * shape["radius"] ** 3
    return math.pi * shape["radius"] ** 2 * shape["length"]


def inertia(shape: Json, axis: int) -> float:
    """Of a unit mass about an axis through the centre, m^2."""
    if shape["type"] == "box":
        return sum(shape["size"][k] ** 2 for k in range(3) if k != axis) / 12
    if shape["type"] == "sphere":
        return 0.4 * shape["radius"] ** 2
    return shape["radius"] ** 2 / 2 if axis == 2 else shape["radius"] ** 2 / 4 + shape["length"] ** 2 / 12


def masses(scene: Json) -> List[float]:
    density = {made["name"]: made["density"] for made in scene["materials"]}
    return [density[body["material"]] * volume(body["shape"]) for body in scene["specimens"]]


def starting_energy(scene: Json, curves: Curves) -> str:
    """Kinetic energy at the start against m v^2/2 + I w^2/2 of the shapes; of nodes, whose outermost lie half a spacing inside, only where nothing spins."""
    expected = 0.0
    if scene["method"] in ("peridem", "bdem") and any(any(body.get("angular_velocity", [])) for body in scene["specimens"]):
        return ""
    for body, mass in zip(scene["specimens"], masses(scene)):
        expected += 0.5 * mass * sum(part**2 for part in body.get("velocity", [0]))
        expected += 0.5 * mass * sum(inertia(body["shape"], axis) * spin**2 for axis, spin in enumerate(body.get("angular_velocity", [0, 0, 0])))
    found = curves["energy.kinetic"][0]
    if expected > 0 and not 0.9 < found / expected < 1.1:
        return f"begins with {found / expected:.3g} of the kinetic energy of its bodies"
    return ""


def straight(scene: Json, frames: List[Frame]) -> str:
    """The centre of mass of free bodies moves evenly: the sum of momenta is kept."""
    mass = np.array(masses(scene))
    if any(len(frame.bodies) != len(mass) for frame in frames):
        return ""
    velocity = sum(m * np.array(body.get("velocity", [0, 0, 0]), float) for m, body in zip(mass, scene["specimens"])) / mass.sum()
    fastest = max(np.linalg.norm(body.get("velocity", [0, 0, 0])) for body in scene["specimens"])
    first = sum(m * body.centre for m, body in zip(mass, frames[0].bodies)) / mass.sum()
    for frame in frames[1:]:
        here = sum(m * body.centre for m, body in zip(mass, frame.bodies)) / mass.sum()
        extent = max(np.ptp(body.points, axis=0).max() for body in frame.bodies)
        off = float(np.linalg.norm(here - first - velocity * (frame.time - frames[0].time)))
        if off > 0.02 * fastest * frame.time + 0.01 * extent:
            return f"the common centre of mass is {off / extent:.3g} of a body off its straight line"
    return ""


# ── places ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def winding(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Of points [n][3] in a closed surface of triangles [m][3][3]: about 1 inside, 0 outside (Van Oosterom and Strackee 1983)."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(one, axis=2) for one in (a, b, c))
    det = np.einsum("nmi,nmi->nm", a, np.cross(b, c))
    dot = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
    return np.arctan2(det, dot).sum(axis=1) / (2 * math.pi)


def distance(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """From points [n][3] to the nearest of triangles [m][3][3]: to its plane where the foot lies in it, else to its edges."""
    p = points[:, None]
    a, b, c = corners[None, :, 0], corners[None, :, 1], corners[None, :, 2]
    normal = np.cross(b - a, c - a)
    area2 = np.maximum((normal * normal).sum(2), 1e-300)
    plane = ((p - a) * normal).sum(2)
    inside = np.ones(plane.shape, bool)
    found = np.full(plane.shape, np.inf)
    for s, e in ((a, b), (b, c), (c, a)):
        edge = e - s
        inside &= (np.cross(edge, p - s) * normal).sum(2) >= 0
        t = np.clip(((p - s) * edge).sum(2) / np.maximum((edge * edge).sum(2), 1e-300), 0, 1)
        found = np.minimum(found, np.linalg.norm(p - s - t[..., None] * edge, axis=2))
    return np.where(inside, np.minimum(found, np.abs(plane) / np.sqrt(area2)), found).min(axis=1)


def depth_in(body: Body, other: Body) -> float:
    """How deep the deepest corner of one body lies in another's closed surface, m."""
    low, high = other.points.min(axis=0), other.points.max(axis=0)
    near = body.points[((body.points > low) & (body.points < high)).all(axis=1)]
    if not len(near) or other.triangles is None:
        return 0.0
    corners = other.points[other.triangles]
    deepest = 0.0
    for part in np.array_split(near, max(1, len(near) * len(corners) // 200_000)):
        if len(part):
            inside = part[winding(part, corners) > 0.5]
            deepest = max(deepest, float(distance(inside, corners).max())) if len(inside) else deepest
    return deepest


def thickness(shape: Json) -> float:
    if shape["type"] == "box":
        return min(shape["size"])
    return min(2 * shape["radius"], shape.get("length", math.inf))


def shapes_of(scene: Json, count: int) -> List[Json]:
    """The shape of every body of a frame: those of one specimen follow each other."""
    made = []
    for body in scene["specimens"]:
        made += [body["shape"]] * (math.prod(body["placement"]["count"]) if "count" in body["placement"] else 1)
    return made if len(made) == count else made[:1] * count


def crowded(scene: Json, one: Body, other: Body) -> bool:
    """Whether nodes of two bodies are nearer than a third of the finer one's spacing: their balls of half a spacing are deep in each other."""
    spacing = {body["name"]: body["spacing"] for body in scene["specimens"]}
    reach = min(spacing[one.name], spacing[other.name]) / 3
    near = one.points[((one.points > other.points.min(axis=0) - reach) & (one.points < other.points.max(axis=0) + reach)).all(axis=1)]
    return any(len(part) and (((part[:, None] - other.points[None]) ** 2).sum(2) < reach**2).any()
               for part in np.array_split(near, max(1, len(near) * len(other.points) // 500_000)))


def overlaps(scene: Json, frames: List[Frame], allowed: float) -> str:
    for frame in frames:
        shapes = shapes_of(scene, len(frame.bodies))
        for i, one in enumerate(frame.bodies):
            for j, other in enumerate(frame.bodies[:i]):
                if one.triangles is None:
                    if crowded(scene, one, other):
                        return f"nodes of {one.name} and {other.name} are in the same place at {frame.time:.3g} s"
                    continue
                least = min(thickness(shapes[i]), thickness(shapes[j]))
                depth = max(depth_in(one, other), depth_in(other, one))
                if depth > DEPTH * least + allowed:
                    return f"{one.name} is {depth / least:.2g} of a thickness in {other.name} at {frame.time:.3g} s"
            for other in frame.obstacles:
                least = thickness(shapes[i])
                depth = max(depth_in(one, other), depth_in(other, one) if one.triangles is not None else 0.0)
                slack = scene["specimens"][0].get("spacing", 0) if one.triangles is None else DEPTH * least
                if depth > slack:
                    return f"{one.name} is {depth / least:.2g} of its thickness in {other.name} at {frame.time:.3g} s"
    return ""


def wall_way(program: List[Json], time: float) -> float:
    return sum(segment.get("velocity", 0) for segment in program if segment["type"] == "constant") * time


def behind(scene: Json, frames: List[Frame]) -> str:
    """A body behind a wall of the box, moved as its program says."""
    rig = scene["rig"]
    if rig["type"] != "box":
        return ""
    for frame in frames:
        low, high = np.array(rig["minimum"], float), np.array(rig["maximum"], float)
        for name, wall in rig.get("walls", {}).items():
            (low if name.endswith("min") else high)["xyz".index(name[0])] += wall_way(wall["program"], frame.time)
        for body, shape in zip(frame.bodies, shapes_of(scene, len(frame.bodies))):
            slack = max(one["spacing"] for one in scene["specimens"]) if body.triangles is None else DEPTH * thickness(shape)
            out = np.concatenate([low - body.points.min(axis=0), body.points.max(axis=0) - high])
            if out.max() > slack:
                return f"{body.name} is {out.max() / thickness(shape):.2g} of its thickness behind a wall of the box at {frame.time:.3g} s"
    return ""


def passed(scene: Json, facts: Json, frames: List[Frame]) -> str:
    """Whole bodies that changed places, or are on the far side of what should stop them."""
    whole = not (scene["options"].get("breakable", True) and scene["method"] in ("peridem", "bdem"))
    for frame in frames:
        middles = [body.centre for body in frame.bodies]
        if whole and "order" in facts and len(middles) > 1 and middles[0][0] > middles[1][0]:
            return f"one passed through the other by {frame.time:.3g} s"
        slack = facts["size"] / 4
        if whole and "far_side" in facts and frame.bodies[0].points[:, 0].max() > facts["far_side"] + slack:
            return f"the ball reaches {frame.bodies[0].points[:, 0].max() - facts['far_side']:.3g} m beyond the plate at {frame.time:.3g} s"
        if whole and "below" in facts and frame.bodies[0].points[:, 2].min() < facts["below"] - slack:
            return f"the body reaches {facts['below'] - frame.bodies[0].points[:, 2].min():.3g} m below the plate at {frame.time:.3g} s"
    return ""


# ── loads ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def pressing(scene: Json, facts: Json, curves: Curves) -> str:
    """A part that has closed its gap feels a force, and of whole elastic bodies between platens that of their shape."""
    part = facts.get("pressed") or facts.get("pulled")
    if not part or f"{part}.displacement" not in curves:
        return ""
    closed = max(curves[f"{part}.displacement"]) - facts.get("slack", 0)
    peak = max(math.hypot(*(curves[f"{part}.force_{axis}"][k] for axis in "xyz")) for k in range(len(curves["time"])))
    if closed > 0.02 * facts["size"] and peak == 0:
        return f"{part} went {closed / facts['size']:.2g} of a body beyond its gap and carried 0 N"
    modulus = scene["materials"][0].get("young_modulus")
    whole = not (scene["options"].get("breakable", True) and scene["method"] in ("peridem", "bdem"))
    if not (modulus and whole and "height" in facts and closed > 0.005 * facts["size"]):
        return ""
    radius, each = facts["size"] / 2, closed / 2
    expected = 4 / 3 * modulus * math.sqrt(radius) * each**1.5 if facts["ball"] else modulus * facts["area"] * closed / facts["height"]
    if peak < PRESS * expected:
        return f"{part} closed {closed:.3g} m and carried {peak / expected:.2g} of the force of an elastic body"
    return ""


def coulomb(facts: Json, frames: List[Frame]) -> str:
    """A block on a slope rests, or goes (g sin a - mu g cos a) t^2/2 along it."""
    if "acceleration" not in facts:
        return ""
    first, last = frames[0], frames[-1]
    way, due = last.bodies[0].centre[0] - first.bodies[0].centre[0], facts["acceleration"] * last.time**2 / 2
    if abs(way - due) > 0.1 * due + 0.02 * facts["size"] + 0.02 * facts["gravity"] * last.time**2 / 2 * (facts["acceleration"] > 0):
        return f"the block on a slope went {way:.3g} m where Coulomb's law gives {due:.3g} m"
    return ""


def foreseen(estimate: Json, seconds: float, bytes_: float) -> str:
    """Processor time of runs over a second and memory above 50 MB against the check's, but for what is None in the estimate."""
    said, room = estimate["run_seconds"], estimate["memory_bytes"]
    if said is not None and max(said, seconds) > 1 and not 1 / FORESEEN < said / seconds < FORESEEN:
        return f"the check foresaw {said:.2g} s, it took {seconds:.2g} s"
    if room is not None and max(room, bytes_) > 50e6 and not 1 / FORESEEN < room / bytes_ < FORESEEN:
        return f"the check foresaw {room / 1e6:.3g} MB, it took {bytes_ / 1e6:.3g} MB"
    return ""


def physics(scene: Json, facts: Json, curves: Curves, frames: List[Frame]) -> Tuple[float, str]:
    """All judges of physics. @return error of the balance of energy, what is wrong"""
    balance, wrong = energy(curves, max(facts["rounding"], falling(scene, curves), pushing(scene)))
    for found in (finite(curves), solved(curves), wrong, starting_energy(scene, curves)):
        if found:
            return balance, found
    found = (facts.get("free") and straight(scene, frames)) or passed(scene, facts, frames) or behind(scene, frames)
    found = found or overlaps(scene, frames, facts.get("overlap_allowed", 0.0)) or pressing(scene, facts, curves) or coulomb(facts, frames)
    return balance, found or ""
