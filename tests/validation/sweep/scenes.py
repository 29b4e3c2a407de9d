"""Random experiments, each a function of what is drawn: which bodies there are, how they start, what loads them. The gap between what will meet
is `gap`, m, which running knows to be less than the way that there is time for."""

from __future__ import annotations

import math
import random
from typing import Any, Callable, Dict, NamedTuple, Tuple

from .dialects import DIALECTS, Dialect, Json, log_uniform, wave_speed


class Draw(NamedTuple):
    r: random.Random
    dialect: Dialect
    scene: Json
    size: float  # m
    speed: float  # m/s
    gap: float  # m
    facts: Dict[str, Any]  # what judges need


def least(shape: Json) -> float:
    """Least thickness of a shape, m."""
    if shape["type"] == "box":
        return min(shape["size"])
    return min(2 * shape["radius"], shape.get("length", math.inf)) if shape["type"] == "cylinder" else 2 * shape["radius"]


def solid(draw: Draw) -> Json:
    r, size = draw.r, draw.size
    kind = r.choice(["box", "box", "sphere", "cylinder"])
    if kind == "box":
        return {"type": "box", "size": [size, size, size]}
    return {"type": "sphere", "radius": size / 2} if kind == "sphere" else {"type": "cylinder", "radius": size / 2, "length": size}


def add(draw: Draw, name: str, shape: Json, position: Tuple[float, float, float], material: int = -1, **more: Any) -> Json:
    chosen = draw.r.choice(draw.scene["materials"]) if material < 0 else draw.scene["materials"][material]
    made = {"name": name, "material": chosen["name"], "shape": shape, "placement": {"type": "single", "position": list(position)},
            **draw.dialect.body(draw.r, shape, least(shape)), **more}
    draw.scene["specimens"].append(made)
    return made


def box_rig(draw: Draw, low: Tuple[float, float, float], high: Tuple[float, float, float], **more: Any) -> None:
    draw.scene["rig"] = {"type": "box", "minimum": list(low), "maximum": list(high), **more}


def downward(speed: float) -> Json:
    return {"program": [{"type": "constant", "velocity": -speed}]}


def collide(draw: Draw) -> None:
    """Two bodies meet head on, a little aside of each other's middle."""
    for name, sign in (("left", -1), ("right", 1)):
        add(draw, name, solid(draw), (sign * (draw.size + draw.gap) / 2, 0, draw.size * draw.r.uniform(-0.1, 0.1)), velocity=[-sign * draw.speed / 2, 0, 0])
    draw.scene["rig"] = {"type": "none"}
    draw.facts.update(free=True, order=[0, 1])


def fall(draw: Draw) -> None:
    """A turned body is thrown onto the floor of a box."""
    r, size = draw.r, draw.size
    axis, angle = [r.uniform(-1, 1), r.uniform(-1, 1), 0.1], r.uniform(0, 45)
    add(draw, "body", solid(draw), (0, 0, 0), rotation={"axis": axis, "angle_deg": angle}, velocity=[r.uniform(-1, 1) * draw.speed, 0, -draw.speed])
    box_rig(draw, (-4 * size, -3 * size, -0.87 * size - draw.gap), (4 * size, 3 * size, 4 * size), gravity=[0, 0, -draw.speed**2 / size])


def crush(draw: Draw) -> None:
    """A body between the floor and the lid of a box, which comes down, or holds a force."""
    r, size = draw.r, draw.size
    gap = r.choice([0, draw.gap])
    add(draw, "body", solid(draw), (0, 0, 0))
    box_rig(draw, (-2 * size, -2 * size, -size / 2), (2 * size, 2 * size, size / 2 + gap), walls={"z_max": downward(draw.speed)})
    draw.facts.update(pressed="wall.z_max", slack=gap, narrow=True)


