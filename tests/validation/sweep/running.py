"""One random scene: check, run, judge."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import judges, record
from .scenes import draw_scene

PATIENCE = 120  # s of processor time for one run, so that a busy machine changes no verdict
HANGS = 1800  # s of wall time after which a program that computes nothing counts as hung


class Outcome(NamedTuple):
    index: int
    kind: str  # what the scene is: "collide", ...
    verdict: str  # "plain", "doubted", "failed", "refused", "slow", "silent"
    reason: str
    balance: float  # largest error of the energies' balance, as a part of the largest energy; NaN without curves
    said_seconds: float  # foreseen by the check
    seconds: float  # processor time of the run
    said_bytes: float
    bytes: float


class Done(NamedTuple):
    code: int  # < 0: died of that signal
    out: str
    error: str
    seconds: float  # processor time
    bytes: float  # largest memory


def peak_memory(pid: int) -> float:
    """Largest memory of a process so far, bytes: its own, as wait4 would count what Python had before the program began."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return 1024.0 * float(line.split()[1])
    except OSError:
        pass
    return 0.0


def processor_seconds(pid: int) -> float:
    """Processor time of a process so far, s."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def ask(command: List[str], text: Optional[str] = None) -> Done:
    """Runs a program. Raises subprocess.TimeoutExpired after PATIENCE of processor time, or HANGS of wall time."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
        given.write(text or "")
        given.seek(0)
        child = subprocess.Popen(command, stdin=given, stdout=out, stderr=error)
        begun, wait, bytes_ = time.monotonic(), 0.002, 0.0
        while True:
            bytes_ = max(bytes_, peak_memory(child.pid))
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if processor_seconds(child.pid) > PATIENCE or time.monotonic() - begun > HANGS:
                child.kill()
                os.wait4(child.pid, 0)
                child.returncode = -9
                raise subprocess.TimeoutExpired(command, PATIENCE)
            time.sleep(wait)
            wait = min(2 * wait, 0.05)
        child.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, error):
            file.seek(0)
        return Done(child.returncode, out.read(), error.read(), used.ru_utime + used.ru_stime, bytes_)


def first_problem(text: str) -> str:
    try:
        problem = json.loads(text)["errors"][0]
        return f"{problem['pointer']}: {problem['detail']}"
    except (ValueError, KeyError, IndexError, TypeError):
        return text.strip().splitlines()[0] if text.strip() else "refused without a word"


def check(scree: str, scene: Dict[str, Any]) -> Tuple[int, str, Dict[str, Any]]:
    done = ask([scree, "check", "-", "--json"], json.dumps(scene))
    try:
        said = json.loads(done.out)
        return done.code, done.out or done.error, said.get("estimate", {})
    except ValueError:
        return done.code or 1, done.out or done.error, {}


def finish_scene(scree: str, seed: int, method: str, index: int, budget: float) -> Tuple[int, str, str, Dict[str, Any], Dict[str, Any], Dict[str, Any]]:
    """A scene with step, gap and duration by what the program says of it, foreseen to take at most `budget` times 0.05 to 5 s.
    @return exit code and text of the check, kind, scene, facts, estimate"""
    kind, scene, facts, _, _ = draw_scene(seed, method, index)
    crossing = facts["size"] / facts["speed"]
    scene["time"] = {"duration": crossing * (0.5 if facts.get("narrow") else 1)}
    code, said, estimate = check(scree, scene)
    if code or not estimate.get("time_step"):
        return code or 1, said, kind, scene, facts, {}
    _, _, _, r, dialect = draw_scene(seed, method, index)
    wanted, price = 10 ** r.uniform(-1.3, 0.7) * budget, estimate["run_seconds"] / max(estimate["step_count"], 1)
    step = dialect.time_step(r, estimate["time_step"], crossing)
    clock, crossings = step or estimate["time_step"], r.uniform(0.02, 0.5) if facts.get("narrow") else r.uniform(0.3, 1.5)
    duration = clock * max(math.ceil(min(crossings * crossing / clock, max(wanted / max(price, 1e-9), 20), 200_000)), 3)
    gap = r.uniform(0.05, 0.6) * min(duration / crossing, 1.0)
    _, scene, facts, _, _ = draw_scene(seed, method, index, gap)
    scene["time"] = {"duration": duration, **({"time_step": step} if step else {})}
    scene["output"] = {"sample_interval": max(duration / 500, clock), "frame_interval": max(duration / 5, clock)}
    code, said, estimate = check(scree, scene)
    return code, said, kind, scene, facts, estimate


