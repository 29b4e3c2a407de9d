#!/usr/bin/env python3
"""Speed of method lsdem, in turns with Debian's Yade where that is installed; prints tests/reports/bench/LSDEM.md.

    python3 lsdem_yade.py BENCH_LSDEM BENCH_LSDEM_DRUM [GRAINS]

BENCH_LSDEM and BENCH_LSDEM_DRUM are built from the sources of these names. Standard library only; about a minute and a half.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Optional

TURNS = 3
PACK = Path(__file__).with_name("lsdem_yade_pack.py")


def of_ours(bench: str, case: str) -> Dict:
    return json.loads(subprocess.run([bench, case], check=True, capture_output=True, text=True).stdout)


def of_yade(nodes: int) -> Dict:
    output = subprocess.run(["yade", "-j1", "-n", "-x", str(PACK), str(nodes), "20"], capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise SystemExit("lsdem_yade.py: Yade printed no result:\n" + output[-2000:])
    return json.loads(lines[-1][7:])


def least(old: Optional[Dict], new: Dict, key: str) -> Dict:
    return new if old is None or new[key] < old[key] else old


def pack(bench: str) -> None:
    has_yade = shutil.which("yade") is not None
    rigid = soft = brute = yade = None
    for _ in range(TURNS):
        rigid = least(rigid, of_ours(bench, "none"), "ms")
        if has_yade:
            yade = least(yade, of_yade(rigid["nodes"]), "ms")
        soft = least(soft, of_ours(bench, "isotropic"), "ms")
        brute = least(brute, of_ours(bench, "brute"), "ns")
    print("## 64 balls between six walls\n")
    print(f"{rigid['nodes']} nodes each on both sides, grids of a tenth of the radius, a close cubic pack that overlaps by 1 % of the diameter; friction with memory. Processor time of one thread, the least of "
          f"{TURNS} turns in which each was run after the other.\n")
    print("| | contacts | ms a step | over ours, rigid | ns per candidate node |\n|---|---|---|---|---|")
    print(f"| lsdem, rigid | {rigid['contacts']} | {rigid['ms']:.2f} | 1 | {rigid['candidate_ns']:.2f} |")
    print(f"| lsdem, one mode | {soft['contacts']} | {soft['ms']:.2f} | {soft['ms'] / rigid['ms']:.2f} | {soft['candidate_ns']:.2f} |")
    if yade:
        print(f"| Yade, rigid | {yade['contacts']} | {yade['ms']:.2f} | {yade['ms'] / rigid['ms']:.1f} | {rigid['candidate_ns'] * yade['ms'] / rigid['ms']:.1f} |")
    else:
        print("| Yade | not installed here | | | |")
    print("\nThe laws are alike, not the same: Yade presses at the deepest node of a pair, with a stiffness per contact; ours presses at every node in contact, from both sides, for the area that each stands for. "
          "Yade looks at all nodes of every pair whose boxes meet, ours at those not known to be clear; candidates are counted alike: every node of a grain for each neighbour whose box its own meets, and for "
          "each wall.\n")
    print(f"By brute force, each of {brute['nodes']} nodes of a ball asked about another that it touches ({brute['below']} below its surface) without culling: **{brute['ns']:.2f} ns a node**.\n")
    print("To hold: at most 2 ms a step; one mode below 1.5 times rigid; 5 ns a candidate node by brute force and 1 ns culled.\n")


def main() -> None:
    bench, drum = sys.argv[1:3]
    print("# Speed of method lsdem\n\nMade by `make bench-lsdem`, which `make bench` runs, too.\n")
    pack(bench)
    print("## 10,000 rigid grains in a drum\n", flush=True)
    subprocess.run([drum, *sys.argv[3:]], check=True)


if __name__ == "__main__":
    main()
