"""The build and the runner of tests, each on a made-up project of a few lines: what is made anew, what is printed, what counts as a failure."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-build-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text, executable=False):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if executable:
            file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def run_in(self, *command, expect=0, **variables):
        environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "SANITIZE", "CC", "SCREE_BUILD", "V")}
        done = subprocess.run([str(word) for word in command], cwd=self.root, text=True, capture_output=True, env={**environment, **variables})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout.splitlines()


class MakeTest(Project):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "Makefile", self.root)
        for name in ("run/run", "base/text"):
            self.write(f"core/{name}.c", f"int {name.replace('/', '_')}(void);\nint {name.replace('/', '_')}(void)\n{{\n  return 1;\n}}\n")

    def make(self, *arguments, **variables):
        return self.run_in("make", "--no-print-directory", "build/libscree.a", *arguments, **variables)

    def test_short_lines(self):
        """make prints a short line per file, V=1 the whole command of gcc, and nothing where nothing is to be done"""
        lines = self.make()
        self.assertIn("CC core/run/run.c", lines)
        self.assertEqual(lines[-1], "AR build/libscree.a")
        self.assertEqual(self.make(), [])
        os.utime(self.root / "core/run/run.c")
        whole = self.make("V=1")
        self.assertTrue(any(line.startswith("gcc ") and "-c core/run/run.c" in line for line in whole), whole)

    def test_changed_flags(self):
        """Other flags or another compiler make every object anew"""
        self.make()
        self.assertEqual(len([line for line in self.make(CPPFLAGS="-DOTHER") if line.startswith("CC ")]), 2)
        self.assertEqual(self.make(CPPFLAGS="-DOTHER"), [])
        self.assertEqual(len([line for line in self.make("CC=gcc -D_C99", CPPFLAGS="-DOTHER") if line.startswith("CC ")]), 2)

    def test_removed_source(self):
        """A removed source leaves its archive"""
        self.make()
        (self.root / "core/base/text.c").unlink()
        self.assertEqual(self.make(), ["AR build/libscree.a"])
        self.assertEqual(self.run_in("ar", "t", "build/libscree.a"), ["run.o"])


# A shell's test that passes once another one has begun, and not before.
MEET = "touch {mine}; for i in $(seq 600); do [ -e {other} ] && break; sleep 0.1; done; [ -e {other} ] && echo 'ok 1 - met'\n"


class RunnerTest(Project):
    def setUp(self):
        super().setUp()
        for name in ("run.py", "validation_report.py", "provenance.py", "reports_age.py", "suites.py", "support/tap.py"):
            self.write(f"tests/{name}", (ROOT / "tests" / name).read_text())

    def unit(self, name, script):
        self.write(f"tests/unit/area/{name}.c", "")
        self.write(f"build/tests/unit/{name}", "#!/bin/sh\n" + script, executable=True)

    def test_flaky(self):
        """A suite that fails and passes when it is run again has failed"""
        self.write("tests/integration/test_flaky.py", f"""import unittest
from pathlib import Path
class Flaky(unittest.TestCase):
    def test_once(self):
        mark = Path({str(self.root)!r}) / "mark"
        again = mark.exists()
        mark.touch()
        self.assertTrue(again)
""")
        lines = self.run_in(sys.executable, "tests/run.py", "integration", expect=1)
        self.assertEqual(lines[-1], "0 passed, 1 failed")
        self.assertIn("all passes", "".join(lines))

    def test_side_by_side(self):
        """Programs run side by side; skipped cases and parts that were left out are named and not counted; the last line counts the rest"""
        self.unit("test_a", MEET.format(mine="a", other="b"))
        self.unit("test_b", MEET.format(mine="b", other="a") + "echo 'ok 2 # SKIP needs much'\necho '# left out: the larger half'\n")
        lines = self.run_in(sys.executable, "tests/run.py", "--jobs", 2, "unit")
        first = [line.split(":")[0] for line in lines]
        self.assertIn("ok   unit/test_a", first)
        at = first.index("ok   unit/test_b")
        self.assertTrue(lines[at].endswith("2 skipped"), lines)
        self.assertEqual([line.strip() for line in lines[at + 1:at + 3]], ["skipped: needs much", "skipped: the larger half"])
        self.assertRegex(lines[-2], r"^\d+ s, \d+ s of processors; longest: test_")
        self.assertEqual(lines[-1], "2 passed, 0 failed")

    def test_lanes(self):
        """Scripts of the integration run two at a time, beside those of the browser and programs of units"""
        self.unit("test_first", MEET.format(mine="first", other="c"))
        for mine, other in (("a", "b"), ("b", "a")):
            self.write(f"tests/integration/test_{mine}.py", f"""import subprocess, unittest
