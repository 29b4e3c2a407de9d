"""Scenes whose time goes into contact and friction, for compare.py: a pile that falls together and rests, a block that slides down a slope, a
wedge that is driven between two blocks; each under both methods, a few seconds of processor time. Nothing breaks in them, so that two builds
with the same physics do the same work."""
from math import cos, radians, sin

GRAVITY = 9.81


def material(method, modulus, density=2400.0):
    if method == "peridem":
        return {"name": "stone", "density": density, "bulk_modulus": modulus / 1.5}
    return {"name": "stone", "density": density, "young_modulus": modulus, "poisson_ratio": 0.2}


def scene(name, method, modulus, friction, specimens, rig, duration, **more):
    options = {"breakable": False} | ({"self_contact": False} if method == "peridem" else {"constants_of": "bonds"})
    return {"scree": 1, "name": f"{name}-{method}", "method": method, "materials": [material(method, modulus)],
            "contact": {"friction_coefficient": friction, "damping_ratio": 0.3}, "specimens": specimens, "rig": rig,
            "time": {"duration": duration * (1 if method == "peridem" else 2)}, "options": options, **more}


def body(name, size, position, spacing, **more):
    return {"name": name, "material": "stone", "spacing": spacing, "shape": {"type": "box", "size": size},
            "placement": {"type": "single", "position": position}, **more}


def pile(method):
    """Twelve cubes of 5 cm, three by two in two layers, fall by 2 mm onto each other and the floor and come to rest."""
    places = [[0.051 * i, 0.051 * j, 0.028 + 0.053 * k] for k in range(2) for j in range(2) for i in range(3)]
    cube = body("cube", [0.05, 0.05, 0.05], None, 0.01)
    cube["placement"] = {"type": "list", "positions": places}
    return scene("pile", method, 1e7, 0.5, [cube], {"type": "box", "minimum": [-0.06, -0.06, 0], "maximum": [0.2, 0.2, 0.3],
                 "gravity": [0, 0, -GRAVITY]}, 0.12)


def sliding_block(method):
    """A block of 20 x 20 x 4 cm slides down a slope of 25 degrees; gravity is turned instead of the floor."""
    angle = radians(25)
    return scene("sliding-block", method, 1e7, 0.3, [body("block", [0.2, 0.2, 0.04], [0, 0, 0.02], 0.01)],
                 {"type": "box", "minimum": [-1, -1, 0], "maximum": [1, 1, 1], "gravity": [GRAVITY * sin(angle), 0, -GRAVITY * cos(angle)]}, 0.12)


def wedge(method):
    """A wedge of 90 degrees, a box on its edge, is driven down between two blocks, which slide apart over the floor."""
    blocks = [body(name, [0.08, 0.1, 0.08], [side * 0.042, 0, 0.04], 0.01) for name, side in (("left", -1), ("right", 1))]
    edge = {"name": "wedge", "shape": {"type": "box", "size": [0.06, 0.2, 0.06]}, "position": [0, 0, 0.122],
            "rotation": {"axis": [0, 1, 0], "angle_deg": 45}, "direction": [0, 0, -1], "program": [{"type": "constant", "velocity": 0.2}]}
    return scene("wedge", method, 1e7, 0.3, blocks, {"type": "box", "minimum": [-0.5, -0.5, 0], "maximum": [0.5, 0.5, 1],
                 "gravity": [0, 0, -GRAVITY]}, 0.1, obstacles=[edge])


def contact_scenes():
    """All of them, as (name, scene)."""
    return [(made["name"], made) for method in ("peridem", "bdem") for made in (pile(method), sliding_block(method), wedge(method))]
