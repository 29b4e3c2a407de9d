"""Twin experiments through the service: curves that it ran itself with hidden parameters get noise and are calibrated against, under bdem and peridem, each by
two tests at once; tests/reports/validation/TWINS.md has ten tries of each."""
import random
import sys
import unittest

from lab import ROOT, Lab
from test_studies import wait

sys.path.insert(0, str(ROOT / "api/clients/python"))
import scree as client  # noqa: E402 pylint: disable=wrong-import-position

TILTED = [4.14589, 0, -8.89088]  # a floor of 25 degrees


def soft(**more):
    return [{"name": "soft", "density": 1000, "young_modulus": 1e6} | more]


def body(name, spacing, size, position):
    return [{"name": name, "material": "soft", "spacing": spacing, "shape": {"type": "box", "size": size}, "placement": {"type": "single", "position": position}}]


def sliding(method, spacing, duration):
    """A block on a tilted floor: its energy of motion shows the friction."""
    return {"scree": 1, "name": "slide", "method": method, "materials": soft(), "contact": {"friction_coefficient": 0.3, "damping_ratio": 0.5},
            "specimens": body("block", spacing, [0.02, 0.02, 0.02], [0, 0, 0.01]), "rig": {"type": "none", "gravity": TILTED},
            "obstacles": [{"name": "floor", "shape": {"type": "plane", "width": 0.2}, "position": [0.02, 0, 0]}],
            "time": {"duration": duration}, "output": {"frame_interval": duration, "sample_interval": duration / 40}}


def sagging():
    """A beam that is clamped at one end: the torque of its swing shows the modulus."""
    return {"scree": 1, "name": "sag", "method": "bdem", "materials": soft(), "specimens": body("beam", 0.005, [0.06, 0.01, 0.01], [0.02, 0, 0]),
            "rig": {"type": "grips", "axis": "x", "low_end": 0, "gravity": [0, 0, -9.81]}, "time": {"duration": 0.1},
            "output": {"frame_interval": 0.1, "sample_interval": 0.001}}


def pulled():
    """A bar that is pulled in two: the work shows modulus and fracture energy."""
    return {"scree": 1, "name": "pull", "method": "peridem", "materials": soft(fracture_energy=6), "specimens": body("bar", 0.0033, [0.0297, 0.0099, 0.0099], [0.01485, 0, 0]),
            "rig": {"type": "grips", "axis": "x", "low_end": 0.007, "high_start": 0.0229, "program": [{"type": "constant", "velocity": 0.4}]},
            "time": {"duration": 0.004}, "output": {"frame_interval": 0.004, "sample_interval": 0.00005}}


def place(scene, pointer, value):
    *way, last = [int(word) if word.isdigit() else word for word in pointer.strip("/").split("/")]
    for word in way:
        scene = scene[word]
    scene[last] = value


class TwinTest(unittest.TestCase):
    def twin(self, scenes, unknowns, runs, seed):
        """scenes: {name: (scene, curve)}; unknowns: {name: (pointers by scene, from, to, scale, hidden)}"""
        chance = random.Random(seed)
        with Lab("--slots", 2, "--threads", 1) as server:
            lab, targets = client.Lab(server.url), {}
            for name, (scene, curve) in scenes.items():
                for pointers, *_, hidden in unknowns.values():
                    if name in pointers:
                        place(scene, pointers[name], hidden)
                job = lab.submit(scene)
                curves = job.wait().curves()
                scatter = 0.05 * (max(curves[curve]) - min(curves[curve]))
                targets[name] = {"scene": name, "x": "time", "y": curve, "scatter": scatter,
                                 "measured": {"x": curves["time"], "y": [y + chance.gauss(0, scatter) for y in curves[curve]]}}
            study = lab.calibrate({name: scene for name, (scene, _) in scenes.items()},
                                  {name: {"pointer": pointers, "range": {"from": low, "to": high, "scale": scale}} for name, (pointers, low, high, scale, _) in unknowns.items()},
                                  targets, runs=runs)
            wait(server, study.id, timeout=900)
            found = study.calibration(level=1 - 0.05 / len(unknowns))
            self.assertLessEqual(len(study.rows()), runs)
            for parameter in found["estimate"]["parameters"]:
                hidden = unknowns[parameter["name"]][-1]
                self.assertTrue(parameter["low"] <= hidden <= parameter["high"], (parameter, hidden))
                self.assertFalse(parameter["undetermined"], parameter)

    def test_bonded_spheres(self):
        """modulus and friction under bdem, from a beam that sags and a block that slides: found within their intervals by at most 60 runs"""
        self.twin({"sag": (sagging(), "grip.low.torque_y"), "slide": (sliding("bdem", 0.01, 0.05), "energy.kinetic")},
                  {"young_modulus": ({"sag": "/materials/0/young_modulus", "slide": "/materials/0/young_modulus"}, 3e5, 1e7, "logarithmic", 1.7e6),
                   "friction": ({"slide": "/contact/friction_coefficient"}, 0.05, 0.45, "linear", 0.27)}, 60, 11)

    def test_peridynamics(self):
        """modulus, fracture energy and friction under peridem, from a bar that is pulled in two and a block that slides: found within their intervals by at
        most 120 runs"""
        self.twin({"pull": (pulled(), "energy.external"), "slide": (sliding("peridem", 0.0066, 0.02), "energy.kinetic")},
                  {"young_modulus": ({"pull": "/materials/0/young_modulus"}, 3e6, 3e7, "logarithmic", 9e6),
                   "fracture_energy": ({"pull": "/materials/0/fracture_energy"}, 2, 15, "logarithmic", 6.2),
                   "friction": ({"slide": "/contact/friction_coefficient"}, 0.05, 0.45, "linear", 0.25)}, 120, 12)


if __name__ == "__main__":
    unittest.main()
