"""Runs the round robin and writes its report.

    python3 -m round_robin [--only PART] [--method NAME] [--jobs N] [--report FILE]      from tests/validation; ends with 1 when a row
misses that should hold

With --only the report gets these sections anew and keeps the others; with --method nothing is written but to a FILE that is given, and the tables
are printed."""
import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS))  # where provenance.py is
from . import catalogue, report  # noqa: E402
from .experiment import rows_of, run_experiment  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="part of an experiment's name")
    parser.add_argument("--method", default="", help="one method alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    chosen = [experiment for experiment in catalogue.EXPERIMENTS if given.only in experiment.name]
    tasks = [(experiment, method, resolution) for experiment in chosen for method,
             way in experiment.ways.items() if given.method in ("", method)
             for resolution in way.resolutions]
    with ThreadPoolExecutor(given.jobs) as pool:
        found = {}
        for (experiment, method, resolution), left in zip(tasks, pool.map(lambda task: run_experiment(*task), tasks)):
            found[experiment.name, method, resolution] = left
            print(f"{experiment.name} {method} {resolution:g}: {left[0].state} in {left[0].seconds:.1f} s "
                  + " ".join(f"{name} {value:.4g}" for name, value in left[1].items()), file=sys.stderr, flush=True)
    tables = [(experiment, rows_of(experiment, {key[1:]: left for key, left in found.items() if key[0] == experiment.name}))
              for experiment in chosen]
    sections = {experiment.title: report.section(experiment, rows, sum(left[0].seconds for key, left in found.items() if key[0] == experiment.name))
                for experiment, rows in tables}
    path = given.report or (None if given.method else TESTS / "reports" / "validation" / "ROUND_ROBIN.md")
    if path:
        report.write(path, sections, [experiment.title for experiment in catalogue.EXPERIMENTS])
    else:
        print("".join(sections.values()))
    missed = [row for _, rows in tables for row in rows if row.missed()]
    for row in missed:
        print(f"misses: {row.experiment.name}, {row.quantity} under {row.method}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
