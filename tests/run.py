#!/usr/bin/env python3
"""Runs test suites and counts their cases.

Every suite is a set of commands that print TAP ("ok 1 - claim", "not ok 2 - claim"). A command that dies, hangs or prints no
case counts as one failure; a case skipped for want of what it needs is named and counts as nothing. The last line is `N passed, N failed`
over all suites, and the one before it says what took longest.

Commands run side by side, in two rounds: first unit and validation, which compute, one on each core; then integration, which mostly waits for
processes, two at a time, beside browser, one at a time. None may depend on how busy the machine is; one that needs it for itself all the same
stands in ALONE with the reason, and runs last. A command that fails is run once more at the end, by itself, only to say whether it fails every
time: it has failed either way.

  run.py [--report FILE] [--jobs N] [--only PART] [suite ...]      suites: unit validation integration browser; default all

With --only a report keeps what it has of programs that did not run.
"""
import argparse
import ast
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("SCREE_BUILD", "build")
SANITIZED = BUILD.name == "sanitize"
PYTHON = sys.executable
CASE = re.compile(r"^\s*(not ok|ok) \d+\s*-?\s*(.*)$")
CORES = len(os.sched_getaffinity(0))
# Commands that take longest are begun first, so that the end of a round does not wait for one of them.
FIRST = ("test_crash", "test_stream", "test_kinds", "test_dashboard", "test_looks", "test_client_network", "test_api_recording", "test_failures",
         "test_same_physics", "test_determinism", "test_full_disk", "test_api_flood", "test_api_slow", "validate_bdem_friction",
         "validate_peridem_energy", "validate_memory")
ALONE = {}  # command: why nothing may run beside it
EXPLAINED = 40  # lines that are shown of why a claim failed
BESIDES = 60  # lines that are shown of what a failed command and its programs said besides
GONE = "Its program is no longer there: these are its last numbers."
LIMIT_SECONDS = 3600 if os.environ.get("SCREE_SLOW") else 1200


def commands(suite):
    """The commands of one suite, as (name, argv)."""
    if suite in ("unit", "validation"):
        for source in sorted((ROOT / "tests" / suite).glob("test_*.c" if suite == "unit" else "validate_*.c")):
            yield source.stem, [str(BUILD / "tests" / suite / source.stem)]
    if suite in ("validation", "integration"):
        for script in sorted((ROOT / "tests" / suite).glob("test_*.py" if suite == "integration" else "validate_*.py")):
            yield script.stem, [PYTHON, str(ROOT / "tests" / "support" / "tap.py"), str(script)]
    elif suite == "browser" and not SANITIZED:
        for script in sorted((ROOT / "tests" / suite).glob("test_*.mjs")):
            yield script.stem, ["node", str(script)]
    elif suite not in ("unit", "browser"):
        sys.exit(f"run.py: unknown suite '{suite}'; there are: unit, validation, integration, browser")


def run(argv, threads=None):
    """Runs one command, with so many OpenMP threads; returns its cases as (ok, claim), the claims of those it skipped, its whole output and its
    seconds."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", SCREE_BUILD=str(BUILD), ASAN_OPTIONS="detect_leaks=1",
                       UBSAN_OPTIONS="print_stacktrace=1", OMP_WAIT_POLICY="passive")  # as the daemon's workers: cores are shared
    environment.pop("MAKEFLAGS", None)
    if threads:
        environment.setdefault("OMP_NUM_THREADS", str(threads))
    begun = time.monotonic()
    try:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment, text=True, errors="replace", stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return [(False, f"can be started ({error})")], [], "", 0.0
    late = False
    try:
        output, _ = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    cases, skipped = [], []
    for line in output.splitlines():
        match = CASE.match(line)
        if match and "# SKIP" in match[2]:
            skipped.append(match[2].replace("# SKIP", "").strip())  # its source says why: a slow run, memory that can't be made to fail
        elif match:
            cases.append((match[1] == "ok", match[2]))
        elif line.startswith("# left out: "):
            skipped.append(line[12:])  # a part of a case
    failed = any(not ok for ok, _ in cases)
    if late:
        cases.append((False, f"ends within {LIMIT_SECONDS} s"))
    elif process.returncode != 0 and not failed:
        cases.append((False, f"ends by itself (it ended with {process.returncode})"))
    elif not cases and not skipped:
        cases.append((False, "has at least one case"))
    for line in output.splitlines():
        if line.startswith("# claim: ") and not (line[9:].split("\t") + [""] * 6)[5]:
            cases.append((False, f"has a verdict on: {line[9:].split(chr(9))[0]}"))
    return cases, skipped, output, time.monotonic() - begun


def source_of(name):
    """The source of a validation program or script, or None when there is none any more."""
    return next((path for path in (ROOT / "tests" / "validation" / f"{name}{end}" for end in (".c", ".py")) if path.exists()), None)


def comments(source):
    """What a test's source says above each of its cases, as {case: text}; tests/support/claim.h says what belongs there. In a script that stands in a
    case's docstring after its first line, which is the claim."""
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".py":
        said = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        return {claim: " ".join(rest.split()) for claim, _, rest in (one.partition("\n") for one in said) if rest.strip()}
    pattern = re.compile(r"/\*((?:(?!\*/).)*)\*/\nstatic void (test_\w+)\(", re.S)
    return {name: " ".join(re.sub(r"^\s*\* ?", "", line).strip() for line in comment.splitlines()).strip() for comment, name in pattern.findall(text)}


