#!/usr/bin/env python3
"""Run times and memory of the gallery's rigid scenes, as the check foresees them and as they are, on one thread.

    python3 study_estimates_rigid.py SCREE OUT.md [--scene NAME ...]

Seconds are of the processor, memory is the most that the run ever had. Bold: not within a factor of 1.5. Standard library only."""
import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

GALLERY = Path(__file__).resolve().parent.parent.parent / "api" / "gallery"
HEAD = """# Rigid scenes: estimated and taken

Made by `make study-estimates-rigid`; one thread, processor time. Bold: not within a factor of 1.5. What a step takes is the solver's, which no check can foresee to better
than that: bodies that rest or fly take a few sweeps, packs that are pressed everything there is.

| scene | steps | estimate, s | taken, s | estimate / taken | memory: estimate / taken |
|---|---|---|---|---|---|
"""


def measure(scree: str, name: str) -> str:
    answer = json.loads(subprocess.run([scree, "check", f"gallery:{name}", "--json"], capture_output=True, text=True, check=True).stdout)
    estimate = answer.get("estimate", answer)
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([scree, "run", f"gallery:{name}", "-q", "-t", "1", "-o", f"{folder}/run"], stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
    ratio = estimate["run_seconds"] / used.ru_utime
    shown = f"{ratio:.2f}" if 1 / 1.5 <= ratio <= 1.5 else f"**{ratio:.2f}**"
    memory = estimate["memory_bytes"] / (1024 * used.ru_maxrss)
    return f"| {name} | {estimate['step_count']} | {estimate['run_seconds']:.2g} | {used.ru_utime:.2g} | {shown} | {memory:.2f} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("out")
    parser.add_argument("--scene", action="append")
    given = parser.parse_args()
    names = given.scene or [p.stem for p in sorted(GALLERY.glob("*.json")) if json.loads(p.read_text())["method"] == "rigid"]
    rows = [measure(given.scree, name) for name in names]
    Path(given.out).write_text(HEAD + "".join(rows))


if __name__ == "__main__":
    main()
