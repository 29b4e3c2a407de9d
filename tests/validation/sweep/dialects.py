"""How each method words matter, contacts, bodies, options and time steps of a random scene."""

from __future__ import annotations

import math
import random
from typing import Any, Dict, List, Optional

Json = Dict[str, Any]


def log_uniform(r: random.Random, low: float, high: float) -> float:
    return 10 ** r.uniform(math.log10(low), math.log10(high))


class Dialect:
    """What methods have in common; `r` draws, the same draws in the same order for the same scene."""

    name = ""
    explicit = True
    deforms = True
    kinds: List[str] = []  # what the method alone has among `scenes`
    lacks: List[str] = []  # what of the common kinds it refuses by design

    def material(self, r: random.Random, name: str) -> Json:
        return {"name": name, "density": log_uniform(r, 500, 8000), "young_modulus": log_uniform(r, 1e4, 1e10), "poisson_ratio": 0.25}

    def contact(self, r: random.Random, size: float, wave: float) -> Json:
        return {"friction_coefficient": r.choice([0, r.uniform(0, 1), r.uniform(0, 5)]), "damping_ratio": r.choice([0, r.uniform(0, 1), r.uniform(0, 2)])}

    def body(self, r: random.Random, shape: Json, size: float) -> Json:
        """Keys of a specimen besides shape and place; `size` is its least thickness, m."""
        return {"spacing": size / r.uniform(4, 7)}

    def options(self, r: random.Random, scene: Json) -> Json:
        return {}

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        """Step, s, where `step` is the automatic one and what is fastest crosses its own size in `crossing`; None: automatic."""
        return None


class Peridem(Dialect):
    name = "peridem"

    def material(self, r: random.Random, name: str) -> Json:
        made = super().material(r, name)
        made["fracture_energy"] = made["young_modulus"] * log_uniform(r, 1e-9, 1e-5)
        return made

    def options(self, r: random.Random, scene: Json) -> Json:
        options: Json = {"breakable": r.random() < 0.7}
        spacing = max(body["spacing"] for body in scene["specimens"])
        drawn = {"horizon": r.uniform(1.5, 4) * spacing, "contact_radius": r.uniform(0.4, 2) * spacing, "self_contact": r.random() < 0.7,
                 "wall_law": r.choice(["exact", "lumped"]), "contact_surface": r.choice(["body", "faces"])}
        for key, value in drawn.items():
            if r.random() < 0.35:
                options[key] = value
        if r.random() < 0.15:
            options["elasticity"] = "state"
        return options

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        factor = r.choice([1, 1, 0.5, 0.1])
        return None if factor == 1 else factor * step


class Bdem(Dialect):
    name = "bdem"

    def material(self, r: random.Random, name: str) -> Json:
        made = super().material(r, name)
        made["tensile_strength"] = made["shear_strength"] = made["young_modulus"] * log_uniform(r, 1e-3, 1e-1)
        return made

    def options(self, r: random.Random, scene: Json) -> Json:
        options: Json = {"breakable": r.random() < 0.7, "integrator": r.choice(["explicit", "explicit", "implicit-euler", "implicit-euler", "variational"])}
        drawn = {"breaking": r.choice(["explicit-bursts", "staged", "simultaneous", "worst-first"]), "contact_stiffness_factor": log_uniform(r, 0.01, 100),
                 "rolling_friction": r.uniform(0, 1), "constants_of": r.choice(["bonds", "body"]), "contact_surface": r.choice(["spheres", "faces"])}
        for key, value in drawn.items():
            if r.random() < 0.4 and not (key == "breaking" and options["integrator"] == "explicit"):
                options[key] = value
        if options["integrator"] != "explicit":
            options["step_ratio"] = max(log_uniform(r, 0.1, 500), 0.1)
        self.explicit = options["integrator"] == "explicit"
        return options

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        factor = r.choice([1, 1, 0.5, 0.1]) if self.explicit else 1
        return None if factor == 1 else factor * step