def gather_claims(output):
    """The numbers that each case printed before its verdict, as a list of (ok, case, rows); rows as claim.h prints them."""
    cases, rows = [], []
    for line in output.splitlines():
        match = CASE.match(line)
        if line.startswith("# claim: "):
            rows.append((line[9:].split("\t") + [""] * 6)[:6])
        elif match:
            if not match[2].startswith("# SKIP"):
                cases.append((match[1] == "ok", match[2], rows))
            rows = []
    return cases


def machine():
    """What this runs on, in a few words."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.*)", info.read_text(encoding="utf-8")) if info.exists() else None
    return f"{model[1].strip() if model else 'an unknown processor'}, {CORES} cores"


def measured(seconds):
    """What a section says of its numbers: of which code, when, where, in what time."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"Commit `{commit or 'unknown'}`, {time.strftime('%Y-%m-%d')}, {machine()}, {seconds:.0f} s.\n"


def section(name, cases, output, seconds):
    """One program's part of the report: of which code it is, every case with its claim, what its source says of reference and tolerance, and the numbers
    that it checked."""
    said = comments(source_of(name))
    text = f"## {name} ({seconds:.0f} s)\n\n{measured(seconds)}"
    claims = gather_claims(output)
    for ok, claim, rows in claims:
        title = claim.removeprefix("test_").replace("_", " ")
        text += f"\n### {title[:1].upper() + title[1:]}: {'holds' if ok else 'FAILS'}\n"
        if claim in said:
            text += f"\n{said[claim]}\n"
        if rows:
            text += "\n| quantity | measured | reference | tolerance | source | verdict |\n|---|---|---|---|---|---|\n"
        for row in rows:
            text += "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"
    for ok, claim in cases[len(claims):]:  # what run() adds: the program died, or hung
        text += f"\n### {claim}: {'holds' if ok else 'FAILS'}\n"
    return text


def write_report(path, results):
    """Sections of the programs that ran; of all others what the report has had of them. One whose program is gone says so and stays: taking it out is for
    who took the program out."""
    sections = {}
    if path.exists():
        sections = {part.split(" ", 1)[0]: "## " + part.rstrip("\n") + "\n" for part in path.read_text(encoding="utf-8").split("\n## ")[1:]}
    sections |= {name: section(name, cases, output, seconds) for name, cases, output, seconds in results}
    with open(path, "w", encoding="utf-8") as report:
        report.write("# Validation report\n\nWritten by `make validate`. Under each claim: its reference and why the tolerance is what it is, then the "
                     "numbers. A *regression guard* compares with\nwhat the code gave before: it notices changes and says nothing on what is "
                     "right. Rows that say \"measured, not checked\" are there to be read.\n")
        for name in sorted(sections):
            if not source_of(name) and GONE not in sections[name]:
                heading, _, rest = sections[name].partition("\n")
                sections[name] = f"{heading}\n\n{GONE}\n{rest}"
            report.write("\n" + sections[name])


