#!/usr/bin/env python3
"""Processor seconds of a build from clean, by folder and without a compiler cache: every n-th compile and link that `make -n` lists is run and timed
and counts n times. Links need objects: build first.

  build_time.py [-n EVERY] [MAKE'S ARGUMENTS, such as V=1 DEBUG=1]
"""
import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Tuple


def commands(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """Compiles and links of all programs and test programs."""
    listing = subprocess.run(["make", "-n", "-B", "all", "test-binaries", "V=1", "CC=gcc", *arguments], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in listing.stdout.splitlines() if line.strip().startswith("gcc ") and " -o " in line]
    return [line for line in lines if " -c " in line], [line for line in lines if " -c " not in line]


def folder(command: str) -> str:
    found = re.search(r" -c (\S+)", command)
    parts = Path(found[1]).parts if found else ("links",)
    return "/".join(parts[:2]) if parts[0] == "tests" else parts[0]


def seconds(command: str) -> float:
    """Of processors, with the output thrown away."""
    with tempfile.TemporaryDirectory() as scratch:
        target = re.sub(r"-MMD -MP ", "", re.sub(r" -o \S+", f" -o {scratch}/out", command))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(target, shell=True, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--every", type=int, default=10, help="run each n-th command (default 10)")
    parser.add_argument("make", nargs="*", help="arguments of make")
    given = parser.parse_args()
    total: Dict[str, float] = defaultdict(float)
    count: Dict[str, int] = defaultdict(int)
    for kind in commands(given.make):
        kind.sort(key=lambda command: (folder(command), command))
        for command in kind:
            count[folder(command)] += 1
        for command in kind[given.every // 2 :: given.every]:
            total[folder(command)] += given.every * seconds(command)
    for name in sorted(count):
        print(f"{name:<20}{count[name]:6} commands{total[name]:8.0f} s")
    print(f"{'all':<20}{sum(count.values()):6} commands{sum(total.values()):8.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
