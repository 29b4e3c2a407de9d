"""Committed reports: sections say of which code they are, none is lost, and their age by commits is known."""
import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lab import ROOT


sys.path.insert(0, str(ROOT / "tests"))  # where the reports' modules find each other


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ReportsTest(unittest.TestCase):
    def test_sections_stay(self):
        """a section whose program did not run stays as it was, and one whose program is gone stays and says so"""
        reports = load(ROOT / "tests" / "validation_report.py")
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "REPORT.md"
            report.write_text("# Validation report\n\n## validate_linalg (3 s)\n\n### A claim: holds\n\n## validate_lost (9 s)\n\n### Another: holds\n", encoding="utf-8")
            output = ("# claim: a\t1\t1\t1 %\tconservation of energy\tholds\n# claim: b\t1\t1\t1 %\tabove\tholds\n"
                      "# claim: c\t1\t1\t1 %\tTada, Paris, Irwin 2000\tholds\n# claim: d\t2\t\t\t\tmeasured, not checked\nok 1 - test_x")
            for _ in range(2):
                reports.write_report(report, [("validate_contact_law", [(True, "test_x")], ["test_slow_part"], output, 2.0)])
            text = report.read_text(encoding="utf-8")
        self.assertIn("## validate_linalg (3 s)\n\n### A claim: holds\n", text)
        self.assertIn("## validate_lost (9 s)", text)
        self.assertIn("### Another: holds", text)
        self.assertEqual(text.count(reports.GONE), 1)
        self.assertRegex(text, r"## validate_contact_law \(2 s\)\n\nCommit `[^`]+`, \d{4}-\d\d-\d\d, .+ cores, 2 s\.\n")
        self.assertIn("| contact | 0 | 0 | 0 | 2 | 1 | 0 | 0 | 1 | 1 | 0 |", text)  # columns as KINDS from behind, after closed forms
        self.assertIn("- validate_contact_law: slow part\n", text)

    def test_written(self):
        """a report has commit, date, machine and time below each heading; what is not printed this time stays; a program that fails changes nothing"""
        stamp = r"Commit `[0-9a-f]{7,}(-dirty)?`, \d{4}-\d\d-\d\d, .+ cores, \d+ s\. Load \d+\.\d before it began\.\n"

        def write(report, text, to_file=False, status=0):
            code = f"import sys; {'open(sys.argv[1], chr(119)).write' if to_file else 'sys.stdout.write'}({text!r}); sys.exit({status})"
            words = [sys.executable, "-c", code] + ["{}"] * to_file
            return subprocess.run([sys.executable, str(ROOT / "tests" / "write_report.py"), str(report), *words], capture_output=True, check=False).returncode

        with tempfile.TemporaryDirectory() as folder:
            whole, parts = Path(folder) / "WHOLE.md", Path(folder) / "PARTS.md"
            self.assertEqual(write(whole, "# Speed\n\nOne row.\n", to_file=True), 0)
            self.assertRegex(whole.read_text(), rf"^# Speed\n\n{stamp}\nOne row\.\n$")
            self.assertEqual(write(parts, "# Speed\n\nWords.\n\n## Ours\n\nfirst\n\n## Theirs\n\nslow\n"), 0)
            self.assertRegex(parts.read_text(), rf"^# Speed\n\nWords\.\n\n## Ours\n\n{stamp}\nfirst\n\n## Theirs\n\n{stamp}\nslow\n$")
            theirs = parts.read_text().split("## Theirs")[1].replace(" s. Load", "9 s. Load")
            parts.write_text(parts.read_text().split("## Theirs")[0] + "## Theirs" + theirs)
            self.assertEqual(write(parts, "# Speed\n\nOther words.\n\n## Ours\n\nsecond\n\n## New\n\nthird\n"), 0)
            self.assertRegex(parts.read_text(), rf"^# Speed\n\nOther words\.\n\n## Ours\n\n{stamp}\nsecond\n\n## Theirs\n\n(?s:.+)## New\n\n{stamp}\nthird\n$")
            self.assertIn("## Theirs" + theirs, parts.read_text())
            before = parts.read_text()
            self.assertEqual(write(parts, "# Speed\n\n## Ours\n\nhalf\n", status=3), 3)
            self.assertEqual(parts.read_text(), before)
            self.assertEqual(write(whole, "# Speed\n\nA row misses.\n", to_file=True, status=1), 1)
            self.assertIn("A row misses.", whole.read_text())

    def test_each_section_says_of_what_it_is(self):
        """every section of every committed report says commit and date; planted faults say them in each row, totals are counted from the sections"""
        said = re.compile(r"[Cc]ommit `?[0-9a-f]{7,40}[^|]*20\d\d-\d\d-\d\d")
        for report in sorted((ROOT / "tests" / "reports").glob("[bv]*/*.md")):
            head, *sections = re.split(r"(?m)^(?=## )", report.read_text(encoding="utf-8"))
            for section in sections or [head]:
                title = section.split("\n", 1)[0]
                if title != "## Totals":
                    self.assertRegex(section, said, f"{report.name}: {title}")

    def test_scripts_find_their_modules(self):
        """every script of benches, studies and comparisons finds the modules of ours that it imports: some had not run since those had moved"""
        scripts = [path for folder in ("bench", "studies", "comparisons") for path in sorted((ROOT / "tests" / folder).glob("*.py"))]
        self.assertGreater(len(scripts), 15)
        for path in scripts:
            code = f"import runpy, sys; sys.path[0] = {str(path.parent)!r}; runpy.run_path({str(path)!r}, run_name='imported')"
            done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=False)
            lost = re.search(r"No module named '([^']+)'", done.stderr)
            if lost and not list(ROOT.glob(f"tests/**/{lost[1].split('.')[0]}.py")):
                continue  # another program's, which may be absent
            self.assertEqual(done.returncode, 0, f"{path.name}: {done.stderr[-600:]}")

    def test_checks_are_there(self):
        """each program that a page of acceptance checks names is there"""
        tests = ROOT / "tests"
        sources = {path.stem for folder in ("unit", "validation", "integration", "fuzz", "bench", "browser") for path in (tests / folder).glob("**/*.*")}
        targets = set(re.findall(r"(?m)^([a-z0-9-]+):", "".join(path.read_text(encoding="utf-8") for path in (ROOT / "deploy").glob("*.mk"))))
        pages = sorted((tests / "validation").glob("*/CHECKS.md"))
        self.assertEqual([page.parent.name for page in pages], ["bdem", "contact", "fem", "fibre", "granular", "lsdem", "peridem"])
        for page in pages:
            text = page.read_text(encoding="utf-8")
            named = {name for name in re.findall(r"\b(?:validate|test|bench)_[a-z0-9_]+\b", text) if not name.endswith("_")}
            self.assertGreater(len(named), 8, page)
            self.assertEqual(sorted(named - sources), [], page)
            self.assertEqual(sorted(set(re.findall(r"make ((?:study|bench)-[a-z0-9-]+)", text)) - targets), [], page)

    def test_age(self):
        """every section of the validation report and every bench report has code that it speaks of, and an age where the history is known"""
        ages = load(ROOT / "tests" / "reports_age.py")
        for report in sorted((ROOT / "tests" / "reports").glob("[bv]*/*.md")):
            self.assertIsNotNone(ages.code_of(str(report.relative_to(ROOT)), ""), report.name)
        for place, folders in ages.CODE.items():
            self.assertTrue(all((ROOT / folder).exists() for folder in folders), place)
        done = subprocess.run([sys.executable, str(ROOT / "tests" / "reports_age.py"), "--oldest", "5"], capture_output=True, text=True, check=True)
        self.assertLessEqual(len(done.stdout.splitlines()), 5)

    def test_plan(self):
        """what is behind is known by name: a program without a section always, one whose section is as new as the code never"""
        ages = load(ROOT / "tests" / "reports_age.py")
        if ages.is_shallow():
            self.skipTest("no whole history here")
        programs = {path.stem for end in ("c", "py") for path in (ROOT / "tests" / "validation").glob(f"**/validate_*.{end}")}
        took = ages.times()
        self.assertGreater(len(set(took) & programs), 50)
        self.assertEqual(set(ages.stale_programs(-1)), programs)  # at any age
        self.assertEqual(set(ages.stale_programs(10**9)), programs - set(took))  # at none
        self.assertTrue(set(ages.stale_programs(10**9)) <= set(ages.stale_programs()) <= programs)
        for report, command in ages.COMMANDS.items():
            self.assertTrue((ROOT / report).exists(), report)
            target = command.split()[1] if command.startswith("make") else ""
            self.assertRegex((ROOT / "deploy" / "bench.mk").read_text(encoding="utf-8") + (ROOT / "deploy" / "lint.mk").read_text(encoding="utf-8"),
                             rf"(?m)^{target}:", report) if target else None


if __name__ == "__main__":
    unittest.main()
