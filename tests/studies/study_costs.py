#!/usr/bin/env python3
"""Fits the tables of costs by which checks foresee run times, beside what they hold.

    study_costs.py SCREE OUT.md [--method NAME ...] [--longest SECONDS]

Each scene of the gallery that a method can run, and that its check says takes between a tenth of a second and --longest (20), is run on one
thread; its seconds are of the processor. The check counts what a run does (`costs` of `scree check --json`). Fitted are the seconds of one
of each, none below 0, so that the sum over scenes of (e - t)^2 / (e t) is least, e the estimate and t what was taken: an estimate twice too
high counts as one twice too low does. Few scenes tell all constants apart: each is drawn to what the table holds by `PULL` of what a scene
draws. By descent along one constant after another, the e below the line from the round before. What a fit to so
few scenes is worth is told by leaving each scene out of the fit that foresees it. Standard library only."""
import argparse
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

GALLERY = Path(__file__).resolve().parents[2] / "api" / "gallery"
METHODS = ("bdem", "peridem", "fem", "lsdem", "rigid", "granular", "fibre")
SHORTEST = 0.1  # s
PULL = 0.2
HEAD = """# Tables of costs, fitted

Made by `make study-costs` (tests/studies/study_costs.py, whose head says how). Constants are what one of each takes, in seconds of the processor on
one thread; `fitted / table` is what the runs of this machine ask for. Geometric means of estimate / taken, and the factor by which they scatter:
by the table, by the fit, and by fits that leave out the scene that they foresee.
"""


def estimate_of(scree, scene):
    done = subprocess.run([scree, "check", "-", "--json"], input=json.dumps(scene), capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout or "{}") if done.returncode == 0 else {}
    return {**answer["estimate"], "costs": answer["costs"]} if "estimate" in answer else None


def seconds_of(scree, scene):
    """Processor seconds of a run, None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([scree, "run", "-", "-q", "-t", "1", "-o", f"{folder}/run"], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        child.stdin.write(json.dumps(scene).encode())
        child.stdin.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if child.returncode in (0, 8) else None  # 8: with doubts


def fit(rows, table):
    """Seconds of one of each, by what: rows of {what: count} and seconds taken; the table's, by what."""
    found = dict(table)
    share = [{what: count * table[what] / taken for what, count in counts.items()} for counts, taken in rows]  # of what was taken
    scale = {what: 1.0 for what in table}
    for _ in range(300):
        weight = [1 / max(1e-6, sum(part * scale[name] for name, part in one.items())) for one in share]
        for what in scale:
            # Least squares of one factor, the others held.
            above, below = PULL ** 2, PULL ** 2
            for one, w in zip(share, weight):
                if what not in one:
                    continue
                others = sum(part * scale[name] for name, part in one.items() if name != what)
                above += w * one[what] * (1 - others)
                below += w * one[what] ** 2
            scale[what] = max(0.0, above / below)
    for what in found:
        found[what] *= scale[what]
    return found


def foreseen(counts, table):
    return sum(count * table[what] for what, count in counts.items())


def spread(ratios):
    """Geometric mean, and the factor of one standard deviation."""
    logs = [math.log(ratio) for ratio in ratios if ratio > 0]
    mean = sum(logs) / len(logs)
    return math.exp(mean), math.exp(math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs)))


def study(scree, method, longest):
    names, rows, table = [], [], {}
    for path in sorted(GALLERY.glob("*.json")):
        scene = json.loads(path.read_text(encoding="utf-8"))
        if scene["method"] != method and method not in scene.get("options", {}):
            continue
        if scene["method"] != method:
            scene = {**scene, "method": method, "options": scene["options"][method]}
        scene["time"].pop("stop", None)  # the estimate is of the whole duration
        said = estimate_of(scree, scene)
        if not said or not said.get("costs") or not SHORTEST <= said["run_seconds"] <= longest:
            continue
        taken = seconds_of(scree, scene)
        if not taken:
            continue
        print(f"{method} {path.stem}: estimate {said['run_seconds']:.2g} s, taken {taken:.2g} s", flush=True)
        counts = {}
        for cost in said["costs"]:
            table.setdefault(cost["what"], cost["seconds"] / cost["count"])
            counts[cost["what"]] = counts.get(cost["what"], 0) + cost["count"]
        names.append(path.stem)
        rows.append((counts, taken))
    if not rows:
        return f"\n## {method}\n\nNo scene of the gallery is of that length.\n"
    fitted = fit(rows, table)
    text = f"\n## {method}\n\n| what | table | fitted | fitted / table | scenes with it |\n|---|---|---|---|---|\n"
    for what, each in table.items():
        text += f"| {what} | {each:.3g} | {fitted[what]:.3g} | {fitted[what] / each:.2f} | {sum(what in counts for counts, _ in rows)} |\n"
    text += "\n| scene | taken, s | table / taken | fit / taken | fit without it / taken |\n|---|---|---|---|---|\n"
    columns = [[], [], []]
    for k, (counts, taken) in enumerate(rows):
        without = fit(rows[:k] + rows[k + 1:], table)
        ratios = [foreseen(counts, each) / taken for each in (table, fitted, without)]
        for column, ratio in zip(columns, ratios):
            column.append(ratio)
        text += f"| {names[k]} | {taken:.2g} | {ratios[0]:.2f} | {ratios[1]:.2f} | {ratios[2]:.2f} |\n"
    means = [spread(column) for column in columns]
    text += "| geometric mean, scatter | | " + " | ".join(f"{mean:.2f} x/: {factor:.2f}" for mean, factor in means) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("report", type=Path)
    parser.add_argument("--method", action="append", choices=METHODS)
    parser.add_argument("--longest", type=float, default=20)
    given = parser.parse_args()
    text = HEAD
    for method in given.method or METHODS:
        text += study(given.scree, method, given.longest)
    given.report.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