class Rigid(Dialect):
    name = "rigid"
    explicit = False
    deforms = False
    kinds = ["stack", "pile", "jam"]
    lacks = ["pull"]

    def material(self, r: random.Random, name: str) -> Json:
        return {"name": name, "density": log_uniform(r, 500, 8000)}

    def contact(self, r: random.Random, size: float, wave: float) -> Json:
        return {"friction_coefficient": r.choice([0, r.uniform(0, 1), r.uniform(0, 5), log_uniform(r, 1, 1000)]), "restitution": r.choice([0, 0, r.uniform(0, 1)])}

    def body(self, r: random.Random, shape: Json, size: float) -> Json:
        return {}

    def options(self, r: random.Random, scene: Json) -> Json:
        options: Json = {}
        if r.random() < 0.25:
            options["tolerance"] = log_uniform(r, 1e-10, 1e-3)
        if r.random() < 0.1:
            options["iterations"] = r.randint(1, 30)
        if r.random() < 0.15:
            options["solver"] = r.choice(["gauss-seidel", "admm", "newton", "hybrid", "fixed-point", "interior", "accelerated"])
        return options

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        return crossing / log_uniform(r, 5, 300)


class Lsdem(Dialect):
    name = "lsdem"
    kinds = ["pile", "glued"]
    lacks = ["pull"]

    def contact(self, r: random.Random, size: float, wave: float) -> Json:
        made: Json = {"friction_coefficient": r.choice([0, r.uniform(0, 1), r.uniform(0, 5)])}
        if r.random() < 0.3:
            made["damping_time"] = log_uniform(r, 1e-2, 1) * size / wave
        if r.random() < 0.2:
            made["automatic_stiffness"] = "linear"
        return made

    def body(self, r: random.Random, shape: Json, size: float) -> Json:
        made: Json = {"spacing": size / r.uniform(5, 10)}
        modes = r.choice(["none", "none", "isotropic", "stretch", "affine", "bending"])
        long = shape["type"] == "box" and max(shape["size"]) > 2.5 * min(shape["size"])
        if modes != "bending" or long:
            made["modes"] = modes
        if made.get("modes", "none") != "none" and r.random() < 0.3:
            made["mode_damping_ratio"] = r.uniform(0, 1)
        if made.get("modes", "none") != "none" and r.random() < 0.15:
            made["follow"] = r.choice(["remap", "recompute", "advect", "precomputed"])
        return made

    def options(self, r: random.Random, scene: Json) -> Json:
        drawn = {"passes": "one_sided", "pull_back": r.randint(1, 6), "energy_exact": False, "inertia": "full", "skin": r.uniform(0.01, 0.5)}
        return {key: value for key, value in drawn.items() if r.random() < 0.15}

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        factor = r.choice([1, 1, 1, 0.3, 3])
        return None if factor == 1 else factor * step


class Fem(Dialect):
    name = "fem"
    explicit = False
    kinds = ["load"]

    def material(self, r: random.Random, name: str) -> Json:
        made = super().material(r, name)
        made["poisson_ratio"] = r.choice([0.25, r.uniform(0, 0.45)])
        return made

    def contact(self, r: random.Random, size: float, wave: float) -> Json:
        return {"friction_coefficient": r.choice([0, r.uniform(0, 1), r.uniform(0, 5)])}

    def body(self, r: random.Random, shape: Json, size: float) -> Json:
        if shape["type"] == "box" and r.random() < 0.5:
            least = min(shape["size"])
            across = r.randint(1, 3)
            return {"divisions": [min(max(round(across * edge / least), 1), 10) for edge in shape["size"]]}
        return {"spacing": size / r.uniform(2, 4)}

    def options(self, r: random.Random, scene: Json) -> Json:
        options: Json = {}
        for made in scene["materials"]:
            if r.random() < 0.4:
                made["stiffness_damping"] = log_uniform(r, 1e-3, 1) * scene["size"] / wave_speed(made)
        if r.random() < 0.2:
            options["law"] = "linear"
        if r.random() < 0.3:
            options["element"] = r.choice(["plain", "b-bar"])
        if r.random() < 0.2:
            options["impact"] = r.choice(["mass", "none"])
        return options

    def time_step(self, r: random.Random, step: float, crossing: float) -> Optional[float]:
        return r.choice([None, crossing / log_uniform(r, 3, 120)])


DIALECTS = {kind.name: kind for kind in (Peridem, Bdem, Rigid, Lsdem, Fem)}


def wave_speed(made: Json) -> float:
    """Of a rod, m/s; rigid matter has none, so a speed that keeps drawn velocities usual."""
    return math.sqrt(made["young_modulus"] / made["density"]) if "young_modulus" in made else 20.0
