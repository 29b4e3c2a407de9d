"""Writes ROUND_ROBIN.md."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from provenance import measured

from .experiment import METHODS, Cell, Experiment, Row

HEAD = """# Round robin: one experiment under every method

Written by `make round-robin` (tests/validation/round_robin), an experiment again by `make round-robin ONLY=part`; one thread a run, by
default options; a section's seconds are of all its runs. Numbers are values over the reference, 1 is right, at each resolution from coarse to
fine; references are computed from formulas, whose source each section names. *Order* is that of the error's decay with resolution: +1
halves it with half the spacing; none where an error can't be told from 0. *Holds*: within the tolerance at every resolution from the one
that is named on. *Misses* says the known reason. How runs ended stands beside them where it is not a plain success.

{summary}
"""


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


def section(experiment: Experiment, rows: List[Row], seconds: float) -> str:
    """An experiment with its table, and what it is of."""
    text = f"\n## {experiment.title}\n\n{measured(seconds)}\n{experiment.text}\n\n"
    text += "".join(f"- *{name}*: {what}\n" for name, what in experiment.quantities.items())
    text += f"- Resolution: {experiment.measure_of_resolution}.\n\n"
    text += "| quantity | method | value over reference | order | tolerance | verdict | ended | why what is left is left |\n"
    text += "|---|---|---|---|---|---|---|---|\n"
    text += "".join(_line(row) for row in rows)
    text += "".join(f"| all | {method} | - | | | | | {experiment.absent[method]} |\n" for method in METHODS if method in experiment.absent)
    return text


def _summary(sections: Sequence[str]) -> str:
    """Rows by method and verdict, from the tables as they stand."""
    text = "| method | rows | hold | miss | of these not foreseen |\n|---|---|---|---|---|\n"
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for part in sections for line in part.splitlines() if line.startswith("| ")]
    for method in METHODS:
        verdicts = [row[5] for row in rows if len(row) == 8 and row[1] == method and row[5]]
        hold, unforeseen = sum(verdict.startswith("holds") for verdict in verdicts), sum("MISSES" in verdict for verdict in verdicts)
        text += f"| {method} | {len(verdicts)} | {hold} | {len(verdicts) - hold} | {unforeseen} |\n"
    return text


def write(path: Path, sections: Dict[str, str], order: Sequence[str]) -> None:
    """Puts sections, by their titles, into the report; others stay as they are. `order`: all titles that there are."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = {part.split("\n", 1)[0]: f"\n## {part.rstrip()}\n" for part in re.split(r"(?m)^## ", text)[1:]} | sections
    parts = [kept[title] for title in order if title in kept]
    path.write_text(HEAD.format(summary=_summary(parts).rstrip()) + "".join(parts), encoding="utf-8")