class Meets(unittest.TestCase):
    def test_meets(self):
        self.assertIn("ok 1", subprocess.run(["sh", "-c", {MEET.format(mine=mine, other=other)!r}], capture_output=True, text=True).stdout)
""")
        self.write("tests/browser/test_c.mjs", f"""import {{ execFileSync }} from "node:child_process";
console.log(execFileSync("sh", ["-c", {MEET.format(mine="c", other="first")!r}]).toString());
""")
        self.assertEqual(self.run_in(sys.executable, "tests/run.py")[-1], "4 passed, 0 failed")

    def test_rows(self):
        """A row of the validation report without a verdict counts as a failure"""
        rows = ("length, m\t1\t1\t1 %\ta ruler\tholds", "mass, kg\t2\t3\t\t\t")
        self.unit("test_a", "".join(f"echo '# claim: {row}'\n" for row in rows) + "echo 'ok 1 - fine'\n")
        lines = self.run_in(sys.executable, "tests/run.py", "unit", expect=1)
        self.assertEqual(lines[-1], "1 passed, 1 failed")
        self.assertIn("FAILED: has a verdict on: mass, kg", "".join(lines))

    def test_scripts(self):
        """A validation script's numbers and its docstring are in the report, one out of its tolerance fails its case, and a slow case is skipped with its reason unless it is asked for"""
        self.write("tests/support/claims.py", (ROOT / "tests/support/claims.py").read_text())
        self.write("tests/validation/validate_ball.py", '''from claims import Claims
class Ball(Claims):
    def test_slow(self):
        """a ball is round

        To a thousandth,
        as its maker says."""
        self.slow("a minute")
        self.claim_shown("mass, kg", 2)
        self.claim_relative("radius, m", 1.0005, 1, 1e-3, "the maker")
    def test_wrong(self):
        """a ball is no cube"""
        self.claim_between("corners", float("nan"), 0, 1, "a ball")
''')
        command = sys.executable, "tests/run.py", "--report", "report.md", "validation"
        lines = self.run_in(*command, expect=1, SCREE_SLOW="")
        self.assertIn("     skipped: a ball is round (a minute; SCREE_SLOW=1 runs it)", lines)
        self.assertEqual(lines[-1], "0 passed, 1 failed")
        self.assertNotIn("radius", (self.root / "report.md").read_text())
        self.assertEqual(self.run_in(*command, expect=1, SCREE_SLOW="1")[-1], "1 passed, 1 failed")
        report = (self.root / "report.md").read_text()
        for line in ("### A ball is round: holds", "To a thousandth, as its maker says.", "| mass, kg | 2 |  |  |  | measured, not checked |",
                     "| radius, m | 1.0005 | 1 | 0.1 % | the maker | holds |", "### A ball is no cube: FAILS", "| corners | nan | 0 to 1 | in the range | a ball | FAILS |"):
            self.assertIn(line, report)

    def test_reasons(self):
        """Of a failed command its failed claims come with their reasons, however much is logged after them, and again before the last line"""
        self.unit("test_a", "echo 'not ok 1 - holds'; echo '# because of this'; echo 'ok 2 - fine'; seq -f 'log %g' 200\n")
        lines = self.run_in(sys.executable, "tests/run.py", "unit", expect=1)
        at = lines.index("     | not ok 1 - holds")
        self.assertEqual(lines[at + 1], "     | # because of this")
        self.assertIn("     : log 200", lines)
        self.assertNotIn("     : log 100", lines)
        self.assertEqual(lines[-2:], ["FAILED unit/test_a: holds", "1 passed, 1 failed"])

    def test_deaths(self):
        """A program that dies, one without cases and one that was never built each count as a failure"""
        self.unit("test_a", "echo 'ok 1 - fine'; kill -9 $$\n")
        self.unit("test_b", "true\n")
        self.write("tests/unit/area/test_c.c", "")
        self.assertEqual(self.run_in(sys.executable, "tests/run.py", "unit", expect=1)[-1], "1 passed, 3 failed")


if __name__ == "__main__":
    unittest.main()