def judge_run(scree: str, folder: Path, scene: Dict[str, Any], facts: Dict[str, Any], estimate: Dict[str, Any]) -> Tuple[str, str, float, float, float]:
    """@return verdict, reason, balance, processor time, memory"""
    (folder / "scene.json").write_text(json.dumps(scene, indent=1))
    done = ask([scree, "run", str(folder / "scene.json"), "-o", str(folder / "out"), "-t", "1", "-q"])
    if done.code < 0:
        return "silent", f"died of signal {-done.code}", math.nan, done.seconds, done.bytes
    path = folder / "out" / "recording.scree"
    found = record.read(path) if path.exists() else record.Recording([], None)
    if not found.end:
        refused = "refused" in done.error or done.code in (3, 4)
        return "refused" if refused else "silent", first_problem(done.error), math.nan, done.seconds, done.bytes
    if found.end["verdict"] != "succeeded":
        return "failed", found.end["message"], math.nan, done.seconds, done.bytes
    balance, wrong = judges.physics(scene, facts, record.columns(folder / "out" / "curves.csv"), found.frames)
    wrong = wrong or judges.foreseen(estimate, done.seconds, done.bytes)
    if found.end.get("doubts"):
        return "doubted", "; ".join(doubt["kind"] for doubt in found.end["doubts"]) + f": {wrong}", balance, done.seconds, done.bytes
    return "silent" if wrong else "plain", wrong, balance, done.seconds, done.bytes


def run_one(scree: str, seed: int, method: str, index: int, budget: float, keep: Optional[Path] = None, times: bool = True, memory: bool = True) -> Outcome:
    folder = Path(tempfile.mkdtemp(prefix="scree-sweep-"))
    kind, estimate, seconds, bytes_ = "?", {}, math.nan, math.nan

    def outcome(verdict: str, reason: str, balance: float = math.nan) -> Outcome:
        return Outcome(index, kind, verdict, " ".join(reason.split()), balance, estimate.get("run_seconds", math.nan), seconds,
                       estimate.get("memory_bytes", math.nan), bytes_)

    try:
        code, said, kind, scene, facts, estimate = finish_scene(scree, seed, method, index, budget)
        if code:
            return outcome("refused" if code > 0 else "silent", first_problem(said) if code > 0 else f"the check died of signal {-code}")
        judged = {"run_seconds": estimate["run_seconds"] if times else None, "memory_bytes": estimate["memory_bytes"] if memory else None}
        verdict, reason, balance, seconds, bytes_ = judge_run(scree, folder, scene, facts, judged)
        return outcome(verdict, reason, balance)
    except subprocess.TimeoutExpired:
        said = estimate.get("run_seconds", 0.0)
        late = estimate and judges.FORESEEN * said < PATIENCE
        return outcome("silent" if late or not estimate else "slow", f"not done after {PATIENCE} s; the check foresaw {said:.2g} s")
    except (OSError, KeyError, ValueError, IndexError) as reason:
        return outcome("silent", f"{type(reason).__name__}: {reason}")
    finally:
        if keep:
            shutil.rmtree(keep / f"{method}-{index}", ignore_errors=True)
            shutil.copytree(folder, keep / f"{method}-{index}")
        shutil.rmtree(folder, ignore_errors=True)
