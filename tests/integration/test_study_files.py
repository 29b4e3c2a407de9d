"""Studies from the shell: files made of a few words, and pictures for a paper."""
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from command import scree
from lab import ROOT, Lab
from test_calibration import SLIDE, calibration, slide
from test_studies import GRAVITY, block, wait

sys.path.insert(0, str(ROOT / "api/clients/python"))
import scree as client  # noqa: E402 pylint: disable=wrong-import-position

SVG = "{http://www.w3.org/2000/svg}"


class StudyNewTest(unittest.TestCase):
    def test_a_file_of_a_scene(self):
        """every form of a range, named and unnamed factors, repetitions, a design and results make the document that is meant; it is printed without a server"""
        made = scree("study", "new", "gallery:sliding-block", "--vary", "contact.friction_coefficient=0.2..0.6/5", "--vary", "speed=/specimens/0/velocity/0=1,2",
                     "--vary", "wide=/specimens/0/shape/size/1=log:0.05..0.2/3", "--repeat", "/seed=2", "--result", "end=final(first.x)", "--result",
                     "first(first.velocity_x < 1e-6)", "--name", "slides")
        self.assertEqual(made.code, 0, made)
        self.assertIn("60 rows", made.err)
        self.assertEqual(json.loads(made.out), {
            "scree_study": 1, "name": "slides", "scene": "gallery:sliding-block",
            "factors": {"friction_coefficient": {"range": {"from": 0.2, "to": 0.6, "steps": 5}, "pointer": "contact.friction_coefficient"},
                        "speed": {"values": [1, 2], "pointer": "/specimens/0/velocity/0"},
                        "wide": {"range": {"from": 0.05, "to": 0.2, "steps": 3, "scale": "logarithmic"}, "pointer": "/specimens/0/shape/size/1"},
                        "seed": {"pointer": "/seed", "seeds": 2}},
            "results": {"end": "final(first.x)", "result": "first(first.velocity_x < 1e-6)"}})
        drawn = scree("study", "new", "gallery:sliding-block", "--vary", "contact.friction_coefficient=normal:0.4,0.02", "--design", "latin_hypercube:7")
        self.assertEqual(json.loads(drawn.out)["factors"]["friction_coefficient"]["distribution"], {"kind": "normal", "mean": 0.4, "deviation": 0.02})
        self.assertIn("7 rows", drawn.err)

    def test_what_makes_no_study(self):
        """nothing that varies, what is no range, a place that the scene lacks, a value that it refuses, and an expression that is none are refused"""
        base, results = ("study", "new", "gallery:sliding-block"), ("--result", "final(first.x)")
        for words, code, said in (((), 2, "what varies"), (("--vary", "contact.friction_coefficient"), 2, "PLACE=RANGE"),
                                  (("--vary", "a=contact.friction_coefficient=0.3", "--vary", "a=/specimens/0/velocity/0=1"), 2, "two factors"),
                                  (("--vary", "seed=contact.friction_coefficient=0.3", "--repeat", "seed=/seed=2"), 2, "two factors"),
                                  (("--vary", "contact.friction_coefficient=0.3", "--result", "d=1", "--result", "d=2"), 2, "two results"),
                                  (("--vary", "contact.friction_coefficient=1..2/1"), 2, "PLACE=RANGE"), (("--repeat", "/seed=many"), 2, "PLACE=COUNT"),
                                  (("--vary", "/nowhere/at/all=1,2"), 4, "nowhere"), (("--vary", "contact.friction_coefficient=-3"), 4, "friction"),
                                  (("--vary", "contact.friction_coefficient=0.3", "--design", "calibrate"), 2, "calibrat"),
                                  (("--vary", "contact.friction_coefficient=0.3", "--design", "sobol"), 4, "runs")):
            refused = scree(*base, *words, *results)
            self.assertEqual(refused.code, code, (words, refused))
            self.assertIn(said, refused.err)
        wrong = scree(*base, "--vary", "contact.friction_coefficient=0.3", "--result", "max(")
        self.assertEqual(wrong.code, 4, wrong)
        self.assertIn("character", wrong.err)


class StudyPythonTest(unittest.TestCase):
    def test_thirty_lines(self):
        """the guides' lines of Python for a sweep over two factors with five seeds each and a band plot run as they are; with those of a calibration each has
        fewer than 30"""
        guide = (ROOT / "api/docs/study.md").read_text(encoding="utf-8")
        sweep, = re.findall(r"```python\n(.*?)```", guide, re.S)
        calibrations = re.findall(r"```python\n(.*?)```", (ROOT / "api/docs/calibration.md").read_text(encoding="utf-8"), re.S)
        for source in (sweep, *calibrations):
            self.assertLess(len(source.splitlines()), 30)
        with Lab("--slots", 2, "--threads", 1) as lab, tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bands.svg"
            space = {"lab": client.Lab(lab.url), "print": lambda *_: None}
            exec(compile(sweep.replace("bands.svg", str(path)), "study.md", "exec"), space)  # pylint: disable=exec-used
            self.assertEqual(len(space["blocks"].rows()), 20)
            picture = xml.etree.ElementTree.parse(path).getroot()
            kinds = [p.get("class") for p in picture.iter(f"{SVG}path")]
            self.assertEqual((picture.get("width"), kinds.count("median"), kinds.count("band"), kinds.count("thin")), ("175mm", 2, 2, 20))
            texts = ["".join(t.itertext()) for t in picture.iter(f"{SVG}text")]
            self.assertIn("time (s)", texts)
            self.assertIn("speed 2", texts)