def press(draw: Draw) -> None:
    """An upright block, rod or ball between platens: E A / L, or Hertz."""
    r, size = draw.r, draw.size
    kind, gap = r.choice(["box", "cylinder", "sphere"]), r.choice([0, draw.gap])
    shape = {"box": {"type": "box", "size": [size, size, size * r.uniform(1, 2)]}, "cylinder": {"type": "cylinder", "radius": size / 2, "length": size * r.uniform(1, 2)},
             "sphere": {"type": "sphere", "radius": size / 2}}[kind]
    height = shape["size"][2] if kind == "box" else shape.get("length", size)
    add(draw, "body", shape, (0, 0, 0), 0)
    draw.scene["rig"] = {"type": "platens", "position": [0, 0, gap / 2], "opening": height + gap, "program": downward(draw.speed)["program"]}
    draw.facts.update(pressed="platen.top", slack=gap, height=height, area=size**2 if kind == "box" else math.pi * size**2 / 4, ball=kind == "sphere", narrow=True)


def bend(draw: Draw) -> None:
    """A bar on two rollers under a third."""
    r, size = draw.r, draw.size
    length, gap = size * r.uniform(4, 6), r.choice([0, draw.gap])
    add(draw, "bar", {"type": "box", "size": [length, size, size]}, (0, 0, size / 2), 0)
    draw.scene["rig"] = {"type": "three_point_bend", "span": 0.8 * length, "support_radius": size * r.uniform(0.2, 0.6), "opening": size + gap,
                         "roller_length": 2 * size, "program": downward(draw.speed)["program"]}
    draw.facts.update(pressed="roller.load", slack=gap, narrow=True)


def pull(draw: Draw) -> None:
    """A bar between grips that part."""
    r, size = draw.r, draw.size
    length = size * r.uniform(3, 5)
    add(draw, "bar", {"type": "box", "size": [size, size, length]}, (0, 0, 0), 0)
    draw.scene["rig"] = {"type": "grips", "axis": "z", "low_end": -length / 2 + 0.3 * size, "high_start": length / 2 - 0.3 * size,
                         "program": [{"type": "constant", "velocity": draw.speed}]}
    draw.facts.update(pulled="grip.high", narrow=True)


def slide(draw: Draw) -> None:
    """A body thrown along a slope."""
    r, size, speed = draw.r, draw.size, draw.speed
    add(draw, "body", solid(draw), (0, 0, 0), velocity=[speed, 0, 0])
    tilt, gravity = math.radians(r.uniform(0, 45)), speed**2 / size
    box_rig(draw, (-3 * size, -3 * size, -size / 2), (5 * size, 3 * size, 3 * size), gravity=[gravity * math.sin(tilt), 0, -gravity * math.cos(tilt)])


def slope(draw: Draw) -> None:
    """A flat block let go on a slope: it rests or slides by Coulomb's law. It hardly deforms under its weight."""
    r, size = draw.r, draw.size
    tilt, flat = math.radians(r.uniform(5, 40)), r.uniform(0.5, 0.7)
    friction = math.tan(tilt) * r.choice([r.uniform(1.3, 3), r.uniform(0, 0.8)])
    draw.scene["contact"] = {**draw.dialect.contact(r, size, 1.0), "friction_coefficient": friction}
    draw.scene["contact"].pop("damping_time", None)
    add(draw, "body", {"type": "box", "size": [size, size, flat * size]}, (0, 0, 0), 0)
    gravity = draw.speed**2 / size
    box_rig(draw, (-3 * size, -3 * size, -flat * size / 2), (6 * size, 3 * size, 3 * size), gravity=[gravity * math.sin(tilt), 0, -gravity * math.cos(tilt)])
    draw.facts.update(acceleration=max(gravity * (math.sin(tilt) - friction * math.cos(tilt)), 0.0), gravity=gravity)


