#!/usr/bin/env python3
"""Lays short runs of two builds of Scree side by side, scene by scene of the older one's gallery: which give the same bits, which the same values,
and which have other physics now.

    same_physics_builds.py OLD NEW [--gallery FOLDER] [--scene NAME ...] [--jobs N] [--report FILE]

OLD and NEW are the programs `scree` of the builds; FOLDER is OLD's api/gallery, by default beside its folder build. Each scene is cut as same_physics.py
cuts it for its records, and run by both on one thread. A row says how many of the curves and fields that both have are equal bit by bit, and how far the
curve that differs most is off over the samples that both have, as a part of the largest size of its kind (all axes of a force or torque, all
energies: what symmetry makes zero is rounding alone). Curves of rounding alone (iterations, residuals, balance
errors) and those of the clock are left out. Why a scene has other physics is looked up in tests/data/same_physics/changes.toml; a scene that differs
by more than 1e-9 without a reason there fails. Standard library only."""
from __future__ import annotations

import argparse
import json
import re
import struct
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Tuple

import same_physics as same

CHANGES = same.DATA / "changes.toml"


class Row(NamedTuple):
    """What one scene gave under both builds."""
    name: str
    method: str
    curves: Tuple[int, int]  # equal bit by bit, of those that both have
    fields: Tuple[int, int]
    off: float               # of the largest size of the curve that differs most; NaN where a build refuses the scene
    curve: str               # which that is, or why there is none


def kind_of(name: str) -> str:
    """What a curve is compared with: the same quantity along all axes, or all energies."""
    return "energy" if name.startswith("energy.") else re.sub(r"[._]?[xyz]{1,2}$", "", name)


def largest_difference(old: same.Columns, new: same.Columns) -> Tuple[float, str]:
    """Over all curves of both, as a part of the largest size of their kind."""
    worst, which, sizes = 0.0, "", {}
    for name, column in old.items():
        sizes[kind_of(name)] = max(sizes.get(kind_of(name), 0.0), max((abs(value) for value in column), default=0.0))
    for name in old.keys() & new.keys():
        if same.ROUNDING.search(name):
            continue
        size = sizes[kind_of(name)]
        off = max((abs(a - b) for a, b in zip(old[name], new[name])), default=0.0)
        part = off / size if size else float(off > 0)
        if part > worst or (part == worst and name < which):
            worst, which = part, name
    return worst, which


def both(old: Path, new: Path, name: str, scene: Dict[str, Any], cut: Optional[Dict[str, float]]) -> Row:
    """Runs a scene by both builds."""
    try:
        if not cut or cut["duration"] > scene["time"]["duration"]:
            cut, a = same.cut_by_trial(old, scene)
        else:
            a = same.run_scene(old, same.cut_scene(scene, cut), 1)
        b = same.run_scene(new, same.cut_scene(scene, cut), 1)
    except (RuntimeError, ValueError, KeyError, OSError, struct.error) as reason:
        return Row(name, scene["method"], (0, 0), (0, 0), float("nan"), str(reason).splitlines()[0][:120])
    counts = []
    for kind in ("curve ", "frames "):
        shared = [key for key in a.digests.keys() & b.digests.keys() if key.startswith(kind)]
        counts.append((sum(a.digests[key] == b.digests[key] for key in shared), len(shared)))
    return Row(name, scene["method"], counts[0], counts[1], *largest_difference(a.curves, b.curves))


def reason_of(changes: Dict[str, Any], name: str, method: str) -> str:
    """Why a scene has other physics: its own reason, else its method's."""
    return changes.get("scene", {}).get(name) or changes.get("method", {}).get(method, "")


def version(scree: Path) -> str:
    """The commit of the checkout that the program was built in, else what it says of itself."""
    commit = subprocess.run(["git", "-C", scree.resolve().parents[1], "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    if commit.returncode == 0:
        return commit.stdout.strip()
    return subprocess.run([scree, "--version"], capture_output=True, text=True, check=False).stdout.strip().splitlines()[0]


def report(rows: list[Row], changes: Dict[str, Any], old: Path, new: Path) -> Tuple[str, int]:
    """The table, and how many scenes differ without a reason."""
    bits = sum(row.curves[0] == row.curves[1] and row.fields[0] == row.fields[1] and row.off == row.off for row in rows)
    values = sum(row.off <= same.TOLERANCE for row in rows)
    bare = [row.name for row in rows if not row.off <= same.TOLERANCE and not reason_of(changes, row.name, row.method)]
    lines = [f"# The same scenes under two builds\n\nCommits `{version(old)}` and `{version(new)}`, on {same.machine()}, scenes of the older gallery cut to some two "
             f"seconds of processor time; written by\n`tests/validation/same_physics_builds.py OLD NEW --report FILE`. {bits} of {len(rows)} scenes give the same "
             f"bits in all curves and fields that both builds have, {values} the same\nvalues to {same.TOLERANCE:g} of the largest size of a curve's kind; the others have "
             "other physics, for the reason in their row.\n",
             "| scene | method | curves with the same bits | fields | largest difference | in curve | reason |\n|---|---|---|---|---|---|---|"]
    for row in rows:
        reason = "" if row.off <= same.TOLERANCE else reason_of(changes, row.name, row.method) or "**none is known**"
        off = "0" if row.off == 0 else f"{row.off:.1e}" if row.off == row.off else "not run"
        lines.append(f"| {row.name} | {row.method} | {row.curves[0]} of {row.curves[1]} | {row.fields[0]} of {row.fields[1]} | {off} | {row.curve} | {reason} |")
    return "\n".join(lines) + "\n", len(bare)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--gallery", type=Path)
    parser.add_argument("--scene", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    gallery = given.gallery or given.old.resolve().parents[1] / "api" / "gallery"
    scenes = {file.stem: json.loads(file.read_text()) for file in sorted(gallery.glob("*.json")) if not given.scene or file.stem in given.scene}
    cuts = {name: entry["cut"] for name, entry in same.read_values(same.DATA)["scenes"].items()}
    changes = tomllib.loads(CHANGES.read_text(encoding="utf-8")) if CHANGES.exists() else {}
    rows = []
    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        for row in pool.map(lambda item: both(given.old, given.new, item[0], item[1], cuts.get(item[0])), scenes.items()):
            rows.append(row)
            print(*row, flush=True)
    text, bare = report(rows, changes, given.old, given.new)
    if given.report:
        given.report.write_text(text, encoding="utf-8")
    print(f"# {bare} of {len(rows)} scenes have other physics for no reason that is known")
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
