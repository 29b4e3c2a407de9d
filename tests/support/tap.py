#!/usr/bin/env python3
"""Runs the unittest cases of one file and prints TAP; a case's first docstring line is its claim."""
import importlib.util
import sys
import time
import traceback
import unittest
from pathlib import Path


class TapResult(unittest.TestResult):
    number = 0
    begun = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        print(f"# took {time.monotonic() - self.begun:.1f} s", flush=True)

    def report(self, ok, test, text=""):
        self.number += 1
        claim = test.shortDescription() or test.id().split(".")[-1].replace("_", " ")
        print(f"{'ok' if ok else 'not ok'} {self.number} - {claim}", flush=True)
        for line in text.splitlines():
            print("# " + line, flush=True)

    def addSuccess(self, test):
        self.report(True, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.report(False, test, "".join(traceback.format_exception(*err)))

    def addError(self, test, err):
        super().addError(test, err)
        self.report(False, test, "".join(traceback.format_exception(*err)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.number += 1
        print(f"ok {self.number} # SKIP {test.shortDescription() or test.id()} ({reason})", flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.report(False, subtest, "".join(traceback.format_exception(*err)))


def main():
    path = Path(sys.argv[1]).resolve()
    sys.path[:0] = [str(path.parent), str(Path(__file__).resolve().parent), str(path.parents[2] / "api" / "clients" / "python")]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    result = TapResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
