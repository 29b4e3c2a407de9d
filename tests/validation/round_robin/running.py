"""Runs a scene with `scree run`, bounded in processor time, and tells how it ended."""
from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List

ROOT = Path(__file__).resolve().parent.parent.parent.parent
SCREE = ROOT / os.environ.get("SCREE_BUILD", "build") / "scree"
SUCCESS, DOUBTS, REFUSED = 0, 8, 4  # exit codes of `scree run`
HANGING = 20  # a run that takes so many times its limit by the clock computes nothing, or next to nothing


@dataclass
class Outcome:
    """What a run left."""
    scene: Dict[str, Any]
    state: str = ""  # "success", "doubts: KIND, ..", "failed: ..", "refused: ..", "not done in N s"
    ended: bool = False  # it succeeded, with or without doubts
    seconds: float = 0.0  # wall clock
    curves: Dict[str, List[float]] = field(default_factory=dict)  # by name, SI units
    recording: Path = Path()  # readable while it is being measured


def columns(path: Path) -> Dict[str, List[float]]:
    """The curves of a run by their names."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return {name.split(" [")[0]: [float(row[k]) for row in rows] for k, name in enumerate(names)}


def _sentence(text: str) -> str:
    """The first sentence of a message, in one line."""
    return " ".join(text.split()).split(". ")[0][:160].rstrip(".:;, ")


def _state(code: int, out: str, err: str, limit: float) -> str:
    try:
        said = json.loads(out)
    except ValueError:
        said = {}
    if code == SUCCESS:
        return "success"
    if code == DOUBTS:
        return "doubts: " + ", ".join(sorted({doubt["kind"] for doubt in said.get("doubts", [])}))
    if code in (-signal.SIGXCPU, -signal.SIGKILL):  # of the soft limit, of the hard one
        return f"not done in {limit:g} s"
    if code == REFUSED:
        return "refused: " + _sentence("; ".join(f"{error['pointer']} {error['detail']}" for error in said.get("errors", [])) or err)
    return "failed: " + _sentence(said.get("message") or err or f"exit {code}")


def run_scene(scene: Dict[str, Any], limit: float, measure: Callable[[Outcome], None]) -> Outcome:
    """Runs `scene` on one thread for `limit` whole seconds of a processor at most, however busy the machine is, and has it measured if it succeeded,
    while its recording is there."""
    outcome = Outcome(scene)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SCREE_")}
    with tempfile.TemporaryDirectory(prefix="scree-round-robin-") as folder:
        out = Path(folder) / "out"
        begun = time.monotonic()
        try:
            done = subprocess.run(["sh", "-c", 'ulimit -t "$0" && exec "$@"', f"{limit:.0f}", SCREE, "run", "-", "-o", out, "-t", "1", "-q", "--json"],
                                  input=json.dumps(scene), text=True,
                                  capture_output=True, check=False, env=environment, timeout=HANGING * limit)
            outcome.state = _state(done.returncode, done.stdout, done.stderr, limit)
            outcome.ended = done.returncode in (SUCCESS, DOUBTS)
        except subprocess.TimeoutExpired:
            outcome.state = f"not done in {limit:g} s"
        outcome.seconds = time.monotonic() - begun
        if outcome.ended:
            outcome.curves, outcome.recording = columns(out / "curves.csv"), out / "recording.scree"
            measure(outcome)
    return outcome
