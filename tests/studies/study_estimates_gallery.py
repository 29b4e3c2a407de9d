#!/usr/bin/env python3
"""Run times and memory of the gallery's scenes of a method, as the check foresees them and as they are, on one thread.

    python3 study_estimates_gallery.py SCREE OUT.md [--method rigid|fem] [--scene NAME ...]

Seconds are of the processor, the median of five where a run takes less than half a second; memory is the most that the run ever had (small runs show
no less than this program's own). Bold: not within a factor of 1.5. Scenes of several methods count for each that they have options of. Standard library only."""
import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from statistics import median

GALLERY = Path(__file__).resolve().parent.parent.parent / "api" / "gallery"
SHORT = 0.5  # s
REASON = {
    "rigid": """What a step takes is the solver's, which no check can foresee to better
than that: bodies that rest or fly take a few sweeps, packs that are pressed everything there is.""",
    "fem": """How many iterations a step takes (2 to 3.6), how many nodes touch and for how long,
and how long a body flies as a rigid one are the run's to find out; the rest follows from the meshes and the symbolic analysis.""",
}
HEAD = """# {title} scenes: estimated and taken

Made by `make study-estimates-{method}`; one thread, processor time. Bold: not within a factor of 1.5. {reason}

| scene | steps | estimate, s | taken, s | estimate / taken | memory: estimate / taken |
|---|---|---|---|---|---|
"""


def scene_of(name: str, method: str) -> dict | None:
    """A scene of the gallery under the method; None where it is of others alone."""
    scene = json.loads((GALLERY / f"{name}.json").read_text(encoding="utf-8"))
    if scene["method"] == method:
        return scene
    if method not in scene.get("options", {}):
        return None
    return {**scene, "method": method, "options": scene["options"][method]}


def taken(scree: str, text: str) -> tuple[float, int]:
    """Seconds of the processor and most kilobytes of one run. User's and system's together: the kernel shares the two out by ticks, which short runs have few of."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([scree, "run", "-", "-q", "-t", "1", "-o", f"{folder}/run"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        child.stdin.write(text.encode())
        child.stdin.close()
        _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def measure(scree: str, name: str, method: str) -> str:
    text = json.dumps(scene_of(name, method))
    answer = json.loads(subprocess.run([scree, "check", "-", "--json"], input=text, capture_output=True, text=True, check=True).stdout)
    estimate = answer.get("estimate", answer)
    runs = [taken(scree, text)]
    if runs[0][0] < SHORT:
        runs += [taken(scree, text) for _ in range(4)]
    seconds, kilobytes = median(s for s, _ in runs), max(m for _, m in runs)
    ratio = estimate["run_seconds"] / seconds
    shown = f"{ratio:.2f}" if 1 / 1.5 <= ratio <= 1.5 else f"**{ratio:.2f}**"
    memory = estimate["memory_bytes"] / (1024 * kilobytes)
    return f"| {name} | {estimate['step_count']} | {estimate['run_seconds']:.2g} | {seconds:.2g} | {shown} | {memory:.2f} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("out")
    parser.add_argument("--method", choices=REASON, default="rigid")
    parser.add_argument("--scene", action="append")
    given = parser.parse_args()
    names = given.scene or [p.stem for p in sorted(GALLERY.glob("*.json")) if scene_of(p.stem, given.method)]
    rows = [measure(given.scree, name, given.method) for name in names]
    head = HEAD.format(title={"rigid": "Rigid", "fem": "Finite element"}[given.method], method=given.method, reason=REASON[given.method])
    Path(given.out).write_text(head + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