def pierce(draw: Draw) -> None:
    """A ball is shot at a plate that may be thin: a specimen that is free to move, or an obstacle that is not."""
    r, size = draw.r, draw.size
    radius = size * r.uniform(0.15, 0.3)
    moving = r.random() < 0.4
    thickness = size * (r.uniform(0.2, 0.35) if moving else log_uniform(r, 0.003, 0.3))
    add(draw, "ball", {"type": "sphere", "radius": radius}, (-radius - draw.gap - thickness / 2, 0, 0), 0, velocity=[draw.speed, 0, 0],
        angular_velocity=[0, r.choice([0, 1]) * draw.speed / size, 0])
    draw.scene["rig"] = {"type": "none"}
    draw.facts.update(order=[0, 1], free=moving)
    if moving:
        add(draw, "plate", {"type": "box", "size": [thickness, size, size]}, (0, 0, 0), 1)
    else:
        draw.scene["obstacles"] = [{"name": "plate", "shape": {"type": "box", "size": [thickness, 3 * size, 3 * size]}, "position": [0, 0, 0]}]
        draw.facts.update(far_side=thickness / 2)


def drop_on(draw: Draw) -> None:
    """A body starts at rest high above an obstacle and falls under gravity alone: how fast it will be no start says."""
    r, size = draw.r, draw.size
    thickness = size * log_uniform(r, 0.02, 0.5)
    add(draw, "body", solid(draw), (0, 0, 0.87 * size + draw.gap))
    draw.scene["rig"] = {"type": "none", "gravity": [0, 0, -min(draw.speed**2 / (2 * draw.gap), 1e6)]}
    draw.scene["obstacles"] = [{"name": "plate", "shape": {"type": "box", "size": [4 * size, 4 * size, thickness]}, "position": [0, 0, -thickness / 2]}]
    draw.facts.update(below=-thickness)


def whirl(draw: Draw) -> None:
    """A bar turns about its middle and hits a block beside it."""
    r, size = draw.r, draw.size
    width = size / r.uniform(2.5, 4)
    add(draw, "bar", {"type": "box", "size": [size, width, width]}, (0, 0, 0), 0, angular_velocity=[0, 0, 2 * draw.speed / size])
    add(draw, "block", {"type": "box", "size": [size / 2, size / 2, size / 2]}, (0.35 * size, width / 2 + size / 4 + 0.5 * draw.gap, 0), 1)
    draw.scene["rig"] = {"type": "none"}
    draw.facts.update(free=True)


def stack(draw: Draw) -> None:
    """A column of blocks at rest."""
    r, size = draw.r, draw.size
    count = r.randint(2, 12)
    for k in range(count):
        add(draw, f"block{k}", {"type": "box", "size": [size, size, size]}, (0, 0, size * (k + 0.5)))
    gravity = draw.speed**2 / size
    box_rig(draw, (-4 * size, -4 * size, 0), (4 * size, 4 * size, (count + 2) * size), gravity=[0, 0, -gravity])
    draw.facts.update(resting=True)


def pile(draw: Draw) -> None:
    """Many bodies fall into a box, and in half of the scenes a lid crushes them."""
    r, size = draw.r, draw.size
    side = r.randint(1, 3)
    shape = solid(draw)
    pitch = size * 1.75 if shape["type"] != "sphere" else size * 1.02
    made = add(draw, "grains", shape, (0, 0, 0), random_rotation=True)
    made["placement"] = {"type": "lattice", "origin": [-(side - 1) * pitch / 2, -(side - 1) * pitch / 2, pitch / 2], "pitch": [pitch] * 3, "count": [side, side, r.randint(2, 4)]}
    height, half = made["placement"]["count"][2] * pitch, side * pitch / 2
    more = {"walls": {"z_max": downward(draw.speed)}} if r.random() < 0.5 else {}
    box_rig(draw, (-half, -half, 0), (half, half, height + draw.gap), gravity=[0, 0, -draw.speed**2 / size], **more)