class StudyPlotTest(unittest.TestCase):
    def picture(self, lab, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plot.svg"
            done = scree("study", "plot", *words, "-o", path, "--server", lab.url)
            self.assertEqual(done.code, 0, done)
            return xml.etree.ElementTree.parse(path).getroot()

    def titles(self, picture):
        return ["".join(next(t for t in picture.iter(f"{SVG}text") if t.get("class") == axis).itertext()) for axis in "xy"]

    def test_pictures_for_a_paper(self):
        """a file that study new wrote runs; scatter, bands beside a measured curve and a Weibull plot have the width of a column, titles, units, the points that
        Coulomb's law gives, and a legend; a calibration's overlay has the measured curve and the best"""
        with Lab("--slots", 2, "--threads", 1) as lab, tempfile.TemporaryDirectory() as folder:
            scene, study = pathlib.Path(folder) / "block.json", pathlib.Path(folder) / "study.json"
            scene.write_text(json.dumps(block(0.6)), encoding="utf-8")
            done = scree("study", "new", scene, "--vary", "mu=contact.friction_coefficient=0.3,0.4,0.5", "--vary", "v=/specimens/0/velocity/0=1,2", "--result",
                         "stop=final(first.x) - initial(first.x)", "-o", study)
            self.assertEqual(done.code, 0, done)
            document = json.loads(study.read_text(encoding="utf-8"))
            document["results"]["stop"] = {"expression": document["results"]["stop"], "unit": "m"}
            study.write_text(json.dumps(document), encoding="utf-8")
            self.assertEqual(scree("study", "submit", study, "--wait", "--server", lab.url).code, 0)
            dots = self.picture(lab, "1", "-x", "mu", "-y", "stop", "--by", "v")
            self.assertEqual((dots.get("width"), self.titles(dots)), ("85mm", ["mu", "stop (mm)"]))
            groups = [[(float(c.get("cx")), float(c.get("cy"))) for c in g] for g in dots.iter(f"{SVG}g") if g.get("class") == "dots"]
            self.assertEqual([len(g) for g in groups], [3, 3])
            heights = sorted(y for g in groups for _, y in g)
            stops = sorted((v * v / (2 * mu * GRAVITY) for v in (1, 2) for mu in (0.3, 0.4, 0.5)), reverse=True)
            scale = (heights[-1] - heights[0]) / (stops[0] - stops[-1])
            for height, stop in zip(heights, stops):
                self.assertAlmostEqual(height, heights[0] + scale * (stops[0] - stop), delta=2)
            self.assertIn("v 2", ["".join(t.itertext()) for t in dots.iter(f"{SVG}text")])
            measured = pathlib.Path(folder) / "slide.csv"
            curve = slide(0.4, 2.0)
            measured.write_text("Time (s);Travel (mm)\n" + "".join(f"{t:.4f};{1e3 * x:.6f}\n" for t, x in zip(curve["x"], curve["y"])), encoding="utf-8")
            self.assertEqual(scree("measured", "add", "slide", measured, "--server", lab.url).code, 0)
            bands = self.picture(lab, "1", "--kind", "bands", "-x", "time", "-y", "first.x - initial(first.x)", "--by", "v", "--measured", "slide", "--columns", "2")
            self.assertEqual((bands.get("width"), self.titles(bands)), ("175mm", ["time (ms)", "first.x - initial(first.x) (mm)"]))
            kinds = [p.get("class") for p in bands.iter(f"{SVG}path")]
            self.assertEqual((kinds.count("band"), kinds.count("line")), (3, 6 + 2 * 2 + 1))
            self.assertIn("slide", ["".join(t.itertext()) for t in bands.iter(f"{SVG}text")])
            weibull = self.picture(lab, "1", "--kind", "weibull", "-y", "stop")
            self.assertEqual(self.titles(weibull)[0], "stop (mm)")
            self.assertEqual(len([c for c in weibull.iter(f"{SVG}circle") if c.get("cx")]), 6)
            self.assertTrue(any(re.match(r"m = [0-9.]+ \(", "".join(t.itertext())) for t in weibull.iter(f"{SVG}text")))
            for words, said in ((("1", "-x", "nu", "-y", "stop"), "'nu'"), (("1", "-x", "mu"), "which columns"), (("1", "--kind", "pie"), "pie"),
                                (("1", "--kind", "bands", "-x", "time", "-y", "first.x", "--measured", "none"), "none"),
                                (("1", "-x", "mu", "-y", "stop", "--measured", "slide"), "--kind bands")):
                refused = scree("study", "plot", *words, "--server", lab.url)
                self.assertEqual(refused.code, 2, (words, refused))
                self.assertIn(said, refused.err)
            fit = lab.json("POST", "/api/v1/studies", calibration({"slide": {**SLIDE, "measured": "slide"}}, runs=14), expect=201)["id"]
            wait(lab, fit)
            best = self.picture(lab, fit, "--kind", "overlay", "-y", "slide")
            self.assertEqual(self.titles(best), ["time (ms)", "first.x - initial(first.x) (mm)"])


if __name__ == "__main__":
    unittest.main()