def explained(output):
    """The failed claims of an output, each with the '#' lines after it, up to EXPLAINED of them; and the lines that are no cases: (lines, lines)."""
    failed, besides, left = [], [], 0
    for line in output.splitlines():
        match = CASE.match(line)
        if match:
            left = EXPLAINED if match[1] == "not ok" else 0
            failed += [line] if left else []
        elif left and line.lstrip().startswith("#"):
            failed.append(line)
            left -= 1
        else:
            besides.append(line)
    return failed, besides


def show(suite, name, outcome):
    """Prints one command's outcome; returns how many cases passed and the claims that failed."""
    cases, skipped, output, seconds = outcome
    failed = [claim for ok, claim in cases if not ok]
    passed = len(cases) - len(failed)
    left_out = f", {len(skipped)} skipped" if skipped else ""
    print(f"{'FAIL' if failed else 'ok  '} {suite}/{name}: {passed} of {len(cases)} in {seconds:.1f} s{left_out}", flush=True)
    for claim in skipped:
        print(f"     skipped: {claim}")
    if failed:
        why, besides = explained(output)
        print("\n".join(["     | " + line for line in why] + ["     : " + line for line in besides[-BESIDES:]]))
        print("\n".join(f"     FAILED: {claim}" for claim in failed), flush=True)
    return passed, failed


def show_again(suite, name, argv, failed):
    """Runs a command that has failed once more, and says what becomes of it."""
    again = [claim for ok, claim in run(argv)[0] if not ok]
    print(f"{suite}/{name} run again by itself: {'the same fails' if again == failed else 'other cases fail' if again else 'all passes'}"
          f"{''.join(chr(10) + '     again: ' + claim for claim in again if again != failed)}; it counts as failed", flush=True)


def rounds(chosen, jobs):
    """The commands as rounds of lanes: [[(commands, how many at once, OpenMP threads of each or None)]]. Lanes of a round run side by side."""
    def lane(suites, at_once, threads=None):
        mine = [command for command in chosen if command[0] in suites and command[1] not in ALONE]
        mine.sort(key=lambda command: FIRST.index(command[1]) if command[1] in FIRST else len(FIRST))
        return mine, max(1, at_once), threads
    computing = max(1, jobs or (CORES if CORES <= 2 else CORES // 2))
    return [[lane(("unit", "validation"), computing, max(1, CORES // computing))],
            [lane(("integration",), jobs or max(2, CORES // 2)), lane(("browser",), jobs and jobs // 2 or CORES // 2)],
            [([command for command in chosen if command[1] in ALONE], 1, None)]]


def run_round(lanes):
    """Runs the commands of a round and yields (command, outcome) as they end."""
    pools = [ThreadPoolExecutor(at_once) for _, at_once, _ in lanes]
    begun = {pool.submit(run, command[2], threads): command for pool, (commands, _, threads) in zip(pools, lanes) for command in commands}
    try:
        for future in as_completed(begun):
            yield begun[future], future.result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


def main():
    parser = argparse.ArgumentParser(description="Runs test suites.")
    parser.add_argument("--report")
    parser.add_argument("--only", help="part of a command's name")
    parser.add_argument("--jobs", type=int, help="commands of a suite at once; 1: one after the other")
    parser.add_argument("suites", nargs="*")
    arguments = parser.parse_args()
    chosen = [(suite, name, argv) for suite in arguments.suites or ["unit", "validation", "integration", "browser"]
              for name, argv in commands(suite) if not arguments.only or arguments.only in name]
    passed, failures, results = 0, [], {}
    for lanes in rounds(chosen, arguments.jobs):
        for (suite, name, argv), outcome in run_round(lanes):
            good, failed = show(suite, name, outcome)
            passed += good
            if failed:
                failures.append((suite, name, argv, failed))
            cases, _, output, seconds = outcome
            results[suite, name] = (name, cases, output, seconds)
    for failure in failures:
        show_again(*failure)
    if arguments.report:
        write_report(Path(arguments.report), [results[suite, name] for suite, name, _ in chosen])
    longest = sorted(results.values(), key=lambda result: -result[3])[:8]
    print("longest: " + ", ".join(f"{name} {seconds:.0f} s" for name, _, _, seconds in longest))
    for suite, name, _, failed in failures:
        for claim in failed:
            print(f"FAILED {suite}/{name}: {claim}")
    count = sum(len(failed) for *_, failed in failures)
    print(f"{passed} passed, {count} failed", flush=True)
    return 1 if count or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
