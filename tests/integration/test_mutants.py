"""The list of planted faults (tests/mutants) fits the code: without a build, whether each can be planted as it is written."""
import subprocess
import sys
import unittest

from lab import ROOT

sys.path.insert(0, str(ROOT / "tests" / "mutants"))
import mutants  # noqa: E402


class MutantsTest(unittest.TestCase):
    def test_entries(self):
        """every planted fault has a text that stands once in its file, a class, and programs that cover it"""
        faults = mutants.load()
        self.assertEqual(list(mutants.problems(faults, mutants.covers())), [])

    def test_problems(self):
        """an entry whose text is gone, twice there, or changes nothing is a problem"""
        sound = next(fault for fault in mutants.load() if fault["file"].endswith(".c"))
        for change in ({"old": "no such text"}, {"old": ";"}, {"new": sound["old"]}, {"class": "odd"}, {"file": "core/none.c"}, {"tests": ["unit/none"]}):
            self.assertTrue(list(mutants.problems([sound | change], mutants.covers())), change)

    def test_report(self):
        """the committed report has a row for each fault, and the tool's own check passes"""
        rows = mutants.earlier(mutants.REPORT)
        self.assertEqual([fault["name"] for fault in mutants.load() if fault["name"] not in rows], [])
        done = subprocess.run([sys.executable, str(mutants.HERE / "mutants.py"), "check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
