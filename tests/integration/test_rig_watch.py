"""A part of the rig that moves and never meets a specimen is warned of by the check and is a doubt of the run under every method: its
curves of forces are 0, however sound the run. So is a stop rule that asks for what the run can't reach."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from command import scree

METHODS = {  # what the specimen and the time need besides the common scene
    "peridem": ({"spacing": 0.004}, {}),
    "bdem": ({"spacing": 0.004}, {}),
    "lsdem": ({"spacing": 0.004}, {}),
    "rigid": ({}, {"time_step": 1e-3}),
    "fem": ({"divisions": [2, 2, 2]}, {"time_step": 1e-3}),
}


def scene(method, travel, floor=-0.06, **time):
    """A cube of 2 cm and a lid 2 mm above it that goes down by `travel`, m, in 10 ms; the floor lies at `floor`, m."""
    specimen, clock = METHODS[method]
    material = {"name": "gel", "density": 1000}
    if method != "rigid":
        material.update(young_modulus=1e6, poisson_ratio=0.25)
    program = [{"type": "constant", "velocity": -travel / 0.01}]
    return {"scree": 1, "name": "lid", "method": method, "materials": [material],
            "specimens": [{"name": "cube", "material": "gel", "shape": {"type": "box", "size": [0.02, 0.02, 0.02]}, **specimen}],
            "rig": {"type": "box", "minimum": [-0.02, -0.02, floor], "maximum": [0.02, 0.02, 0.012],
                    "walls": {"z_max": {"program": program}}},
            "time": {"duration": 0.01, **clock, **time}}


class RigWatch(unittest.TestCase):
    def run_scene(self, what):
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            return scree("run", "-", "-o", Path(folder) / "out", "--json", stdin=json.dumps(what))

    def doubts(self, what):
        result = self.run_scene(what)
        self.assertIn(result.code, (0, 8), result)
        return {doubt["kind"]: doubt["message"] for doubt in result.json()["doubts"]}

    def test_travel_that_ends_before_the_specimen(self):
        """A lid that goes half of its gap is doubted, with its travel, under every method"""
        for method in METHODS:
            with self.subTest(method=method):
                self.assertIn("wall.z_max went 1.00 mm", self.doubts(scene(method, 1e-3)).get("rig_met_nothing", "no such doubt"))

    def test_a_lid_above_what_lies_on_a_floor(self):
        """The floor that carries a cube does not hide the lid that never arrives: doubted with travel and gap, under every method"""
        for method in METHODS:
            with self.subTest(method=method):
                what = scene(method, 1e-3, floor=-0.01)
                what["rig"]["gravity"] = [0, 0, -9.81]
                doubt = self.doubts(what).get("rig_met_nothing", "no such doubt")
                self.assertIn("wall.z_max went 1.00 mm and carried 0 N", doubt)
                self.assertIn("'cube', began 2.00 mm away", doubt)

    def warnings(self, what):
        result = scree("check", "-", "--json", stdin=json.dumps(what))
        self.assertEqual(result.code, 0, result)
        return {warning["pointer"]: warning["detail"] for warning in result.json()["warnings"]}

    def test_the_check_warns_of_a_gap(self):
        """The check says that the lid goes 0.5 mm of 2 mm, or that 2 of 3 mm are a gap; not where something brings the cube to it"""
        place = "/rig/walls/z_max/program"
        for method in METHODS:
            with self.subTest(method=method):
                said = self.warnings(scene(method, 5e-4)).get(place, "no warning")
                self.assertIn("wall.z_max goes 500 µm in the whole run", said)
                self.assertIn("'cube', begins 2.00 mm away", said)
                self.assertIn("the first 2.00 mm of it, 67 %, are a gap before 'cube'", self.warnings(scene(method, 3e-3)).get(place, "no warning"))
                pulled, thrown, pushed = scene(method, 5e-4), scene(method, 5e-4), scene(method, 5e-4)
                pulled["rig"]["gravity"] = [0, 0, 9.81]
                thrown["specimens"][0]["velocity"] = [0, 0, 1]
                pushed["rig"]["walls"]["z_min"] = {"program": [{"type": "constant", "velocity": 0.2}]}
                for what in (pulled, thrown, pushed):
                    self.assertNotIn(place, self.warnings(what))

    def test_rollers_and_platens(self):
        """The gap of a loading roller is to its lowest line, of a platen to its face; a roller beside the beam has nothing in its way"""
        for rig, gap in (({"type": "platens", "opening": 0.024}, "2.00 mm"),
                         ({"type": "three_point_bend", "span": 0.016, "support_radius": 1e-3, "load_radius": 2e-3,
                           "roller_length": 0.03, "opening": 0.024, "position": [0, 0, -0.01]}, "4.00 mm")):
            with self.subTest(rig=rig["type"]):
                what = scene("fem", 0)
                what["rig"] = {**rig, "program": [{"type": "constant", "velocity": -0.1}]}
                said = self.warnings(what).get("/rig/program", "no warning")
                self.assertIn(f"begins {gap} away", said)
                what["rig"]["position"] = [0, 0.1, -0.01]
                if rig["type"] == "three_point_bend":
                    said = self.warnings(what)["/rig/program"]
                    self.assertIn("none lies in its way", said)
                    moved = re.search(r"move the rig by \(([^)]+)\) m", said)
                    what["rig"]["position"] = [a + float(b) for a, b in zip(what["rig"]["position"], moved[1].split(","))]
                    self.assertIn(f"begins {gap} away", self.warnings(what).get("/rig/program", "no warning"))  # it is over the beam again

    def test_a_force_far_below_the_body(self):
        """A cube closed on by 1 mm answers with E A / L x closure, 20 N: a contact a thousandth as stiff is doubted with both forces"""
        for method, options, doubted in (("bdem", {"contact_stiffness_factor": 1e-3}, True), ("bdem", {}, False), ("fem", {}, False),
                                         ("lsdem", {}, False), ("peridem", {"contact_stiffness_factor": 1e-3}, True)):
            with self.subTest(method=method, options=options):
                doubt = self.doubts(scene(method, 3e-3, floor=-0.01) | {"options": options}).get("rig_barely_met", "")
                self.assertEqual(bool(doubt), doubted, doubt)
                if doubted:
                    self.assertRegex(doubt, r"wall.z_max closed on 'cube' by 1\.0[01] mm")
                    self.assertIn("of the 20.", doubt)

    def test_force_of_pressed_bodies(self):
        """No method's cube that is pressed by 0.5 mm, 2.5 % of its height, between lid and floor is doubted for its force"""
        for method in METHODS:
            if method == "rigid":
                continue  # a rigid cube has no such force
            with self.subTest(method=method):
                self.assertNotIn("rig_met_nothing", self.doubts(scene(method, 2.5e-3, floor=-0.01)))

    def test_travel_that_reaches_the_specimen(self):
        """A lid that goes twice its gap is not doubted, under any method, nor one that stands still or goes away"""
        for method in METHODS:
            for travel in (4e-3, 0.0, -1e-3):
                with self.subTest(method=method, travel=travel):
                    self.assertNotIn("rig_met_nothing", self.doubts(scene(method, travel)))

    def test_stop_rules(self):
        """Rules beyond the travel, the duration, or on a part that reaches nothing are warned of; unmet, they are doubts"""
        for method in METHODS:
            for rule, number in (({"type": "above", "series": "wall.z_max.displacement", "above": 5e-3}, "4.00 mm"),
                                 ({"type": "above", "series": "time", "above": 0.05}, "10.0 ms"),
                                 ({"type": "above", "series": "wall.x_min.displacement", "above": 1e-6}, "0 m")):
                with self.subTest(method=method, rule=rule):
                    what = scene(method, 4e-3, stop=[rule])
                    warning = self.warnings(what).get("/time/stop/0/above", "no warning")
                    self.assertIn("at most: the rule can't", warning)
                    self.assertIn(number, warning)
                    if number == "4.00 mm":
                        self.assertIn("the duration ended it at", self.doubts(what).get("stop_rule_unmet", "no such doubt"))
            with self.subTest(method=method, rule="force"):
                what = scene(method, 5e-4, stop=[{"type": "force_drop", "series": "wall.z_max.force_z", "fraction": 0.5, "above": 2}])
                self.assertIn("0 N at most", self.warnings(what).get("/time/stop/0/above", "no warning"))
                self.assertIn("above 2.00 N, but it never came beyond 0 N", self.doubts(what).get("stop_rule_unmet", "no such doubt"))
            with self.subTest(method=method, rule="met"):
                what = scene(method, 1e-3, stop=[{"type": "above", "series": "wall.z_max.displacement", "above": 5e-4}])
                self.assertNotIn("/time/stop/0/above", self.warnings(what))
                self.assertNotIn("stop_rule_unmet", self.doubts(what))

    def test_a_step_longer_than_the_duration(self):
        """A time step beyond the duration is refused with both numbers, under every method"""
        for method in METHODS:
            with self.subTest(method=method):
                result = self.run_scene(scene(method, 1e-3, time_step=0.02))
                self.assertEqual(result.code, 4, result)
                reasons = [error["detail"] for error in result.json()["errors"] if error["pointer"] == "/time/time_step"]
                self.assertEqual(len(reasons), 1)
                if method in ("rigid", "fem"):  # steps of the others are bounded by far less
                    self.assertIn("time_step 0.02 s is longer than the whole duration of 0.01 s", reasons[0])


if __name__ == "__main__":
    unittest.main()
