"""Sections of SWEEP.md, one a method, each with the commit, date, machine and duration of its runs."""

from __future__ import annotations

import collections
import math
import platform
import re
import subprocess
import time
from pathlib import Path
from typing import Dict, List

from .running import PATIENCE, Outcome

ROOT = Path(__file__).resolve().parents[3]
HEAD = """# Random scenes

Written by `make sweep` (tests/validation/sweep, whose head says what a run may not do; `make sweep METHOD=rigid` writes that section anew, `SEED=N`
draws others; what was begun goes on). Stiffness 1e4 to 1e10 Pa, bodies of 1 mm to 10 cm, friction 0 to 5 (rigid: to 1000), speeds up to half the wave speed. Bodies collide,
fall, slide, rest on slopes, are shot at thin plates, whirl, are crushed, pressed, bent and pulled, in half of the scenes by a method's default options; rigid bodies are stacked, piled and
jammed, lsdem's glued, fem's loaded by forces. Estimates are compared with processor time on one thread, on a machine that has other work.
"""
WORDS = {"plain": "succeeded, nothing wrong", "doubted": "succeeded, with doubts", "failed": "failed with a reason", "refused": "refused with a reason",
         "slow": f"not done after {PATIENCE} s, as foreseen", "silent": "**silent exceptions**"}


def commit_of() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "core", "api/cli", "tests/validation/sweep")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")


def machine() -> str:
    try:
        name = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        return name[1].strip() if name else platform.machine()
    except OSError:
        return platform.machine()


def factors(outcomes: List[Outcome]) -> List[str]:
    """How near estimates came, over runs to their end."""
    lines = []
    for what, said, taken, least in (("processor time of runs over 1 s", "said_seconds", "seconds", 1.0), ("memory above 50 MB", "said_bytes", "bytes", 50e6)):
        ratios = [getattr(one, said) / getattr(one, taken) for one in outcomes
                  if one.verdict in ("plain", "doubted", "silent") and max(getattr(one, said), getattr(one, taken)) > least and getattr(one, taken) > 0]
        if ratios:
            within = {limit: sum(1 / limit <= ratio <= limit for ratio in ratios) for limit in (1.5, 2, 3)}
            lines.append(f"Foreseen over measured {what}: {len(ratios)} runs, {within[1.5]} within a factor of 1.5, {within[2]} of 2, {within[3]} of 3; "
                         f"{min(ratios):.2g} to {max(ratios):.2g}.")
    return lines


def listed(outcomes: List[Outcome], verdict: str) -> List[str]:
    chosen = [outcome for outcome in outcomes if outcome.verdict == verdict]
    if verdict in ("silent", "failed", "slow"):
        return [f"- {outcome.index} ({outcome.kind}): {outcome.reason[:260]}" for outcome in chosen]
    grouped: Dict[str, List[int]] = collections.defaultdict(list)
    for outcome in chosen:
        grouped[outcome.reason.split(":")[0][:100]].append(outcome.index)
    return [f"- {reason}: {len(indices)} ({', '.join(map(str, indices[:12]))}{', ...' if len(indices) > 12 else ''})"
            for reason, indices in sorted(grouped.items(), key=lambda item: -len(item[1]))]


def section(method: str, outcomes: List[Outcome], seed: int, seconds: float, commit: str) -> str:
    counts = collections.Counter(outcome.verdict for outcome in outcomes)
    balances = sorted(outcome.balance for outcome in outcomes if outcome.verdict == "plain" and not math.isnan(outcome.balance))
    lines = [f"## {method}\n", f"Seed {seed}, scenes 0 to {max(outcome.index for outcome in outcomes)}; commit {commit}, {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {machine()}; "
             f"{len(outcomes)} scenes in {seconds:.0f} s of wall time.\n", "| outcome | runs |", "|---|---|"]
    lines += [f"| {words} | {counts[verdict]} |" for verdict, words in WORDS.items()]
    if balances:
        lines.append(f"\nBalance of the plain successes: median {balances[len(balances) // 2]:.1e}, largest {balances[-1]:.1e} of the largest energy.")
    lines += ["\n" + line for line in factors(outcomes)]
    for verdict, title in (("silent", "Silent exceptions"), ("doubted", "Doubts"), ("failed", "Failures"), ("refused", "Refusals"), ("slow", "Not done")):
        if counts[verdict]:
            lines += [f"\n### {title}\n", *listed(outcomes, verdict)]
    return "\n".join(lines) + "\n"


def write(path: Path, made: Dict[str, str]) -> None:
    """Puts sections into the report, those of other methods stay."""
    kept = {part.split("\n", 1)[0].strip(): "## " + part for part in (path.read_text(encoding="utf-8") if path.exists() else "").split("\n## ")[1:]}
    kept.update(made)
    order = [name for name in ("peridem", "bdem", "fem", "lsdem", "rigid") if name in kept]
    path.write_text(HEAD + "".join("\n" + kept[name].rstrip() + "\n" for name in order), encoding="utf-8")
