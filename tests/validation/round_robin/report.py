"""Writes ROUND_ROBIN.md."""
from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from .experiment import METHODS, Cell, Experiment, Row
from .running import ROOT

HEAD = """# Round robin: one experiment under every method

Written by `make round-robin` (tests/validation/round_robin); commit {commit}, {date}, {machine}; {runs} runs in {seconds:.0f} s, {jobs}
at a time, one thread each. By default options. Numbers are values over the reference, 1 is right, at each resolution from coarse to
fine; references are computed from formulas, whose source each section names. *Order* is that of the error's decay with resolution: +1
halves it with half the spacing; none where an error can't be told from 0. *Holds*: within the tolerance at every resolution from the one
that is named on. *Misses* says the known reason. How runs ended stands beside them where it is not a plain success.

{summary}
"""


def _text(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.strip()


def _machine() -> str:
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                  if line.startswith("model name")),
                 platform.machine())
    return f"{' '.join(model.split())}, {len(os.sched_getaffinity(0))} processors"


def _ratio(ratio: Optional[float]) -> str:
    return "none" if ratio is None else f"{ratio:.3f}" if 1e-3 <= abs(ratio) < 100 else f"{ratio:.1e}"


def _verdict(row: Row) -> str:
    if all(row.holds(cell) for cell in row.held()):
        return "holds" + (" (listed as a miss)" if row.expected.misses else "")
    return "**MISSES**" if row.missed() else "misses"


def _states(cells: Sequence[Cell]) -> str:
    states = [cell.outcome.state for cell in cells]
    if all(state == "success" for state in states):
        return "success"
    return states[0] if len(set(states)) == 1 else "; ".join(f"{cell.resolution:g}: {state}" for cell, state in zip(cells, states))


def _line(row: Row) -> str:
    order, expected = row.order(), row.expected
    values = " &nbsp; ".join(f"{_ratio(cell.ratio)} <sub>{cell.resolution:g}</sub>" for cell in row.cells)
    tolerance = f"{100 * expected.tolerance:.3g} %" + (f" from {expected.least:g} on" if expected.least else "")
    why = expected.misses if "misses" in _verdict(row).lower() else expected.why
    cells = (row.quantity, row.method, values, "" if order is None else f"{order:.1f}", tolerance, _verdict(row), _states(row.cells), why)
    return f"| {' | '.join(cells)} |\n"


def section(experiment: Experiment, rows: List[Row]) -> str:
    """An experiment with its table."""
    text = f"\n## {experiment.title}\n\n{experiment.text}\n\n"
    text += "".join(f"- *{name}*: {what}\n" for name, what in experiment.quantities.items())
    text += f"- Resolution: {experiment.measure_of_resolution}.\n\n"
    text += "| quantity | method | value over reference | order | tolerance | verdict | ended | why what is left is left |\n"
    text += "|---|---|---|---|---|---|---|---|\n"
    text += "".join(_line(row) for row in rows)
    text += "".join(f"| all | {method} | - | | | | | {experiment.absent[method]} |\n" for method in METHODS if method in experiment.absent)
    return text


def _summary(rows: List[Row]) -> str:
    text = "| method | rows | hold | miss | of these not foreseen | runs with doubts |\n|---|---|---|---|---|---|\n"
    for method in METHODS:
        mine = [row for row in rows if row.method == method]
        verdicts = [_verdict(row) for row in mine]
        cells = {(row.experiment.name, cell.resolution): cell for row in mine for cell in row.cells}
        doubts = sum(cell.outcome.state != "success" for cell in cells.values())
        hold, unforeseen = sum(verdict.startswith("holds") for verdict in verdicts), sum("MISSES" in verdict for verdict in verdicts)
        text += f"| {method} | {len(mine)} | {hold} | {len(mine) - hold} | {unforeseen} | {doubts} of {len(cells)} |\n"
    return text


def commit_of() -> str:
    """The commit that is checked out, and whether its code has changed."""
    changed = " with changes" if _text("git", "status", "--porcelain", "--", "core", "api", "server") else ""
    return (_text("git", "rev-parse", "--short", "HEAD") or "unknown") + changed


def write(path: Path, commit: str, tables: Sequence[Tuple[Experiment, List[Row]]], seconds: float, runs: int, jobs: int) -> None:
    """Writes the report of runs of the program that was made of `commit`."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    summary = _summary([row for _, rows in tables for row in rows]).rstrip()
    head = HEAD.format(commit=commit, date=date, machine=_machine(), seconds=seconds, runs=runs, jobs=jobs, summary=summary)
    path.write_text(head + "".join(section(experiment, rows) for experiment, rows in tables), encoding="utf-8")
