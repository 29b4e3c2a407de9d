"""Calibrations through all layers: hidden parameters found from curves that are known by theory, whatever becomes of the daemon meanwhile; a block that
slides to rest, for which Coulomb's law gives x = v t - mu g t^2 / 2."""
import random
import re
import sys
import time
import unittest

from command import scree
from lab import PATIENCE, ROOT, Lab
from test_studies import GRAVITY, block, job_count, rows, wait

sys.path.insert(0, str(ROOT / "api/clients/python"))
import scree as client  # noqa: E402 pylint: disable=wrong-import-position

SLIDE = {"x": "time", "y": "first.x - initial(first.x)"}


def slide(mu, speed, count=60, noise=0.0):
    """Samples of x over time, with noise of a fixed seed."""
    rest, draw = speed / (mu * GRAVITY), random.Random(7)
    t = [0.01 * i for i in range(count)]
    return {"x": t, "y": [speed * min(s, rest) - mu * GRAVITY * min(s, rest) ** 2 / 2 + draw.gauss(0, noise) for s in t]}


def calibration(targets, factors=None, **design):
    return {"scree_study": 1, "name": "slide", "scene": block(0.6), "results": {"end": "final(first.x)"},
            "factors": factors or {"mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.1, "to": 0.9}}},
            "design": {"kind": "calibrate", "targets": targets} | design}


class CalibrationTest(unittest.TestCase):
    def test_hidden_parameters_are_found_though_the_daemon_is_killed(self):
        """friction and speed of a noisy curve lie in their intervals, a parameter without effect is called undetermined; with three kills meanwhile the
        search asks for the same points as without one"""
        factors = {"mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.2, "to": 0.6}},
                   "speed": {"pointer": "/specimens/0/velocity/0", "range": {"from": 1, "to": 3}, "unit": "m/s"},
                   "idle": {"pointer": "/specimens/0/velocity/1", "range": {"from": 0, "to": 1e-9}}}
        targets = {"slide": {**SLIDE, "measured": slide(0.4, 2.0, noise=0.02), "scatter": 0.02, "points": 40}}
        document = calibration(targets, factors, runs=36) | {"limits": {"at_once": 1}}
        lab = Lab("--slots", 1, "--threads", 1).start()
        try:
            number = lab.json("POST", "/api/v1/studies", document, expect=201)["id"]
            for kill in range(3):
                end = time.monotonic() + 60 * PATIENCE
                while lab.json("GET", f"/api/v1/studies/{number}")["rows"]["succeeded"] < 8 * (kill + 1):
                    self.assertLess(time.monotonic(), end, lab.errors())
                    time.sleep(0.02)
                lab.kill()
                lab.start()
            wait(lab, number)
            found = lab.json("GET", f"/api/v1/studies/{number}/calibration?level=0.95", expect=200)
            parameters = {p["name"]: p for p in found["estimate"]["parameters"]}
            for name, hidden in (("mu", 0.4), ("speed", 2.0)):
                self.assertTrue(parameters[name]["low"] <= hidden <= parameters[name]["high"], parameters[name])
                self.assertLess(parameters[name]["share"], 0.35, parameters[name])
                self.assertFalse(parameters[name]["undetermined"])
            self.assertTrue(parameters["idle"]["undetermined"])
            self.assertIn("does not determine idle", found["estimate"]["words"])
            self.assertEqual((found["ended"], found["points"]["known"], found["points"]["out"]), (True, 36, 0))
            overlay = lab.json("GET", f"/api/v1/studies/{number}/overlay", expect=200)["targets"][0]
            self.assertEqual((len(overlay["measured"]["x"]), len(overlay["best"]), len(overlay["best"][0]["y"])), (40, 1, 40))
            first = [row["factors"] for row in rows(lab, number)]
            undisturbed = lab.json("POST", "/api/v1/studies", document, expect=201)["id"]
            wait(lab, undisturbed)
            second = rows(lab, undisturbed)
            self.assertEqual([row["factors"] for row in second], first)
            self.assertTrue(all(row["taken_over"] for row in second))
            self.assertEqual(job_count(lab), 36)
            again = lab.json("GET", f"/api/v1/studies/{undisturbed}/calibration?level=0.95", expect=200)
            self.assertEqual((again["estimate"], again["best"], again["history"]), (found["estimate"], found["best"], found["history"]))
        finally:
            lab.close()

    def test_two_tests_share_an_unknown_with_repeated_seeds(self):
        """a number and a curve in two scenes with one friction and two seeds each: four rows a point, and the friction that both were made with"""
        other = block(0.6)
        other["specimens"][0]["velocity"] = [1, 0, 0]
        document = calibration({"curve": {**SLIDE, "scene": "fast", "measured": slide(0.5, 2.0), "scatter": 0.01},
                                "stop": {"scene": "slow", "expression": "final(first.x) - initial(first.x)", "value": 1 / (2 * 0.5 * GRAVITY), "scatter": 0.002}},
                               {"mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.2, "to": 0.8}},
                                "seed": {"pointer": "/title", "values": ["a"]}}, runs=36, start_points=4)
        fast = document.pop("scene")
        fast["specimens"][0]["velocity"] = [2, 0, 0]
        document["scenes"] = {"fast": fast, "slow": other}
        with Lab("--slots", 2, "--threads", 1) as lab:
            refused = lab.json("POST", "/api/v1/studies/check", document, expect=422)
            self.assertEqual([e["pointer"] for e in refused["errors"]], ["/factors/seed"])
            document["factors"]["seed"] = {"pointer": "/specimens/0/no_such_seed", "seeds": 2}
            self.assertIn("no_such_seed", str(lab.json("POST", "/api/v1/studies/check", document, expect=422)["errors"]))
            document["factors"]["seed"] = {"pointer": "/seed", "seeds": 2}
            number = lab.json("POST", "/api/v1/studies", document, expect=201)["id"]
            wait(lab, number)
            found = lab.json("GET", f"/api/v1/studies/{number}/calibration", expect=200)
            self.assertEqual((found["runs_each"], found["history"][0]["rows"], found["history"][1]["rows"]), (4, [1, 4], [5, 8]))
            mu = found["estimate"]["parameters"][0]
            self.assertAlmostEqual(mu["best"], 0.5, delta=0.02)
            self.assertTrue(mu["low"] <= 0.5 <= mu["high"], mu)
            table = rows(lab, number)
            self.assertEqual([row["factors"]["scene"] for row in table[:4]], ["fast", "fast", "slow", "slow"])
            self.assertEqual([row["factors"]["seed"] for row in table[:4]], [1, 2, 1, 2])
            stop = lab.json("GET", f"/api/v1/studies/{number}/overlay", expect=200)["targets"][1]
            self.assertAlmostEqual(stop["best"][0], 1 / (2 * 0.5 * GRAVITY), delta=0.004)

    def test_what_can_not_be_calibrated_is_said(self):
        """every reason at once for a document; a target that no run has stops the study with the reason; other designs are no calibrations"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            bad = calibration({"a": {**SLIDE, "measured": "nothing", "weight": -1}, "b": {"expression": "max(", "value": 1}, "c": 3}, {
                "mu": {"pointer": "/contact/friction_coefficient", "values": [1, 2]}}, runs=3, method="magic", what=1)
            pointers = {e["pointer"] for e in lab.json("POST", "/api/v1/studies/check", bad, expect=422)["errors"]}
            self.assertLessEqual({"/factors/mu", "/factors", "/design/targets/a/measured", "/design/targets/a/weight", "/design/targets/b/expression",
                                  "/design/targets/b/scatter", "/design/targets/c", "/design/method", "/design/what"}, pointers)
            few = calibration({"a": {**SLIDE, "measured": slide(0.5, 2)}}, runs=5)
            self.assertIn("/design/runs", {e["pointer"] for e in lab.json("POST", "/api/v1/studies", few, expect=422)["errors"]})
            none = calibration({"a": {"x": "time", "y": "nowhere", "measured": slide(0.5, 2)}}, runs=20)
            self.assertIn(("/design/targets/a", '"nowhere"'), [(e["pointer"], e["given"]) for e in lab.json("POST", "/api/v1/studies", none, expect=422)["errors"]])
            none = calibration({"a": {"x": "time", "y": "1 / (first.x * 0)", "measured": slide(0.5, 2)}}, runs=20)
            number = lab.json("POST", "/api/v1/studies", none, expect=201)["id"]
            stopped = wait(lab, number, ("stopped",))
            self.assertIn("the target 'a' can't be compared", stopped["reason"])
            self.assertIsNone(lab.json("GET", f"/api/v1/studies/{number}/calibration", expect=200)["best"])
            lab.json("POST", f"/api/v1/studies/{number}/rows", [{"mu": 0.3}], expect=422)

    def test_units_of_targets(self):
        """a curve in millimetres and a number in centimetres are converted; a force against a length is refused with both units named before anything runs"""
        curve = slide(0.4, 1.0)
        in_mm = {"x": curve["x"], "y": [1e3 * y for y in curve["y"]], "x_unit": "s", "y_unit": "mm", "scatter": [2.0] * 60}
        stop = {"expression": "final(first.x) - initial(first.x)", "value": 100 / (2 * 0.4 * GRAVITY), "scatter": 0.2, "unit": "cm"}
        base = block(0.6)
        base["specimens"][0]["velocity"] = [1, 0, 0]
        with Lab("--slots", 2, "--threads", 1) as lab:
            both = calibration({"slide": {**SLIDE, "measured": in_mm}, "stop": stop}, runs=14) | {"scene": base}
            number = lab.json("POST", "/api/v1/studies", both, expect=201)["id"]
            wait(lab, number)
            found = lab.json("GET", f"/api/v1/studies/{number}/calibration", expect=200)["estimate"]["parameters"][0]
            self.assertAlmostEqual(found["best"], 0.4, delta=0.01)
            targets = lab.json("GET", f"/api/v1/studies/{number}/overlay", expect=200)["targets"]
            self.assertEqual((targets[0]["measured"]["x_unit"], targets[0]["measured"]["y_unit"]), ("s", "m"))
            self.assertAlmostEqual(targets[1]["measured"]["value"], 1 / (2 * 0.4 * GRAVITY), delta=1e-9)
            for wrong, named in (({"slide": {**SLIDE, "measured": in_mm | {"y_unit": "kN"}}}, ("y was measured in N", "first.x - initial(first.x) is in m")),
                                 ({"stop": stop | {"unit": "MPa"}}, ("the number was measured in Pa", "is in m"))):
                errors = lab.json("POST", "/api/v1/studies", calibration(wrong, runs=14) | {"scene": base}, expect=422)["errors"]
                self.assertEqual([e["pointer"] for e in errors], [f"/design/targets/{name}" for name in wrong])
                for words in named:
                    self.assertIn(words, errors[0]["detail"])
            unknown = calibration({"stop": stop | {"unit": "furlong"}}, runs=14)
            self.assertIn("/design/targets/stop/unit", str(lab.json("POST", "/api/v1/studies/check", unknown, expect=422)["errors"]))

    def test_from_a_file_by_python_and_the_shell(self):
        """the guide's lines of Python calibrate to a file of a testing machine; an own search by ask and tell does too; the shell prints what was found"""
        measured = slide(0.4, 1.0)
        text = "Time (s);Travel (mm)\n" + "".join(f"{t:.4f};{1e3 * x:.6f}\n" for t, x in zip(measured["x"], measured["y"]))
        guide = (ROOT / "api/docs/calibration.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", guide, re.S)
        self.assertEqual(len(blocks), 2)
        with Lab("--slots", 2, "--threads", 1) as lab:
            scene = block(0.6)
            scene["specimens"][0]["velocity"] = [1, 0, 0]
            space = {"lab": client.Lab(lab.url), "scene": scene, "file": text.encode(), "print": lambda *_: None}
            for source in blocks:
                exec(compile(source, "calibration.md", "exec"), space)  # pylint: disable=exec-used
            self.assertAlmostEqual(space["study"].best()["mu"], 0.4, delta=0.02)
            self.assertAlmostEqual(space["best"], 0.4, delta=0.05)
            shown = scree("study", "calibration", "1", "--server", lab.url)
            self.assertEqual(shown.code, 0, shown)
            self.assertRegex(shown.out, r"mu +0\.(39|40|41)")
            self.assertEqual(scree("study", "calibration", "1", "--server", lab.url, "--json").json()["points"]["out"], 0)
            self.assertEqual(scree("study", "calibration", "2", "--server", lab.url).code, 4)  # that one is no calibration


if __name__ == "__main__":
    unittest.main()