def jam(draw: Draw) -> None:
    """Walls close on a body that can't yield."""
    r, size = draw.r, draw.size
    add(draw, "body", solid(draw), (0, 0, 0))
    walls = {"z_max": downward(draw.speed)}
    if r.random() < 0.5:
        walls["x_max"] = downward(draw.speed)
    box_rig(draw, (-size / 2, -2 * size, -size / 2), (size / 2 + draw.gap, 2 * size, size / 2 + draw.gap), walls=walls)
    draw.facts.update(narrow=True)


def glued(draw: Draw) -> None:
    """Two bonded blocks hit a third; their bonds may break. In half of the scenes they start a little in each other."""
    r, size = draw.r, draw.size
    inside = r.choice([0, 0.01, 0.03]) * size
    modulus = draw.scene["materials"][0]["young_modulus"]
    draw.scene["contact"].update(bond_stiffness=modulus / size * log_uniform(r, 0.3, 10), bond_strength=modulus * log_uniform(r, 1e-5, 1e-1), bond_reach=0.06 * size)
    for k in range(2):
        add(draw, f"block{k}", {"type": "box", "size": [size, size, size]}, ((size - inside) * k, 0, 0), 0, velocity=[draw.speed, 0, 0])
    add(draw, "target", {"type": "box", "size": [size, size, size]}, (2 * size - inside + max(draw.gap, 0.2 * size), 0, 0.4 * size), 1)
    draw.scene["rig"] = {"type": "none"}
    draw.facts.update(free=True, overlap_allowed=inside)


def load(draw: Draw) -> None:
    """A cantilever under a load, from rest or from its equilibrium."""
    r, size = draw.r, draw.size
    length = size * r.uniform(3, 8)
    made = draw.scene["materials"][0]
    force = made["young_modulus"] * size**4 / (4 * length**3) * length * log_uniform(r, 1e-3, 0.15)
    add(draw, "beam", {"type": "box", "size": [length, size, size]}, (length / 2, 0, 0), 0, load_side="x_max", load=[0, 0, -force])
    draw.scene["rig"] = {"type": "grips", "axis": "x", "low_end": 1e-3 * size}
    if r.random() < 0.3:
        draw.scene["options"]["loading"] = "static"


COMMON = [collide, fall, crush, press, bend, pull, slide, slope, pierce, drop_on, whirl]
OWN: Dict[str, Callable[[Draw], None]] = {kind.__name__: kind for kind in (stack, pile, jam, glued, load)}


def draw_scene(seed: int, method: str, index: int, gap: float = 0.1) -> Tuple[str, Json, Dict[str, Any], random.Random, Dialect]:
    """A scene without its duration; `gap` over the size of bodies. @return its kind, scene, facts for judges, what draws on"""
    r = random.Random(f"{seed} {method} {index}")
    dialect = DIALECTS[method]()
    size = log_uniform(r, 1e-3, 1e-1)
    materials = [dialect.material(r, "first"), dialect.material(r, "second")]
    slow = min(wave_speed(made) for made in materials)
    build = r.choice([kind for kind in COMMON if kind.__name__ not in dialect.lacks] + [OWN[name] for name in dialect.kinds] * 2)
    calm = build in (slope, stack, press, bend, pull, load)
    speed = min(slow * (log_uniform(r, 3e-3, 0.03) if calm else log_uniform(r, 1e-3, 0.5)), 1000.0)
    scene: Json = {"scree": 1, "name": f"sweep-{index}", "method": method, "materials": materials, "specimens": [], "options": {}}
    scene["contact"] = dialect.contact(r, size, slow)
    # Rounding of places; of rigid bodies the weight times the overlap that they may have, a part in 1e5.
    pressure = max(1e-20 * made["young_modulus"] if "young_modulus" in made else 1e-5 * made["density"] * speed**2 for made in materials)
    facts: Dict[str, Any] = {"size": size, "speed": speed, "rounding": pressure * size**3}
    build(Draw(r, dialect, scene, size, speed, gap * size, facts))
    scene["size"] = size
    scene["options"].update(dialect.options(r, scene))
    del scene["size"]
    return build.__name__, scene, facts, r, dialect
