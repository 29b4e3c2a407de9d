"""What the documents show is run: the example of api/docs/scene.md, its commands and its Python."""
import html
import io
import json
import re
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from command import scree
from lab import Lab

ROOT = Path(__file__).resolve().parents[2]


class GuideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "api" / "docs" / "scene.md").read_text(encoding="utf-8")
        cls.blocks = dict(re.findall(r"```(\w+)\n(.*?)```", cls.text, re.S))
        cls.folder = tempfile.TemporaryDirectory(prefix="scree-docs-")
        cls.root = Path(cls.folder.name)
        (cls.root / "crush.json").write_text(cls.blocks["json"], encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_example(self):
        """The scene of the guide is accepted without a warning and does what its text says: nodes, steps, peak force, an early end"""
        checked = scree("check", self.root / "crush.json", "--json")
        self.assertEqual(checked.code, 0, checked)
        self.assertEqual(checked.json()["warnings"], [])
        nodes, steps = map(int, re.search(r"it takes (\d+) nodes and about (\d+) steps", self.text).groups())
        self.assertEqual(checked.json()["estimate"]["node_count"], nodes)
        self.assertAlmostEqual(checked.json()["estimate"]["step_count"] / steps, 1, delta=0.1)
        run = scree("run", self.root / "crush.json", "-o", self.root / "crush", "--json")
        self.assertEqual(run.code, 0, run)
        said = float(re.search(r"rises to\s+(\d+) N", self.text)[1])
        self.assertAlmostEqual(run.json()["headlines"][0]["value"], said, delta=0.5)
        self.assertIn("fell to", run.json()["message"])
        self.assertLess(run.json()["sim_time"], 60e-6)

    def test_page(self):
        """The guide as a page has the example's text, whole, and bold words where the Markdown has them, code within too"""
        sys.path.insert(0, str(ROOT / "deploy"))
        import markdown  # pylint: disable=import-outside-toplevel
        page = markdown.page(self.text)
        self.assertIn(html.escape(self.blocks["json"].rstrip()), page)
        self.assertIn("<strong><code>name</code></strong> is short and used in file names, <strong><code>title</code></strong>", page)
        self.assertNotIn("**", page)
        self.assertNotIn("`", re.sub(r"<pre>.*?</pre>", "", page, flags=re.S))

    def test_methods(self):
        """Every method has a page with a picture, equations, limits, numbers of the validation reports and each of its options; no link of any page is dead"""
        methods = scree("methods", "--json").json()
        with Lab("--slots", 1) as lab:
            pages = {}

            def get(path):
                if path not in pages:
                    status, _, content = lab.request("GET", path)
                    self.assertEqual(status, 200, path)
                    pages[path] = content
                return pages[path] if isinstance(pages[path], str) or path.endswith((".webp", ".png")) else pages[path].decode()

            for method in methods:
                page = get(f"/guide/methods/{method['name']}")
                self.assertRegex(page, r'<img src="/assets/gallery/[\w-]+\.webp" alt="\w', method["name"])
                for heading in ("equations", "a-step", "limits", "validation", "takes"):
                    self.assertIn(f'<h2 id="{heading}">', page, method["name"])
                self.assertRegex(page, "<math", method["name"])
                checked = re.search(r'<h2 id="validation">(.*?)<h2', page, re.S)[1]
                self.assertGreater(len(re.findall(r"<td>holds</td>", checked)), 3, method["name"])
                self.assertNotIn("have nothing on", checked, method["name"])
                for option in method["options"]:
                    self.assertIn(f'"/reference#key.options.{method["name"]}.{option["name"]}"', page)
            self.assertIn("/guide/methods/fem", get("/guide"))
            for path in ["/guide", "/guide/methods", *(f"/guide/methods/{method['name']}" for method in methods)]:
                for link in set(re.findall(r'(?:href|src)="([^"]+)"', get(path))):
                    target, _, place = link.partition("#")
                    text = get(target or path)
                    if place:
                        self.assertEqual(text.count(f'id="{place}"'), 1, f"{link} of {path}")

    def test_formulas(self):
        """Formulas become MathML of the same meaning; what the converter does not know, or half a formula, is an error at the build"""
        sys.path.insert(0, str(ROOT / "deploy"))
        import mathml  # pylint: disable=import-outside-toplevel
        self.assertEqual(mathml.inline(r"\frac{a_i^2}{2} \le \sqrt{\mu}"),
                         "<math><mfrac><mrow><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup></mrow><mrow><mn>2</mn></mrow></mfrac><mo>≤</mo><msqrt><mrow><mi>μ</mi></mrow></msqrt></math>")
        for bad in (r"\nonsense", "a_{b", "a}", r"\frac{a}"):
            with self.assertRaises(ValueError, msg=bad):
                mathml.inline(bad)

    def test_commands(self):
        """Every command of the guide's lines and sentences is one that scree takes"""
        lines = re.findall(r"^    (scree .*?)(?:  +#.*)?$", self.text, re.M) + re.findall(r"`(scree [^`]+)`", self.text)
        self.assertGreater(len(lines), 6)
        for line in lines:
            words = line.split(" > ")[0].split()[1:]
            understood = scree(*words, "--help")
            self.assertEqual(understood.code, 0, line)

    def test_python(self):
        """The guide's Python runs against a server as it stands and prints three rising forces"""
        with Lab("--slots", 1) as lab:
            source = self.blocks["python"].replace("http://127.0.0.1:8080", lab.url).replace('"crush.json"', repr(str(self.root / "crush.json")))
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(source, "api/docs/scene.md", "exec"), {})  # pylint: disable=exec-used
        forces = [float(line.split()[1]) for line in out.getvalue().splitlines()]
        self.assertEqual(forces, sorted(forces))
        self.assertEqual(len(set(forces)), 3)

    def test_readme(self):
        """The Python of README.md runs too"""
        source = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[1]
        with Lab("--slots", 1) as lab:
            quick = json.dumps(Lab.small_scene())
            source = source.replace("http://127.0.0.1:8080", lab.url).replace('lab.gallery()["hollow-sphere-crush"]', f"__import__('json').loads('''{quick}''')")
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(source, "README.md", "exec"), {})  # pylint: disable=exec-used
        self.assertRegex(out.getvalue(), r"^[\d.e-]+ N at most\n$")


if __name__ == "__main__":
    unittest.main()
