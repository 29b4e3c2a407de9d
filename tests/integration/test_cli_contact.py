"""`scree contact`: problems solved, judged and compared on the command line."""
import tempfile
import unittest
from pathlib import Path

from command import scree
from lab import ROOT

DATA = ROOT / "tests" / "data" / "dcfp"


class Contact(unittest.TestCase):
    def setUp(self):
        own = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(own.cleanup)
        self.folder = Path(own.name)

    def test_solve(self):
        """solve prints what it found and writes the problem with its solution, as HDF5 or text; merit agrees with it"""
        for name in ("solved.hdf5", "solved.txt"):
            out = self.folder / name
            result = scree("contact", "solve", DATA / "arch_11.hdf5", "-t", "1e-8", "-o", out, "--json")
            self.assertEqual(result.code, 0, result)
            found = result.json()
            self.assertEqual(found["status"], "solved")
            self.assertLess(found["residual"], 1e-8)
            self.assertEqual(found["open"] + found["sticking"] + found["sliding"], 48)
            merit = scree("contact", "merit", out, "--json").json()
            self.assertEqual(merit["residual"], found["residual"])
            self.assertLess(merit["velocity_error"], 1e-12)
        text = scree("contact", "solve", self.folder / "solved.txt")
        self.assertIn("48 contacts in 3 dimensions", text.out)
        self.assertRegex(text.out, r"merit +\S+ as FCLIB defines it, \S+ as FCLIB codes it")

    def test_left(self):
        """a problem that a solver leaves ends with 1 and the best point; one without solution says what is suspected"""
        left = scree("contact", "solve", DATA / "boxstack_06_r1e6.hdf5", "--solver", "gauss-seidel", "--limit", "20")
        self.assertEqual(left.code, 1)
        self.assertIn("not solved", left.out)
        blocked = self.folder / "blocked.txt"
        self.assertEqual(scree("contact", "solve", DATA / "wedge_mu01.hdf5", "-o", blocked).code, 0)
        head, tail = blocked.read_text().split("friction\n")
        blocked.write_text(head + "friction\n0.8\n0.8\n" + tail.split("\n", 2)[2])
        result = scree("contact", "solve", blocked, "--json")
        self.assertEqual((result.code, result.json()["status"]), (1, "no solution suspected"))

    def test_bad_usage(self):
        """unknown actions, solvers, files and options end with 2 and say what is possible"""
        for arguments in (["lose", DATA / "arch_11.hdf5"], ["solve", self.folder / "none"], ["solve", ROOT / "README.md"],
                          ["solve", DATA / "arch_11.hdf5", "--solver", "magic"], ["solve", DATA / "arch_11.hdf5", "-t", "2"],
                          ["merit", DATA / "sph_100b_0.hdf5"], ["bench", self.folder], ["bench", self.folder / "none"],
                          ["bench", DATA, "--solver", "admm,magic"], ["solve"]):
            with self.subTest(arguments=arguments):
                result = scree("contact", *arguments)
                self.assertEqual(result.code, 2, result)
                self.assertTrue(result.err)

    def test_bench(self):
        """bench runs solvers over a folder and makes performance profiles as a table and a picture"""
        problems = self.folder / "problems"
        problems.mkdir()
        for name in ("boxstack_03", "wedge_mu01", "boxstack_06_r1e6"):
            (problems / f"{name}.hdf5").write_bytes((DATA / f"{name}.hdf5").read_bytes())
        result = scree("contact", "bench", problems, "--solver", "newton,gauss-seidel", "-o", self.folder / "out", "--json")
        self.assertEqual(result.code, 0, result)
        shares = result.json()["solved_share"]
        self.assertEqual(shares["newton"], 1)
        self.assertLess(shares["gauss-seidel"], 1)  # the heavy box on top defeats it
        table = (self.folder / "out" / "profile.md").read_text()
        self.assertIn("| boxstack_06_r1e6.hdf5 | 24 |", table)
        self.assertEqual((self.folder / "out" / "profile.svg").read_text().count("<polyline"), 2)
        self.assertIn("| newton |", scree("contact", "bench", problems, "--solver", "newton").out)


if __name__ == "__main__":
    unittest.main()
