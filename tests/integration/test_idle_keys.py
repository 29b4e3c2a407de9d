"""A key that has no effect under the chosen method is a warning of the check that names what would do it; a scene that serves several methods says so by
giving options by their names, and is not warned."""
import json
import unittest

from command import scree

MATTER = {"name": "gel", "density": 1000, "young_modulus": 1e6, "poisson_ratio": 0.25}
OWN = {  # what a cube needs besides
    "peridem": {"spacing": 0.004},
    "bdem": {"spacing": 0.004},
    "lsdem": {"spacing": 0.004},
    "rigid": {},
    "fem": {"divisions": [2, 2, 2]},
}
FOREIGN = {  # by method: a key of another, where it stands, its value, and what the warning names instead
    "peridem": [("material", "tensile_strength", 1e4, "fracture_energy"), ("contact", "restitution", 0.5, "damping_ratio"),
                ("contact", "bond_stiffness", 1e9, "a key of lsdem")],
    "bdem": [("contact", "restitution", 0.5, "damping_ratio"), ("contact", "rolling_resistance", 1e-4, "rolling_friction"),
             ("contact", "damping_time", 1e-4, "damping_ratio")],
    "fem": [("material", "fracture_energy", 10, "peridem, bdem"), ("material", "tensile_strength", 1e4, "do not break"),
            ("contact", "damping_ratio", 0.5, "stiffness_damping"), ("contact", "restitution", 0.5, "stiffness_damping")],
    "lsdem": [("material", "fracture_energy", 10, "bond_energy"), ("material", "tensile_strength", 1e4, "bond_strength"),
              ("contact", "damping_ratio", 0.5, "damping_time"), ("contact", "restitution", 0.5, "damping_time")],
    "rigid": [("material", "fracture_energy", 10, "do not break"), ("material", "young_modulus", 1e6, "do not deform"),
              ("contact", "damping_ratio", 0.5, "restitution"), ("contact", "damping_time", 1e-3, "restitution")],
}
SWITCHED_OFF = {  # by method: an option that does nothing as the scene stands, and the option that makes it count
    "peridem": ({"load_steps": 7}, {"loading": "quasi_static"}, "unless loading is quasi_static"),
    "bdem": ({"newton_limit": 30}, {"integrator": "implicit-euler"}, "unless integrator is implicit-euler or variational"),
    "fem": ({"release": False}, {"loading": "static"}, "unless loading is static"),
    "rigid": ({"porosity_axis": "x"}, {"porosity_layers": 3}, "without porosity_layers"),
}


def scene(method, material=None, contact=None, options=None):
    matter = {key: value for key, value in MATTER.items() if method != "rigid" or key in ("name", "density")}
    return {"scree": 1, "name": "cube", "method": method, "materials": [matter | (material or {})], "contact": contact or {}, "options": options or {},
            "specimens": [{"name": "cube", "material": "gel", "shape": {"type": "box", "size": [0.02, 0.02, 0.02]}, **OWN[method]}],
            "rig": {"type": "box", "minimum": [-0.02, -0.02, -0.01], "maximum": [0.02, 0.02, 0.03]},
            "time": {"duration": 0.01} | ({"time_step": 1e-3} if method == "rigid" else {})}


class IdleKeys(unittest.TestCase):
    def warnings(self, what):
        result = scree("check", "-", "--json", stdin=json.dumps(what))
        self.assertEqual(result.code, 0, result)
        return {warning["pointer"]: warning["detail"] for warning in result.json()["warnings"] if "no effect" in warning["detail"]}

    def test_keys_of_other_methods(self):
        """Each is warned of under each method, at its place, with the key that would do it; the method's own scene is not"""
        for method, cases in FOREIGN.items():
            self.assertEqual(self.warnings(scene(method)), {}, method)
            for where, key, value, instead in cases:
                with self.subTest(method=method, key=key):
                    said = self.warnings(scene(method, **{where: {key: value}}))
                    pointer = f"/materials/0/{key}" if where == "material" else f"/contact/{key}"
                    self.assertEqual(list(said), [pointer])
                    self.assertIn(f"{key} has no effect under method {method}", said[pointer])
                    self.assertIn(instead, said[pointer])

    def test_a_scene_for_several_methods(self):
        """A key of a method that the scene gives options for by name is meant for that method; one at its default says nothing"""
        self.assertEqual(self.warnings(scene("fem", material={"fracture_energy": 10}, options={"fem": {}, "peridem": {}})), {})
        self.assertEqual(list(self.warnings(scene("fem", material={"fracture_energy": 10}, options={"fem": {}, "rigid": {}}))), ["/materials/0/fracture_energy"])
        self.assertEqual(self.warnings(scene("rigid", contact={"damping_ratio": 0}, material={"fracture_energy": None})), {})

    def test_specimens(self):
        """Balls that a newcomer has poured like sand, and a spacing of bodies that need none, are warned of"""
        what = scene("rigid")
        what["specimens"][0] |= {"pour_interval": 0.05, "pour_count": 16, "spacing": 0.004}
        said = self.warnings(what)
        self.assertEqual(sorted(said), ["/specimens/0/pour_count", "/specimens/0/pour_interval", "/specimens/0/spacing"])
        self.assertIn("a key of granular", said["/specimens/0/pour_interval"])

    def test_pairs(self):
        """Keys of a pair of partners are warned of as well"""
        what = scene("rigid", contact={"pairs": [{"between": ["gel", "wall"], "damping_ratio": 0.3}]})
        self.assertEqual(list(self.warnings(what)), ["/contact/pairs/0/damping_ratio"])

    def test_what_is_switched_off(self):
        """An option of something that is switched off is warned of with the option that switches it on, and no more once that is given"""
        for method, (idle, switch, words) in SWITCHED_OFF.items():
            for by_name in (False, True):
                with self.subTest(method=method, by_name=by_name):
                    place = f"/options/{method}/" if by_name else "/options/"
                    said = self.warnings(scene(method, options={method: idle} if by_name else idle))
                    self.assertEqual(list(said), [place + next(iter(idle))])
                    self.assertIn(words, said[place + next(iter(idle))])
            self.assertEqual(self.warnings(scene(method, options=idle | switch)), {}, method)

    def test_keys_of_one_object(self):
        """Bonds' strength without bonds, and damping of modes without modes, are warned of under lsdem"""
        what = scene("lsdem", contact={"bond_strength": 1e4})
        what["specimens"][0]["mode_damping_ratio"] = 0.3
        said = self.warnings(what)
        self.assertEqual(sorted(said), ["/contact/bond_strength", "/specimens/0/mode_damping_ratio"])
        self.assertIn("without bond_stiffness", said["/contact/bond_strength"])
        self.assertIn("without modes", said["/specimens/0/mode_damping_ratio"])

    def test_a_step_that_is_given(self):
        """Options that choose the time step are warned of where the scene gives one"""
        what = scene("fem", options={"courant_number": 2})
        self.assertEqual(self.warnings(what), {})
        what["time"]["time_step"] = 1e-3
        self.assertIn("/time/time_step", self.warnings(what)["/options/courant_number"])

    def test_effective_scene(self):
        """The effective scene of a warned scene is warned of alike"""
        what = scene("rigid", contact={"damping_ratio": 0.5})
        again = scree("check", "-", "--json", stdin=json.dumps(what)).json()["scene"]
        self.assertEqual(self.warnings(again), self.warnings(what))


if __name__ == "__main__":
    unittest.main()
