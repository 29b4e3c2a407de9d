"""Draws random scenes, runs and judges them, and writes SWEEP.md.

    python3 -m sweep SCREE [--method NAME] [--count N] [--seed N] [--only INDEX] [--report FILE] [--state FOLDER] [--keep FOLDER]

SCREE is the command line program. With --state every outcome is kept in the folder as it is known, by commit and seed, and a sweep that was ended goes on where
it was. With --keep the files of every run are left there. Ends with 1 when a run is a silent exception."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List

from . import report
from .dialects import DIALECTS
from .running import Outcome, run_one


def known(file: Path) -> Dict[int, Outcome]:
    """Outcomes of an earlier sweep; a last line that was not finished counts for nothing."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        try:
            made = Outcome(**json.loads(line))
            found[made.index] = made
        except (ValueError, TypeError):
            continue
    return found


def sweep(given: argparse.Namespace, method: str, commit: str) -> List[Outcome]:
    indices = given.only or list(range(given.count))
    file = given.state / f"{commit.replace(' ', '-')}-{given.seed}-{method}.jsonl" if given.state else None
    done = known(file) if file else {}
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)

    def one(index: int) -> Outcome:
        made = run_one(given.scree, given.seed, method, index, given.budget, given.keep, not given.no_times, not given.no_memory)
        if file:
            with open(file, "a", encoding="utf-8") as out:
                out.write(json.dumps(made._asdict()) + "\n")
        if made.verdict == "silent" or given.only:
            print(f"{method} {made}", file=sys.stderr, flush=True)
        return made

    with ThreadPoolExecutor(given.jobs) as pool:
        fresh = {made.index: made for made in pool.map(one, [index for index in indices if index not in done])}
    return [done[index] if index in done else fresh[index] for index in indices]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--budget", type=float, default=1.0, help="factor of run times drawn: 1 is 0.05 to 5 s")
    parser.add_argument("--no-times", action="store_true", help="don't judge run times, for machines that are busy")
    parser.add_argument("--no-memory", action="store_true", help="don't judge memory, for builds with sanitizers, which need more")
    parser.add_argument("--method", action="append", choices=list(DIALECTS))
    parser.add_argument("--only", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    commit, silent, made = report.commit_of(), 0, {}
    for method in given.method or list(DIALECTS):
        begun = time.monotonic()
        outcomes = sweep(given, method, commit)
        silent += sum(outcome.verdict == "silent" for outcome in outcomes)
        made[method] = report.section(method, outcomes, given.seed, time.monotonic() - begun, commit)
        print(made[method], flush=True)
        if given.report:
            report.write(given.report, {method: made[method]})
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
