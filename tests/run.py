#!/usr/bin/env python3
"""Runs test suites and counts their cases.

Every suite is a set of commands that print TAP ("ok 1 - claim", "not ok 2 - claim"). A command that dies, hangs or prints no
case counts as one failure; a case skipped for want of what it needs is named and counts as nothing. The last line is `N passed, N failed`
over all suites; the one before it says what all took of time and of processors, and which took longest.

Commands run side by side: unit and validation, which compute, one on each core and five steps nicer than the others; beside them integration, which
mostly waits for processes, three at a time, and browser, two at a time. None may depend on how busy the machine is; one that needs it for itself all
the same stands in ALONE with the reason, and runs last. A command that fails is run once more at the end, by itself, only to say whether it fails every
time: it has failed either way.

  run.py [--report FILE] [--jobs N] [--only PART] [--times] [suite ...]      suites: unit validation integration browser; default all

With --only a report keeps what it has of programs that did not run. It is written whenever a program has ended, so that what was ended early goes on where it was
with `--only stale`: programs whose section is more than reports_age.LIMIT commits of its code behind, or that have none.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import reports_age
from suites import sources
from validation_report import CASE, write_report

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("SCREE_BUILD", "build")
SANITIZED = BUILD.name == "sanitize"
PYTHON = sys.executable
CORES = len(os.sched_getaffinity(0))
# Commands that took longest are begun first, so that the end of all does not wait for one of them: `seconds suite/name` of a run on two
# processors, rewritten by --times.
TIMES = ROOT / "tests" / "data" / "program_seconds.txt"
LEAST_SECONDS = 2.0  # that count
ALONE = {}  # command: why nothing may run beside it
EXPLAINED = 40  # lines that are shown of why a claim failed
BESIDES = 60  # lines that are shown of what a failed command and its programs said besides
LIMIT_SECONDS = 3600 if os.environ.get("SCREE_SLOW") else 1200


def commands(suite):
    """The commands of one suite, as (name, argv)."""
    if suite in ("unit", "validation"):
        for source in sources(suite, ".c"):
            yield source.stem, [str(BUILD / "tests" / suite / source.stem)]
    if suite in ("validation", "integration"):
        for script in sources(suite, ".py"):
            yield script.stem, [PYTHON, str(ROOT / "tests" / "support" / "tap.py"), str(script)]
    elif suite == "browser" and not SANITIZED:
        for script in sources(suite, ".mjs"):
            yield script.stem, ["node", str(script)]
    elif suite not in ("unit", "browser"):
        sys.exit(f"run.py: unknown suite '{suite}'; there are: unit, validation, integration, browser")


def run(argv, threads=None, nice=0):
    """Runs one command, with so many OpenMP threads; with `nice` behind others; returns its cases as (ok, claim), the claims of those it skipped, its whole output, its
    seconds, and the seconds of processors that it and the processes it waited for took."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", SCREE_BUILD=str(BUILD), ASAN_OPTIONS="detect_leaks=1",
                       UBSAN_OPTIONS="print_stacktrace=1", OMP_WAIT_POLICY="passive")  # as the daemon's workers: cores are shared
    environment.pop("MAKEFLAGS", None)
    if threads:
        environment.setdefault("OMP_NUM_THREADS", str(threads))
    begun = time.monotonic()
    try:
        process = subprocess.Popen(["nice", "-n", str(nice), *argv] if nice else argv, cwd=ROOT, env=environment, text=True, errors="replace", stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return [(False, f"can be started ({error})")], [], "", 0.0, 0.0
    late = threading.Event()
    timer = threading.Timer(LIMIT_SECONDS, lambda: (late.set(), os.killpg(process.pid, signal.SIGKILL)))
    timer.start()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
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
    if late.is_set():
        cases.append((False, f"ends within {LIMIT_SECONDS} s"))
    elif process.returncode != 0 and not failed:
        cases.append((False, f"ends by itself (it ended with {process.returncode})"))
    elif not cases and not skipped:
        cases.append((False, "has at least one case"))
    for line in output.splitlines():
        if line.startswith("# claim: ") and not (line[9:].split("\t") + [""] * 6)[5]:
            cases.append((False, f"has a verdict on: {line[9:].split(chr(9))[0]}"))
    return cases, skipped, output, time.monotonic() - begun, usage.ru_utime + usage.ru_stime


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
    cases, skipped, output, seconds, of_processors = outcome
    failed = [claim for ok, claim in cases if not ok]
    passed = len(cases) - len(failed)
    left_out = f", {len(skipped)} skipped" if skipped else ""
    print(f"{'FAIL' if failed else 'ok  '} {suite}/{name}: {passed} of {len(cases)} in {seconds:.1f} s ({of_processors:.1f} s of processors){left_out}", flush=True)
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


def read_times():
    """Seconds that each command took when TIMES was written, by suite/name."""
    lines = TIMES.read_text(encoding="ascii").splitlines() if TIMES.exists() else []
    return {name: float(seconds) for seconds, name in (line.split() for line in lines)}


def write_times(results):
    """Keeps of commands that did not run what is known."""
    took = read_times() | {f"{suite}/{name}": result[4] for (suite, name), result in results.items()}
    longest = sorted(took.items(), key=lambda item: (-round(item[1]), item[0]))
    TIMES.write_text("".join(f"{seconds:.0f} {name}\n" for name, seconds in longest if seconds >= LEAST_SECONDS), encoding="ascii")


def rounds(chosen, jobs):
    """The commands as rounds of lanes: [[(commands, how many at once, OpenMP threads of each or None, nice)]]. Lanes of a round run side by side."""
    def lane(suites, at_once, threads=None, nice=0):
        mine = [command for command in chosen if command[0] in suites and command[1] not in ALONE]
        mine.sort(key=lambda command: -took.get(f"{command[0]}/{command[1]}", 0.0))
        return mine, max(1, at_once), threads, nice
    took = read_times()
    computing = max(1, jobs or (CORES if CORES <= 2 else CORES // 2))
    return [[lane(("unit", "validation"), computing, max(1, CORES // computing), 5),
             lane(("integration",), jobs or max(3, CORES // 2)), lane(("browser",), jobs and jobs // 2 or max(2, CORES // 2))],
            [([command for command in chosen if command[1] in ALONE], 1, None, 0)]]


def run_round(lanes):
    """Runs the commands of a round and yields (command, outcome) as they end."""
    pools = [ThreadPoolExecutor(at_once) for _, at_once, _, _ in lanes]
    begun = {pool.submit(run, command[2], threads, nice): command
             for pool, (commands, _, threads, nice) in zip(pools, lanes) for command in commands}
    try:
        for future in as_completed(begun):
            yield begun[future], future.result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


def main():
    parser = argparse.ArgumentParser(description="Runs test suites.")
    parser.add_argument("--report")
    parser.add_argument("--only", help="part of a command's name; stale: those whose section of the report is behind")
    parser.add_argument("--times", action="store_true",
                        help=f"write how long each took to {TIMES.relative_to(ROOT)}, by which the next run begins the longest first")
    parser.add_argument("--jobs", type=int, help="commands of a suite at once; 1: one after the other")
    parser.add_argument("suites", nargs="*")
    arguments = parser.parse_args()
    chosen = [(suite, name, argv) for suite in arguments.suites or ["unit", "validation", "integration", "browser"]
              for name, argv in commands(suite) if arguments.only in (None, "stale") or arguments.only in name]
    if arguments.only == "stale":
        stale, took = reports_age.stale_programs(), reports_age.times()
        chosen = [command for command in chosen if command[1] in stale]
        seconds = sum(took.get(name, 0) for _, name, _ in chosen)
        print(f"{len(chosen)} programs are behind; one after the other they took {seconds / 60:.0f} min when they ran last", flush=True)
        if not chosen:
            return 0
    passed, failures, results = 0, [], {}
    begun, of_processors = time.monotonic(), 0
    for lanes in rounds(chosen, arguments.jobs):
        for (suite, name, argv), outcome in run_round(lanes):
            good, failed = show(suite, name, outcome)
            passed += good
            if failed:
                failures.append((suite, name, argv, failed))
            results[suite, name] = (name, *outcome[:4])
            of_processors += outcome[4]
            if arguments.report:
                write_report(Path(arguments.report), list(results.values()))
    if arguments.times:
        write_times(results)
    for failure in failures:
        show_again(*failure)
    longest = sorted(results.values(), key=lambda result: -result[4])[:8]
    print(f"{time.monotonic() - begun:.0f} s, {of_processors:.0f} s of processors; longest: " +
          ", ".join(f"{name} {seconds:.0f} s" for name, *_, seconds in longest))
    for suite, name, _, failed in failures:
        for claim in failed:
            print(f"FAILED {suite}/{name}: {claim}")
    count = sum(len(failed) for *_, failed in failures)
    print(f"{passed} passed, {count} failed", flush=True)
    return 1 if count or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
